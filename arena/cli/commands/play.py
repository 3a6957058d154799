"""`arena play`: you against a bot, at the terminal."""

import dataclasses
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import game_argument, rules_options
from arena.cli.names import complete_bot
from arena.cli.playing import DURATION, VOID, find_player, home_option, match_setup, require_folder
from arena.cli.sandboxing import caps_given, open_sandbox, sandbox_options
from arena.limits import Limits
from arena.wire import RESIGN

if TYPE_CHECKING:
    from arena.bot import Bot
    from arena.game import Game, Position
    from arena.match import Table
    from arena.record import Record
    from arena.sandbox import Sandbox

_NO_HURRY_NS = 7 * 24 * 3600 * 10**9
"""Added to every deadline: a person has no clock, and a bot is told one but loses nothing by it."""


@click.command()
@game_argument
@click.argument("bot", metavar="[BOT]", required=False, shell_complete=complete_bot)
@click.option(
    "--seat",
    type=click.Choice(["P1", "P2"], case_sensitive=False),
    default="P1",
    show_default=True,
    help="Your seat; P1 moves first.",
)
@click.option(
    "--turn-time",
    type=DURATION,
    default="1s",
    show_default=True,
    help="Time that the bot is told it has for a turn. You have no clock.",
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Seed of the match.  [default: a random one]")
@rules_options
@click.option("--record", "record_file", type=click.Path(path_type=Path), help="Write the record to a file.")
@sandbox_options
@home_option
def command(**asked: Any) -> None:
    """Play a match against BOT; without one, against the strongest bundled bot of that game.

    You see the board and the replies that can be played, and type one. A reply that cannot be played is
    refused with the reason and costs nothing; '?' lists the replies again, 'resign' or Ctrl-D gives up.

    \b
    Exit status: 0 when the match was decided, whoever won; 3 when it is void, 2 wrong usage.

    \b
    Example:
      arena play blockade
      arena play gridlock greedy --seat P2
      arena play runner-walls ./mybot.py --option walls=4 --record match.txt
    """
    from arena import record as records
    from arena.match import VoidMatch

    game: Game = asked["game"]
    require_folder(asked["record_file"])
    bot = find_player(game, asked["bot"] or _strongest(game.id), asked["home"])
    you = _person()
    setup = match_setup(game, asked, Limits(turn_ns=asked["turn_time"], margin_ns=_NO_HURRY_NS))
    sandbox = open_sandbox(asked["sandbox"], caps_given(asked)).sandbox
    click.echo(
        f"{game.title}: you are {asked['seat']}, {bot.name} is the other. '?' helps, 'resign' gives up."
    )
    seats = (you, bot) if asked["seat"] == "P1" else (bot, you)
    last: list[Position] = []
    try:
        with _table(sandbox, you) as table:
            record = table.play(setup, *seats, on_ply=last.append).record
    except VoidMatch as void:
        click.echo(f"arena: the match is void: {void}", err=True)
        sys.exit(VOID)
    if asked["record_file"] is not None:
        asked["record_file"].write_text(records.write(record), encoding="utf-8")
    _tell(record, last[-1], asked["seat"], bot.name)


def _strongest(game: str) -> str:
    """The bundled bot at the top of the ladder of this game."""
    from arena.bench.ladder import LADDERS, SHORT

    return LADDERS.get(game, SHORT)[-1]


def _person() -> "Bot":
    from arena.bot import Bot, name_from
    from arena.roster import arena_path

    name = name_from(os.environ.get("USER") or "you")
    command = (sys.executable, "-m", "arena.cli.person")
    return Bot(name, "0" * 12, command, Path("/"), environment=arena_path(), language="person")


def _table(sandbox: "Sandbox", you: "Bot") -> "Table":
    """A table at which the person's process gets the terminal, and no sandbox."""
    from arena.match import Table
    from arena.process import BotProcess
    from arena.sandbox import Off

    class PersonsTable(Table):
        def start(self, bot: "Bot", limits: Limits) -> BotProcess:
            if bot is not you:
                return super().start(bot, limits)
            terminal = tuple(os.dup(stream.fileno()) for stream in (sys.stdin, sys.stdout))
            argv = (*bot.command, *map(str, terminal))
            return BotProcess(dataclasses.replace(Off().prepare(bot), argv=argv, pass_fds=terminal))

    return PersonsTable(sandbox, keep=0)


def _tell(record: "Record", end: "Position", seat: str, opponent: str) -> None:
    click.echo(f"\n{end.diagram()}")
    winner, loser = ("You win", opponent) if record.winner == seat else (f"{opponent} wins", "you")
    why = f"{loser} resigned" if record.reason == RESIGN else record.reason
    turns = "1 turn" if record.turns == 1 else f"{record.turns} turns"
    click.echo(f"{winner}: {why} after {turns}.")
    if record.fault is not None:
        click.echo(f"{opponent}: {record.fault.sentence}")
    click.echo(f"seed {record.seed}")
