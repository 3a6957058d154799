"""What a reply costs: the bare pipe, and the whole referee on top of it, in every way it can be run."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from arena.bench import Bench, Row, interleaved, row
from arena.bench._matches import Tally, Way, c_ping_pong, play, python_ping_pong
from arena.bench._programs import NO_COMPILER, Programs, compiled
from arena.bench._uci import uci_matches
from arena.bot import Bot
from arena.games import game_ids
from arena.sandbox import Caps
from arena.sandbox.choice import choose

ROUNDS = 20_000
"""Round trips of one ping-pong: a tenth of a second on one core."""
SECONDS = 0.3
"""How long one run of one game goes on: some hundreds of matches."""
RAW = "ping-pong C and C, one core"

Subject = Callable[[int], Tally]


class Run(NamedTuple):
    """One run, and what it is compared with: measured right before it, so that both had the same machine."""

    tally: Tally
    raw: Tally
    one_worker: Tally | None = None


def ways() -> Iterator[tuple[str, Way] | str]:
    """All the ways of playing that are compared, by name; remarks on what this machine cannot do."""
    cores = len(os.sched_getaffinity(0))
    yield "", Way()
    yield "unpinned", Way(pinned=False)
    yield "restarted", Way(keep=False)
    if cores > 1:
        yield f"{cores} workers", Way(workers=cores)
    else:
        yield "There is one core only, so nothing is said of several workers."
    yield "no ponder", Way(ponder=False)
    for kind in ("basic", "landlock", "bwrap"):
        try:
            yield f"sandbox {kind}", Way(sandbox=choose(kind, Caps()).sandbox)
        except ValueError as error:
            yield f"sandbox {kind} is left out: {error}"


def _ping_pongs(programs: Programs, rounds: int) -> dict[str, Subject]:
    cores = sorted(os.sched_getaffinity(0))
    pong, core = programs.ping_pong, cores[0]
    subjects: dict[str, Subject] = {RAW: _raw(programs, rounds)}
    if len(cores) > 1:
        across = (core, cores[1])
        subjects["ping-pong C and C, two cores"] = lambda _: c_ping_pong(pong, rounds // 5, across)
    subjects["ping-pong Python and C, one core"] = lambda _: python_ping_pong(pong, rounds, core)
    return subjects


def _raw(programs: Programs, rounds: int) -> Subject:
    core = min(os.sched_getaffinity(0))
    return lambda _: c_ping_pong(programs.ping_pong, rounds, (core, core))


def measure(
    repetitions: int,
    game: Sequence[str] = (),
    seconds: float = SECONDS,
    rounds: int = ROUNDS,
    uci_engine: Path | None = None,
) -> Iterator[Row | str]:
    """Ping-pongs, then every game in every way; one after the other in each repetition."""
    yield f"load of this machine before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores"
    with compiled() as programs:
        if programs is None:
            yield NO_COMPILER
            return
        bots = programs.bots()
        raw = _raw(programs, rounds)
        subjects = {name: _run(raw, subject) for name, subject in _ping_pongs(programs, rounds).items()}
        for found in ways():
            if isinstance(found, str):
                yield found
                continue
            name, way = found
            for each in game or game_ids():
                alone = _matches(each, Way(), bots, seconds) if way.workers > 1 else None
                played = _matches(each, way, bots, seconds)
                subjects[f"{each} {name}".rstrip()] = _run(raw, played, alone)
        if uci_engine is not None:
            subjects |= {name: _run(raw, each) for name, each in uci_matches(uci_engine).items()}
        for subject, runs in interleaved(subjects, repetitions).items():
            yield _row(subject, runs)
    yield f"load of this machine after: {os.getloadavg()[0]:.2f}"


def _matches(game: str, way: Way, bots: Sequence[Bot], seconds: float) -> Subject:
    return lambda number: play(game, way, bots, seconds, seed=number)


def _run(raw: Subject, subject: Subject, one_worker: Subject | None = None) -> Callable[[int], Run]:
    def run(number: int) -> Run:
        alone = one_worker(number) if one_worker is not None else None
        near = raw(number)
        return Run(subject(number), near, alone)

    return run


def _row(subject: str, runs: list[Run]) -> Row:
    """Wall time of a reply, and what else is known of it."""
    tallies = [run.tally for run in runs]
    details = {"CPU µs": [tally.cpu_us for tally in tallies]}
    if any(tally.bots_cpu_ns for tally in tallies):
        details["with bots'"] = [tally.all_cpu_us for tally in tallies]
        details["x raw CPU"] = [run.tally.all_cpu_us / run.raw.all_cpu_us for run in runs]
    details["x raw"] = [run.tally.wall_us / run.raw.wall_us for run in runs]
    details["replies/s"] = [1e6 / tally.wall_us for tally in tallies]
    if tallies[0].matches:
        details["matches/s"] = [tally.matches_per_s for tally in tallies]
    compared = [run.tally.matches_per_s / run.one_worker.matches_per_s for run in runs if run.one_worker]
    if compared:
        details["x one worker"] = compared
    return row(subject, "µs/reply", [tally.wall_us for tally in tallies], details=details)


BENCH = Bench(
    title="Referee: what a reply costs with bots that answer at once",
    help="""Time the referee between two trivial C bots, in microseconds of wall time a reply.

    First the floor: one line there and back through pipes between two C programs on one core ("raw") and on
    two, and between Python and C. Then whole matches of each game, handshake and record included: pinned to
    one core with processes kept, and unpinned, restarted for each match, with a worker on every core, with
    --no-ponder, and in each sandbox that works here. All of them take turns; medians are shown. "CPU µs" is
    the referee's own, "x raw" compares with a ping-pong on one core right before each run; on a busy machine
    "x raw CPU", which compares CPU times, bots included, is the figure to look at.

    With --uci-engine, c-chess-cli and fastchess are measured beside them when they are on the PATH.

    \b
    Example:
      arena bench referee
      arena bench referee --game gridlock --repetitions 11 --json
    """,
    measure=measure,
    repetitions=7,
    parameters=(
        click.Option(
            ["--game"],
            multiple=True,
            type=click.Choice(game_ids()),
            help="Only these games; may be repeated.",
        ),
        click.Option(
            ["--seconds"],
            type=click.FloatRange(min=0.001),
            default=SECONDS,
            show_default=True,
            help="How long each run plays.",
        ),
        click.Option(
            ["--rounds"],
            type=click.IntRange(min=5),
            default=ROUNDS,
            show_default=True,
            help="Round trips of each ping-pong.",
        ),
        click.Option(
            ["--uci-engine"],
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="A chess engine to measure c-chess-cli and fastchess with.",
        ),
    ),
)
