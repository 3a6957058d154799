"""`arena doctor`: what this machine can do, and whether the sandbox holds."""

import sys
from typing import TYPE_CHECKING

import click

from arena.cli.common import UserError, echo_json, json_option, marks

if TYPE_CHECKING:
    from arena.doctor import Guarded, Machine


@click.command()
@click.option(
    "--sandbox",
    type=click.Choice(["auto", "bwrap", "landlock", "basic", "off"]),
    default="auto",
    show_default=True,
    help="The sandbox to try out; auto takes the strongest that works here.",
)
@json_option
def command(sandbox: str, as_json: bool) -> None:
    """Try out the sandbox, and say what this machine can do.

    An intruder is started where bots would run. It tries to read the results and an opponent's files, to
    write to the system, to fill the disk, to reach the network, to see and to signal other processes, to fork
    and to take memory past the limits, and to stay. Then come the languages that bots can be written in here,
    and a few figures.

    \b
    Exit status: 0 when ranked play with strangers' bots is safe here, 1 when it is not, 2 for wrong usage.

    \b
    Example:
      arena doctor
      arena doctor --json
    """
    from arena.doctor import control_groups, guarded, measure, safe, toolchains

    found = []
    try:
        for each in guarded(sandbox):
            found.append(each)
            if not as_json:
                _tell(each)
        machine = measure(sandbox)
    except BrokenPipeError:
        raise  # nobody reads on, which says nothing of the sandbox
    except (ValueError, OSError) as error:
        raise UserError(f"the sandbox {sandbox} cannot be tried out: {error}") from None
    languages = toolchains()
    if as_json:
        echo_json({**_as_data(found, languages, machine), "cgroup": control_groups()})
    else:
        _tell_machine(languages, machine)
        click.echo(f"cgroup: {control_groups()}")
        verdict = "safe" if safe(found) else "NOT safe"
        click.echo(f"\nranked play with strangers' bots is {verdict} on this machine")
    sys.exit(0 if safe(found) else 1)


def _tell(each: "Guarded") -> None:
    sign = marks().yes if each.by else marks().no
    click.echo(f"{sign} {each.what:<28} {each.sentence}")


def _tell_machine(languages: dict[str, str], machine: "Machine") -> None:
    here = [name for name, path in languages.items() if path]
    missing = [name for name, path in languages.items() if not path]
    click.echo(f"\nlanguages: {', '.join(here)}")
    if missing:
        click.echo(f"not here: {', '.join(missing)}")
    click.echo(f"cores: {machine.cores}; clock: steps of {machine.clock_ns} ns")
    click.echo(
        f"round trip through pipes: {machine.round_trip_us:.0f} µs, in the sandbox "
        f"{machine.round_trip_inside_us:.0f} µs"
    )
    click.echo(
        f"start of a program: {machine.start_ms:.1f} ms, in the sandbox {machine.start_inside_ms:.1f} ms"
    )


def _as_data(found: "list[Guarded]", languages: dict[str, str], machine: "Machine") -> dict[str, object]:
    from dataclasses import asdict

    from arena.doctor import safe

    return {
        "safe": safe(found),
        "guarded": [
            {"what": each.what, "protected": bool(each.by), "by": each.by, "advice": each.advice}
            for each in found
        ],
        "languages": languages,
        "machine": asdict(machine),
    }
