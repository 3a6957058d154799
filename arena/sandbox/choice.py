"""Which sandbox is in force: `auto` takes the strongest that works on this machine."""

from typing import NamedTuple

from arena.sandbox import Basic, Caps, Off, Sandbox

KINDS = ("auto", "bwrap", "basic", "off")


class Chosen(NamedTuple):
    """The sandbox, and one line for the user when it is weaker than it could be."""

    sandbox: Sandbox
    note: str = ""


def choose(kind: str, caps: Caps) -> Chosen:
    """The sandbox of this kind; raises ValueError with a sentence when it cannot be had here."""
    if kind == "off":
        return Chosen(Off())
    return Chosen(Basic(caps))
