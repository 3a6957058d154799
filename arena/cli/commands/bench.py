"""`arena bench`: how fast the arena is on this machine."""

import inspect
import platform
from dataclasses import asdict
from typing import Any

import click

from arena.bench import Bench, Row, bench_names, load_bench, run
from arena.cli import ArenaGroup
from arena.cli.common import echo_json, json_option


class _DiscoveredBenches(ArenaGroup):
    """A group with one command for each module of `arena/bench`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the benchmarks."""
        del ctx
        return bench_names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Make the command for one benchmark."""
        if cmd_name not in self.list_commands(ctx):
            return None
        bench = load_bench(cmd_name)

        def callback(repetitions: int, as_json: bool, **options: Any) -> None:
            _report(cmd_name, bench, as_json, repetitions, **options)

        repetitions = click.Option(
            ["--repetitions"],
            type=click.IntRange(min=1),
            default=bench.repetitions,
            show_default=True,
            help="Runs of each subject; the median counts.",
        )
        params: list[click.Parameter] = [repetitions, *bench.parameters]
        made = click.Command(cmd_name, callback=callback, params=params, help=inspect.cleandoc(bench.help))
        return json_option(made)


@click.command(cls=_DiscoveredBenches, invoke_without_command=True)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Measure how fast the arena is on this machine; without a name, all there is.

    \b
    Example:
      arena bench
      arena bench rules --json
    """
    if ctx.invoked_subcommand is None:
        for name in bench_names():
            _report(name, load_bench(name), as_json)


def _report(name: str, bench: Bench, as_json: bool, repetitions: int | None = None, **options: Any) -> None:
    """Print one benchmark: a table, or one JSON object on a line."""
    if not as_json:
        click.echo(bench.title)
    found: list[Row | str] = []
    for item in run(bench, repetitions, **options):
        found.append(item)
        if not as_json:
            click.echo(f"  {_text(item) if isinstance(item, Row) else item}")
    if as_json:
        machine = {"python": platform.python_version(), "machine": platform.machine()}
        rows = [asdict(item) for item in found if isinstance(item, Row)]
        notes = [item for item in found if isinstance(item, str)]
        echo_json({"bench": name, **machine, "rows": rows, "notes": notes})


def _text(found: Row) -> str:
    more = [f"{name} {value:.4g}" for name, value in found.details.items()]
    note = "  " + ", ".join([*more, found.note] if found.note else more)
    spread = f"{found.low:.4g} to {found.high:.4g} in {found.runs} runs"
    return f"{found.subject:<36}{found.median:>10.4g} {found.unit:<12} {spread}{note}".rstrip()
