"""Options that say how bots are confined, and what is made of them."""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli.common import UserError

if TYPE_CHECKING:
    from arena.sandbox.choice import Chosen

F = TypeVar("F", bound=Callable[..., Any])

_SIZE = re.compile(r"([0-9]{1,12})\s*([kmgt]?)(?:i?b)?")
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class SizeParam(click.ParamType):  # type: ignore[type-arg]  # not generic in older versions of click
    """`512M` or `2G`, as bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the text; a number is bytes already."""
        del param, ctx
        if isinstance(value, int):
            return value
        found = _SIZE.fullmatch(str(value).strip().lower())
        if found is None:
            raise UserError(f"{str(value)[:40]!r} is not a size", "write 512M or 2G")
        return int(found[1]) * _UNITS[found[2]]


SIZE = SizeParam()


def sandbox_options(function: F) -> F:
    """`--sandbox`, `--memory`, `--processes` and `--tmp`, for `open_sandbox`."""
    for option in (
        click.option("--tmp", type=SIZE, metavar="16M", help="Room in a bot's private /tmp (bwrap)."),
        click.option(
            "--processes", type=click.IntRange(1, 100_000), metavar="64", help="Processes of one bot."
        ),
        click.option(
            "--memory", type=SIZE, metavar="512M", help="Memory of one bot, all its processes together."
        ),
        click.option(
            "--sandbox",
            type=click.Choice(["auto", "bwrap", "landlock", "basic", "off"]),
            default="auto",
            show_default=True,
            help="How bots are confined; auto takes the strongest that works here.",
        ),
    ):
        function = option(function)
    return function


def caps_given(asked: Mapping[str, Any]) -> dict[str, int]:
    """The limits that the user set, by the names of `Caps`."""
    names = {"memory": "memory_bytes", "processes": "processes", "tmp": "tmp_bytes"}
    return {name: asked[option] for option, name in names.items() if asked.get(option) is not None}


def open_sandbox(kind: str, caps: Mapping[str, int], *, quiet: bool = False) -> "Chosen":
    """The sandbox the user asked for; a fall-back of `auto` is said in one line. UserError if impossible.

    Results and submitted bots of the workspace that the command works in are hidden from all bots.
    """
    from arena.sandbox import Caps
    from arena.sandbox.choice import choose
    from arena.workspace import open_workspace

    context = click.get_current_context(silent=True)
    workspace = open_workspace(context.params.get("home") if context else None)
    try:
        chosen = choose(kind, Caps(**caps), (workspace.results, workspace.submitted))
    except ValueError as error:
        raise UserError(str(error), "'arena doctor' says what this machine can do") from None
    if chosen.note and not quiet:
        click.echo(chosen.note, err=True)
    return chosen
