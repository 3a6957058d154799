"""`arena check`: whether a bot keeps to the protocol."""

import sys
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import GAME, UserError, echo_json, json_option, marks
from arena.cli.names import complete_bot
from arena.cli.playing import DURATION, VOID, find_playing_bot, home_option
from arena.cli.sandboxing import caps_given, open_sandbox, sandbox_options
from arena.games import game_ids

if TYPE_CHECKING:
    from arena.check import Finding

_NAME_WIDTH = 34
"""`runner-barriers: few plies left as P1` is the only row that may stick out, and only when it fails."""


@click.command()
@click.argument("text", metavar="BOT", shell_complete=complete_bot)
@click.option(
    "--game", "games", type=GAME, multiple=True, metavar="GAME", help="Game to check; may be repeated."
)
@click.option("--turn-time", type=DURATION, default="1s", show_default=True, help="Time for each turn.")
@click.option(
    "--start-time", type=DURATION, default="10s", show_default=True, help="Time to start and say ready."
)
@sandbox_options
@home_option
@json_option
def command(text: str, games: tuple[Any, ...], as_json: bool, **asked: Any) -> None:
    """Check that a bot keeps to the protocol, and say what to do where it does not.

    It plays whole matches from both seats of each game, a second match in the same process, positions near
    the end and with a single reply, and matches with unknown words and other line ends; replies are timed.

    \b
    Examples:
      arena check ./mybot.py
      arena check "node bot.js" --game gridlock --json

    Exit status: 0 when everything passes, 1 when something fails, 3 when the bot could not be started at all,
    2 for wrong usage.
    """
    from arena.check import Check, Verdict
    from arena.match import VoidMatch

    bot = find_playing_bot(text, asked["home"])
    chosen = [game.id for game in games] or [game for game in game_ids() if bot.plays(game)]
    if not chosen:
        raise UserError(f"{bot.name} plays none of the games there are", f"there are {', '.join(game_ids())}")
    sandbox = open_sandbox(asked["sandbox"], caps_given(asked), quiet=as_json).sandbox
    check = Check(bot, chosen, sandbox, turn_ns=asked["turn_time"], start_ns=asked["start_time"])
    found = []
    try:
        for finding in check.findings():
            found.append(finding)
            if not as_json:
                _tell(finding)
    except VoidMatch as void:
        if as_json:
            echo_json({"bot": bot.label, "passed": False, "void": str(void), "findings": _as_data(found)})
        click.echo(f"arena: the check could not be finished: {void}", err=True)
        sys.exit(VOID)
    failures = sum(finding.verdict is Verdict.FAIL for finding in found)
    if as_json:
        echo_json({"bot": bot.label, "passed": not failures, "findings": _as_data(found)})
    elif failures:
        click.echo(f"\n{bot.label}: {failures} of {len(found)} checks failed")
    else:
        click.echo(f"\n{bot.label} passes all {len(found)} checks")
    sys.exit(1 if failures else 0)


def _as_data(found: "list[Finding]") -> list[dict[str, str]]:
    return [finding._asdict() for finding in found]


def _tell(finding: "Finding") -> None:
    signs = marks()
    sign = {"pass": signs.yes, "fail": signs.no, "note": "·"}[finding.verdict]
    click.echo(f"{sign} {finding.name:<{_NAME_WIDTH}} {finding.seen}")
    if finding.advice:
        click.echo(f"  {'':<{_NAME_WIDTH}} → {finding.advice}")
