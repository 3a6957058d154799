"""`arena show`: the record of a stored match."""

import time
from pathlib import Path

import click

from arena.cli.common import UserError, echo_json, json_option
from arena.cli.results import open_store, results_folder, results_options, tournament_id


@click.command()
@click.argument("match", metavar="MATCH")
@click.option("--watch", is_flag=True, help="Replay it board by board.")
@click.option(
    "--delay", type=click.FloatRange(0, 60), default=0.5, show_default=True, help="Seconds a board."
)
@click.option("--capsule", is_flag=True, help="Print the crash capsule of a forfeit, for 'arena reproduce'.")
@results_options
@json_option
def command(
    match: str,
    watch: bool,
    delay: float,
    capsule: bool,
    results: Path | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Print the record of a match: its number in the newest tournament, or ID:NUMBER.

    \b
    Example:
      arena show 17
      arena show my-cup:17 --watch
      arena show 17 --capsule > crash.capsule && arena reproduce crash.capsule
    """
    given, _, number = match.rpartition(":")
    if not number.isdecimal():
        raise UserError(f"{match!r} is not a match", "write its number, or TOURNAMENT:NUMBER")
    with open_store(results_folder(results, home)) as store:
        name = tournament_id(store, given or None)
        find = store.capsule if capsule else store.record
        text = find(name, int(number))
    if text is None:
        what = "crash capsule" if capsule else "record"
        raise UserError(
            f"{name} has no {what} of match {number}", "matches.csv of its report lists the matches"
        )
    if watch:
        _replay(text, delay)
    elif as_json:
        _print_json(text)
    else:
        click.echo(text, nl=not text.endswith("\n"))


def _replay(text: str, delay: float) -> None:
    from arena import record as records
    from arena.games import load_game

    record = records.read(text)
    position = load_game(record.game).start(dict(record.options), record.seed)
    click.echo(f"{record.bots[0]} (P1) against {record.bots[1]} (P2)\n\n{position.diagram()}")
    for ply in record.plies:
        time.sleep(delay)
        position = position.apply(ply.reply)
        remarks = "".join(f"\n  # {remark}" for remark in ply.remarks)
        click.echo(
            f"\n{ply.seat}> {ply.reply}   ({ply.wall_us / 1000:.1f} ms){remarks}\n{position.diagram()}"
        )
    end = record.fault.sentence if record.fault else record.reason
    click.echo(f"\n{record.winner or 'nobody'} wins: {end}")


def _print_json(text: str) -> None:
    from dataclasses import asdict

    from arena import record as records

    record = records.read(text)
    plain = {
        "options": dict(record.options),
        "plies": [ply._asdict() for ply in record.plies],
        "fault": record.fault and asdict(record.fault),
    }
    echo_json(record._asdict() | plain, indent=1)
