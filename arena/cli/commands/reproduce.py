"""`arena reproduce`: a crash capsule played again."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import UserError, echo_json, json_option
from arena.cli.names import complete_bot
from arena.cli.playing import VOID, find_playing_bot, home_option
from arena.cli.sandboxing import caps_given, open_sandbox, sandbox_options

if TYPE_CHECKING:
    from arena.capsule import Capsule
    from arena.reproduce import Ending, Step

_SHOWN = 160


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--bot",
    metavar="BOT",
    shell_complete=complete_bot,
    help="Bot to try instead: a mended version, or where it is now.",
)
@sandbox_options
@home_option
@json_option
def command(file: Path, bot: str | None, as_json: bool, **asked: Any) -> None:
    """Send a bot the same bytes as in the match it lost by a fault, and show where it goes wrong.

    FILE is a crash capsule; matches leave them in results/capsules. Lines are shown with `>` for what the bot
    is sent, `<` for what it says now, and `was` where that differs from what it said in the match.

    \b
    Examples:
      arena reproduce results/capsules/gridlock-mybot-crash-8134.json
      arena reproduce capsule.json --bot ./mybot.py --json

    Exit status: 1 when it goes wrong again (no reply, the end of the process, or the same refused line), 0
    when it does not, 3 when the bot could not be started, 2 for wrong usage.
    """
    from arena.capsule import CapsuleError
    from arena.capsule_file import load
    from arena.reproduce import Reproduction

    try:
        capsule = load(file)
    except CapsuleError as error:
        raise UserError(str(error), "crash capsules are in results/capsules") from None
    found = find_playing_bot(
        bot or capsule.bot, asked["home"], "say where it is now, for example --bot ./mybot.py"
    )
    sandbox = open_sandbox(asked["sandbox"], caps_given(asked), quiet=as_json).sandbox
    again = Reproduction(capsule, found, sandbox)
    if not as_json:
        _introduce(capsule)
    steps = []
    try:
        for step in again.steps():
            steps.append(step)
            if not as_json:
                _tell(step)
    except OSError as error:
        click.echo(f"arena: {found.name} could not be started: {error}", err=True)
        sys.exit(VOID)
    wrong = goes_wrong(capsule, steps)
    if as_json:
        echo_json(_as_data(capsule, steps, again.ending, wrong))
    else:
        _conclude(capsule, steps, again.ending, wrong)
    sys.exit(1 if wrong else 0)


def goes_wrong(capsule: "Capsule", steps: "list[Step]") -> bool:
    """Whether the fault is there again: silence, an end, or the line that was refused."""
    from arena.reproduce import Now
    from arena.wire import shown

    if not steps or steps[-1].verdict in (Now.SILENT, Now.ENDED, Now.TOO_LONG):
        return True
    last = steps[-1].now
    return capsule.received is not None and bool(last) and shown(last[-1]) == capsule.received


def _introduce(capsule: "Capsule") -> None:
    click.echo(
        f"{capsule.bot} as {capsule.seat} against {capsule.opponent}, {capsule.game}, seed {capsule.seed}"
    )
    click.echo(f"then: {capsule.sentence}\n")
    if capsule.omitted:
        click.echo(
            f"{capsule.omitted} lines in the middle of the match were not kept: it may get out of step\n"
        )


def _tell(step: "Step") -> None:
    from arena.reproduce import Now
    from arena.wire import shown

    for line in step.sent.removesuffix(b"\n").split(b"\n"):
        click.echo(f"> {shown(line, _SHOWN)}")
    for number, line in enumerate(step.now):
        before = step.then[number] if number < len(step.then) else None
        was = "" if before == line else f"   (was: {'nothing' if before is None else shown(before)})"
        click.echo(f"< {shown(line, _SHOWN)}{was}")
    if step.verdict not in (Now.SAME, Now.DIFFERENT):
        click.echo(f"  {step.verdict}: {step.detail}")
    then = f"{step.then_us / 1000:.1f} ms then" if step.then else "nothing came then"
    click.echo(f"  {step.now_us / 1000:.1f} ms now, {then}")


def _conclude(capsule: "Capsule", steps: "list[Step]", ending: "Ending", wrong: bool) -> None:
    from arena.reproduce import Now
    from arena.wire import shown

    different = next((n for n, step in enumerate(steps, 1) if step.verdict is Now.DIFFERENT), None)
    click.echo("")
    if different is not None:
        click.echo(
            f"first difference at prompt {different} of {len(steps)}: from there on the bytes may not fit"
        )
    if ending.exit_status:
        click.echo(f"the process ended: {ending.exit_status}")
    if ending.stderr.strip():
        click.echo("stderr:")
        for line in ending.stderr.strip().splitlines()[-12:]:
            click.echo(f"  {shown(line.encode(), _SHOWN)}")
    click.echo(f"it goes wrong again: {capsule.code}" if wrong else "this time it does not go wrong")


def _as_data(capsule: "Capsule", steps: "list[Step]", ending: "Ending", wrong: bool) -> dict[str, Any]:
    return {
        "bot": capsule.bot,
        "code": capsule.code,
        "sentence": capsule.sentence,
        "wrong_again": wrong,
        "exit_status": ending.exit_status,
        "stderr": ending.stderr,
        "steps": [
            {
                "sent": step.sent.decode("latin-1"),
                "then": [line.decode("latin-1") for line in step.then],
                "now": [line.decode("latin-1") for line in step.now],
                "verdict": step.verdict,
                "then_us": step.then_us,
                "now_us": step.now_us,
                "detail": step.detail,
            }
            for step in steps
        ],
    }
