"""`arena match`: one match between two bots."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import echo_json, game_argument, json_option, rules_options
from arena.cli.names import complete_bot
from arena.cli.playing import (
    VOID,
    find_player,
    home_option,
    limits_given,
    match_setup,
    require_folder,
    time_options,
)
from arena.cli.sandboxing import caps_given, open_sandbox, sandbox_options

if TYPE_CHECKING:
    from arena.bot import Bot
    from arena.game import Game, Position
    from arena.match import Played
    from arena.record import Record


@click.command()
@game_argument
@click.argument("first", metavar="BOT", shell_complete=complete_bot)
@click.argument("second", metavar="BOT", shell_complete=complete_bot)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Seed of the match.  [default: a random one]")
@rules_options
@time_options
@click.option("--no-ponder", is_flag=True, help="Stop a bot while its opponent thinks.")
@click.option(
    "--openings",
    type=click.IntRange(0, 200),
    default=0,
    metavar="K",
    help="Random plies played by the referee at the start.",
)
@click.option("--record", "record_file", type=click.Path(path_type=Path), help="Write the record to a file.")
@click.option(
    "--traffic", "traffic_file", type=click.Path(path_type=Path), help="Write every line that passed."
)
@click.option("--watch", is_flag=True, help="Draw the board as it goes.")
@sandbox_options
@home_option
@json_option
def command(**asked: Any) -> None:
    """Play one match between two bots; the first BOT has the seat P1.

    BOT is the name of a bundled or submitted bot, a path to a script, source file or executable, or a quoted
    command line.

    \b
    Examples:
      arena match gridlock greedy random --watch
      arena match blockade ./mybot.py "node other.js" --turn-time 200ms --record match.txt
      arena match snatchers mcts alphabeta --clock 60s+0.5s --no-ponder --json

    Exit status: 0 when the match was decided, also by forfeit; 3 when it is void (a bot could not be started,
    the disk is full); 2 for wrong usage. A bot that fails leaves a crash capsule in results/capsules: see
    'arena reproduce'.
    """
    from arena.match import Table, VoidMatch
    from arena.sandbox import Sandbox

    game: Game = asked["game"]
    for file in (asked["record_file"], asked["traffic_file"]):
        require_folder(file)
    bots = find_player(game, asked["first"], asked["home"]), find_player(game, asked["second"], asked["home"])
    setup = match_setup(game, asked, limits_given(asked))
    sandbox: Sandbox = open_sandbox(asked["sandbox"], caps_given(asked), quiet=asked["as_json"]).sandbox
    watcher = _Watcher(bots) if asked["watch"] and not asked["as_json"] else None
    try:
        with Table(sandbox, ponder=not asked["no_ponder"], keep=0) as table:
            played = table.play(setup, *bots, on_ply=watcher)
        written = _write_files(played, asked)
    except VoidMatch as void:
        if asked["as_json"]:
            echo_json({"winner": None, "reason": "void", "void": str(void), "seed": setup.seed})
        click.echo(f"arena: the match is void: {void}", err=True)
        sys.exit(VOID)
    if asked["as_json"]:
        echo_json(_as_data(played.record, written))
    else:
        _tell(played, bots, written)


def _write_files(played: "Played", asked: dict[str, Any]) -> dict[str, str]:
    """Write what was asked for, and a capsule after a fault; a full disk voids the match."""
    from arena import record as records
    from arena.capsule_file import save
    from arena.match import VoidMatch
    from arena.workspace import open_workspace

    written = {}
    try:
        if asked["record_file"] is not None:
            asked["record_file"].write_text(records.write(played.record), encoding="utf-8")
            written["record_file"] = str(asked["record_file"])
        if asked["traffic_file"] is not None:
            asked["traffic_file"].write_text(_traffic_text(played), encoding="utf-8")
            written["traffic_file"] = str(asked["traffic_file"])
        if played.capsule is not None:
            folder = open_workspace(asked["home"]).results / "capsules"
            written["capsule"] = str(save(played.capsule, folder))
    except OSError as error:
        raise VoidMatch(f"what is left of it could not be written: {error}") from None
    return written


def _traffic_text(played: "Played") -> str:
    """One line for each line that passed: milliseconds, the seat, `>` to the bot or `<` from it, the text."""
    from arena.wire import shown

    return "".join(
        f"{said.at_ns / 1e6:10.3f} {said.seat} {'>' if said.sent else '<'} {shown(line, len(line))}\n"
        for said in played.traffic()
        for line in said.data.removesuffix(b"\n").split(b"\n")
    )


def _as_data(record: "Record", written: dict[str, str]) -> dict[str, Any]:
    """The one object of `--json`."""
    from arena import record as records

    fault = record.fault
    return {
        "game": record.game,
        "options": dict(record.options),
        "seed": record.seed,
        "bots": {"P1": record.bots[0], "P2": record.bots[1]},
        "winner": record.winner,
        "reason": record.reason,
        "turns": record.turns,
        "plies": len(record.plies),
        "board": record.board,
        "times": {seat: _times(record, seat) for seat in ("P1", "P2")},
        "fault": None
        if fault is None
        else {
            "seat": fault.seat,
            "code": str(fault.code),
            "sentence": fault.sentence,
            "exit_status": fault.exit_status,
            "doubtful": fault.doubtful,
            "stderr": fault.stderr,
        },
        "sandbox": record.sandbox,
        "record": records.write(record),
        **written,
    }


def _times(record: "Record", seat: str) -> dict[str, float]:
    """Milliseconds that a seat used in all, and at its slowest prompt, the one it did not answer included."""
    from arena.wire import READY

    asked = [ply for ply in record.plies if ply.seat == seat and ply.by == "bot"]
    last = record.unanswered
    used = [(ply.wall_us, ply.cpu_us) for ply in asked]
    if last is not None and last.seat == seat and last.prompt != READY:
        used.append((last.wall_us, last.cpu_us))
    return {
        "wall_ms": sum(wall for wall, _ in used) / 1000,
        "cpu_ms": sum(cpu for _, cpu in used) / 1000,
        "slowest_ms": max((wall for wall, _ in used), default=0) / 1000,
    }


class _Watcher:
    """Draws each position: in place on a terminal, one after the other elsewhere."""

    def __init__(self, bots: "tuple[Bot, Bot]") -> None:
        self._names = {"P1": bots[0].name, "P2": bots[1].name}
        self._in_place = sys.stdout.isatty()

    def __call__(self, position: "Position") -> None:
        if self._in_place:
            click.clear()
        seat = position.seat
        whose = f"{seat} {self._names[seat]} to reply: {position.prompt}" if seat else "the end"
        click.echo(f"{position.diagram()}\nturn {position.turns}, {whose}\n")
        if self._in_place and seat:
            import time

            time.sleep(_SEEN_S)


_SEEN_S = 0.15
"""On a terminal each board stays for a moment, or nobody could follow; no clock runs meanwhile."""


def _tell(played: "Played", bots: "tuple[Bot, Bot]", written: dict[str, str]) -> None:
    """The result in a few lines for a person."""
    from arena.wire import shown

    record = played.record
    assert record.winner is not None
    winner, loser = bots if record.winner == "P1" else bots[::-1]
    turns = f"{record.turns} turn{'' if record.turns == 1 else 's'}"
    click.echo(
        f"{winner.name} ({record.winner}) beats {loser.name} ({record.winner.other}): "
        f"{record.reason} after {turns}."
    )
    for seat, bot in zip(("P1", "P2"), bots, strict=True):
        times = _times(record, seat)
        click.echo(
            f"  {seat} {bot.label}: {times['wall_ms']:.0f} ms wall, {times['cpu_ms']:.0f} ms CPU, "
            f"slowest reply {times['slowest_ms']:.0f} ms"
        )
    click.echo(f"  seed {record.seed}, sandbox {record.sandbox}")
    if record.fault is not None:
        click.echo(f"  fault of {record.fault.seat} {loser.name}: {record.fault.sentence}")
        if record.fault.doubtful:
            click.echo("  the machine may be to blame for this time loss: play the match again")
        if record.fault.stderr.strip():
            click.echo("  its last words on stderr:")
            for line in record.fault.stderr.strip().splitlines()[-5:]:
                click.echo(f"    {shown(line.encode(), 160)}")  # a bot's escape codes never reach a terminal
    for name, text in (("record_file", "record"), ("traffic_file", "traffic")):
        if name in written:
            click.echo(f"  {text}: {written[name]}")
    if "capsule" in written:
        click.echo(f"  crash capsule: {written['capsule']} (arena reproduce shows it again)")
