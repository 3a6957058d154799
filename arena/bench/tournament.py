"""What a tournament adds to the bare referee: schedule, store, log and report."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from arena.bench import Bench, Row, interleaved, row
from arena.bench._matches import Way, play
from arena.bench._programs import NO_COMPILER, Programs, compiled
from arena.games import game_ids

MATCHES = (1_000, 10_000)
"""Sizes of tournaments: what one match costs must not depend on them. A user may ask for 100,000."""
SECONDS = 0.5
"""How long the bare referee plays in each run."""
GAME = "blockade"
"""The quickest of the games, so that what a tournament adds shows most."""

Run = dict[str, Any]


def measure(
    repetitions: int,
    game: str = GAME,
    matches: Sequence[int] = MATCHES,
    workers: int | None = None,
    seconds: float = SECONDS,
) -> Iterator[Row | str]:
    """Tournaments of each size, each right after the bare referee; one after the other in each repetition."""
    count = workers or len(os.sched_getaffinity(0))
    yield f"{game}, {count} workers; load of this machine before: {os.getloadavg()[0]:.2f}"
    with compiled() as programs:
        if programs is None:
            yield NO_COMPILER
            return
        subjects = {
            f"{size:,} matches": _tournament(programs, game, size, count, seconds)
            for size in matches or MATCHES
        }
        found = interleaved(subjects, repetitions)
    yield row("bare referee", "matches/s", [run["bare"] for runs in found.values() for run in runs])
    for name, runs in found.items():
        yield from _rows(name, runs)


def _tournament(
    programs: Programs, game: str, matches: int, workers: int, seconds: float
) -> Callable[[int], Run]:
    """One tournament, with the matches a second of the bare referee right before it."""

    def run(number: int) -> Run:
        bare = play(game, Way(workers=workers), programs.bots(), seconds, number).matches_per_s
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
            words = [folder, str(programs.any_reply), game, str(matches), str(workers)]
            command = [sys.executable, "-m", "arena.bench._tournament", *words]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            return {"bare": bare, **json.loads(done.stdout)}

    return run


def _rows(name: str, runs: list[Run]) -> Iterator[Row]:
    rates = [run["matches"] / run["play"]["wall"] for run in runs]
    yield row(f"{name}: played", "matches/s", rates)
    shares = [100 * rate / run["bare"] for rate, run in zip(rates, runs, strict=True)]
    yield row(f"{name}: share of the bare", "%", shares)
    for part, what in (
        ("set_up", "schedule and jobs"),
        ("play", "parent: store and log"),
        ("report", "report"),
    ):
        spent = [run[part]["cpu"] / run["matches"] * 1e6 for run in runs]
        yield row(f"{name}: {what}", "CPU µs/match", spent)
    yield row(
        f"{name}: peak of the parent",
        "MB",
        [run["memory"]["report"] for run in runs],
        details={"before the report": [run["memory"]["played"] for run in runs]},
    )


BENCH = Bench(
    title="Tournament: what it adds to the bare referee",
    help="""Play whole tournaments between four trivial C bots, store, log and report included.

    "Share of the bare" compares matches a second with those of as many referees that store nothing, measured
    right before. The parent's own CPU time a match and its peak of memory are shown for each size;
    the cost of a match should not depend on it.

    \b
    Example:
      arena bench tournament
      arena bench tournament --matches 1000 --matches 100000 --repetitions 1 --json
    """,
    measure=measure,
    repetitions=3,
    parameters=(
        click.Option(
            ["--game"], type=click.Choice(game_ids()), default=GAME, show_default=True, help="What is played."
        ),
        click.Option(
            ["--matches"],
            multiple=True,
            type=click.IntRange(min=1),
            default=MATCHES,
            show_default=True,
            help="Size of a tournament, rounded up to whole rounds; may be repeated.",
        ),
        click.Option(["--workers"], type=click.IntRange(min=1), help="[default: one for each core]"),
        click.Option(
            ["--seconds"],
            type=click.FloatRange(min=0.001),
            default=SECONDS,
            show_default=True,
            help="How long the bare referee plays in each run.",
        ),
    ),
)
