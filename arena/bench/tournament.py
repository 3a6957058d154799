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
    """The bare referee and tournaments of each size, one after the other in each repetition."""
    count = workers or len(os.sched_getaffinity(0))
    yield f"{game}, {count} workers; load of this machine before: {os.getloadavg()[0]:.2f}"
    with compiled() as programs:
        if programs is None:
            yield NO_COMPILER
            return
        bots = programs.bots()
        subjects: dict[str, Callable[[int], Any]] = {
            "bare": lambda number: play(game, Way(workers=count), bots, seconds, number).matches_per_s
        }
        for size in matches or MATCHES:
            subjects[f"{size:,}"] = _tournament(programs, game, size, count)
        found = interleaved(subjects, repetitions)
    bare = found.pop("bare")
    yield row("bare referee", "matches/s", bare)
    for size_name, runs in found.items():
        yield from _rows(f"{size_name} matches", runs, bare)


def _tournament(programs: Programs, game: str, matches: int, workers: int) -> Callable[[int], Run]:
    def run(_number: int) -> Run:
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
            words = [folder, str(programs.any_reply), game, str(matches), str(workers)]
            command = [sys.executable, "-m", "arena.bench._tournament", *words]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            found: Run = json.loads(done.stdout)
            return found

    return run


def _rows(name: str, runs: list[Run], bare: list[float]) -> Iterator[Row]:
    rates = [run["matches"] / run["play"]["wall"] for run in runs]
    yield row(f"{name}: played", "matches/s", rates)
    shares = [100 * rate / alone for rate, alone in zip(rates, bare, strict=True)]
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
    in the same repetition. The parent's own CPU time a match and its peak of memory are shown for each size;
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
