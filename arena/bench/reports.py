"""What ratings and a report cost, by the number of matches."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence

import click

from arena.bench import Bench, Row, interleaved, row

MATCHES = (1_000, 10_000, 100_000)

Run = dict[str, float]


def measure(repetitions: int, matches: Sequence[int] = MATCHES) -> Iterator[Row | str]:
    """Each size once in each repetition."""
    subjects = {f"{size:,}": _report(size) for size in matches or MATCHES}
    for name, runs in interleaved(subjects, repetitions).items():
        size = int(name.replace(",", ""))
        for part, what in (("ratings", "ratings and tables"), ("report", "the same and all files")):
            seconds = [run[part] for run in runs]
            each = {"µs a match": [1e6 * spent / size for spent in seconds]}
            yield row(f"{name} matches: {what}", "s of CPU", seconds, details=each)
        page = {"report.html MB": [run["page"] / 1e6 for run in runs]}
        yield row(f"{name} matches: peak of memory", "MB", [run["peak_mb"] for run in runs], details=page)


def _report(matches: int) -> Callable[[int], Run]:
    def run(_number: int) -> Run:
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
            command = [sys.executable, "-m", "arena.bench._report", folder, str(matches)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            found: Run = json.loads(done.stdout)
            return found

    return run


BENCH = Bench(
    title="Reports: ratings, tables and files of simulated tournaments",
    help="""Time ratings and the whole report for tournaments of several sizes, with the peak of memory.

    The matches are simulated, eight bots of known strength; each size has an interpreter of its own.

    \b
    Example:
      arena bench reports
      arena bench reports --matches 50000 --json
    """,
    measure=measure,
    repetitions=1,
    parameters=(
        click.Option(
            ["--matches"],
            multiple=True,
            type=click.IntRange(min=1),
            default=MATCHES,
            show_default=True,
            help="Size of a tournament; may be repeated.",
        ),
    ),
)
