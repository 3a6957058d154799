"""Options shared by the commands that play matches: time limits, the workspace and the sandbox."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli.common import UserError, settings_of, shortened
from arena.limits import Clock, Limits, clock, duration_ns

if TYPE_CHECKING:
    from arena.bot import Bot
    from arena.game import Game
    from arena.referee import Setup

F = TypeVar("F", bound=Callable[..., Any])


VOID = 3
"""Exit status when a match could not be played through no fault of a bot."""


class DurationParam(click.ParamType):  # type: ignore[type-arg]  # not generic in older versions of click
    """`50ms`, `1s` or `2m`, as nanoseconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the text; a number is nanoseconds already."""
        del ctx
        if isinstance(value, int):
            return value
        try:
            return duration_ns(str(value))
        except ValueError as error:
            raise UserError(
                f"--{param.name.replace('_', '-') if param and param.name else ''}: {error}"
            ) from None


class ClockParam(click.ParamType):  # type: ignore[type-arg]  # as above
    """`60s+0.5s` as a `Clock`."""

    name = "clock"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Clock:
        """Read the text."""
        del param, ctx
        if isinstance(value, Clock):
            return value
        try:
            return clock(str(value))
        except ValueError as error:
            raise UserError(f"--clock: {error}", "write --clock 60s+0.5s") from None


DURATION = DurationParam()
CLOCK = ClockParam()


def time_options(function: F) -> F:
    """`--turn-time`, `--start-time` (nanoseconds), `--clock` and `--strikes`."""
    for option in (
        click.option(
            "--strikes",
            type=click.IntRange(1, 1000),
            default=3,
            show_default=True,
            help="Refused replies that forfeit a match.",
        ),
        click.option(
            "--clock", type=CLOCK, metavar="60s+0.5s", help="Time for a whole match, and what each turn adds."
        ),
        click.option(
            "--start-time",
            type=DURATION,
            default="10s",
            show_default=True,
            help="Time to start and to answer the handshake.",
        ),
        click.option(
            "--turn-time", type=DURATION, default="1s", show_default=True, help="Time for each turn."
        ),
    ):
        function = option(function)
    return function


def limits_given(asked: Mapping[str, Any]) -> Limits:
    """What `time_options` were given, as limits; UserError where they cannot be kept."""
    try:
        return Limits(
            start_ns=asked["start_time"],
            turn_ns=asked["turn_time"],
            clock=asked["clock"],
            strikes=asked["strikes"],
        )
    except ValueError as error:
        raise UserError(str(error)) from None


def home_option(function: F) -> F:
    """`--home DIR`, handed over as `home: Path | None`."""
    return click.option(
        "--home",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="ARENA_HOME",
        help="Folder with bots/ and results/.  [default: the current one, or $ARENA_HOME]",
    )(function)


def find_playing_bot(
    text: str, home: Path | None, hint: str = "'arena bots' lists the bots there are"
) -> "Bot":
    """The bot that a user names, ready to be started; UserError with a hint when there is none."""
    from arena.bot import BotError
    from arena.roster import find_bot

    try:
        return find_bot(text, home)
    except BotError as error:
        raise UserError(str(error), hint) from None


def find_player(game: "Game", text: str, home: Path | None) -> "Bot":
    """As `find_playing_bot`, and it plays this game."""
    bot = find_playing_bot(text, home)
    if not bot.plays(game.id):
        raise UserError(f"{shortened(text)} does not play {game.id}", f"it plays {', '.join(bot.games)}")
    return bot


def match_setup(game: "Game", asked: Mapping[str, Any], limits: Limits) -> "Setup":
    """The setup of a single match, from `--option`, `--seed` (drawn when not given) and `--openings`."""
    import secrets
    from datetime import UTC, datetime

    from arena.referee import Setup

    seed = asked["seed"]
    return Setup(
        game.id,
        settings_of(game, asked["option"]),
        seed=secrets.randbelow(10**6) if seed is None else seed,
        limits=limits,
        opening=asked.get("openings", 0),
        date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def require_folder(file: Path | None) -> None:
    """UserError, before anything is played, for a file that could not be written afterwards."""
    if file is not None and not file.absolute().parent.is_dir():
        raise UserError(f"there is no folder {file.absolute().parent} to write {file.name} to")
