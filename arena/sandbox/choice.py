"""Which sandbox is in force: `auto` takes the strongest that works on this machine, found out by trying."""

import os
import select
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arena.bot import Bot
from arena.process import BotProcess
from arena.sandbox import Basic, Caps, Off, Sandbox, landlock
from arena.sandbox.bwrap import Bwrap, needed_program
from arena.sandbox.landlock import Landlock

PROBE_S = 10.0
"""The sandbox starts in some milliseconds; a machine that needs this long has none that could be used."""
_PROBE_BYTES = 64 * 1024


class Chosen(NamedTuple):
    """The sandbox, and one line for the user when it is weaker than it could be."""

    sandbox: Sandbox
    note: str = ""


def choose(kind: str, caps: Caps, hidden: tuple[Path, ...] = ()) -> Chosen:
    """The sandbox of this kind; raises ValueError with a sentence when it cannot be had here.

    `hidden` are folders that no bot may see: results, and where the bots of others are.
    """
    if kind == "off":
        return Chosen(Off())
    if kind == "basic":
        return Chosen(Basic(caps))
    problem = "" if kind == "landlock" else bwrap_problem()
    if not problem and kind != "landlock":
        return Chosen(Bwrap(caps, hidden))
    if kind == "bwrap":
        raise ValueError(f"the sandbox bwrap does not work here: {problem}")
    no_fence = landlock_problem(hidden)
    if not no_fence:
        note = "arena: bots run behind Landlock, without namespaces of their own"
        return Chosen(Landlock(caps, hidden), f"{note}: {problem}" if problem else "")
    if kind == "landlock":
        raise ValueError(f"the sandbox landlock does not work here: {no_fence}")
    note = "arena: bots run with limits only, they can read files and use the network"
    return Chosen(Basic(caps), f"{note}: {problem}; {no_fence}")


@cache
def bwrap_problem() -> str:
    """Why bubblewrap cannot be used here, in one line; empty when it can."""
    try:
        needed_program("bwrap")
        # The inner `echo` needs a second process, which an old kernel would not grant within the limit.
        said = run_inside(Bwrap(), (needed_program("bash"), "-c", 'echo "$(echo it works)"'))
    except OSError as error:
        return " ".join(str(error).split())
    return "" if said.strip() == "it works" else f"it starts, but says {said[:60]!r}"


def landlock_problem(needed: tuple[Path, ...] = ()) -> str:
    """Why Landlock cannot be used here, in one line; empty when it can. Bots live in the `needed` folders."""
    return landlock.problem(needed) or _landlock_trial()


@cache
def _landlock_trial() -> str:
    """Start a second process behind the fence, and try to read what is not shown."""
    script = 'echo "$(echo it works)"; cat /etc/passwd && echo it leaks; :'
    try:
        said = run_inside(Landlock(), ("/bin/sh", "-c", script)).strip()
    except OSError as error:
        return " ".join(str(error).split())
    works = said.startswith("it works") and "it leaks" not in said
    return "" if works else f"it starts, but says {said[:60]!r}"


def run_inside(sandbox: Sandbox, command: tuple[str, ...], seconds: float = PROBE_S) -> str:
    """What a program says in a sandbox, stderr after stdout, from an empty folder; raises OSError."""
    with tempfile.TemporaryDirectory(prefix="arena-probe-") as folder:
        if isinstance(sandbox, Landlock):
            Path(folder).chmod(0o755)  # as the folders of bots are: not all of root may bind it elsewhere
        process = BotProcess(sandbox.prepare(Bot("probe", "0" * 12, command, Path(folder))))
        try:
            said = _hear(process, time.monotonic() + seconds)
            return (said + process.stderr_tail()).decode("utf-8", "replace")
        finally:
            process.end()


def _hear(process: BotProcess, deadline: float) -> bytes:
    said = b""
    while len(said) < _PROBE_BYTES and (left := deadline - time.monotonic()) > 0:
        if select.select([process.stdout], [], [], left)[0]:
            data = os.read(process.stdout, _PROBE_BYTES)
            if not data:
                break
            said += data
    return said
