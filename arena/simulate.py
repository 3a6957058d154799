"""Simulated tournaments: real games with random replies, between bots whose strength is known.

For benchmarks, for tests, and to look at a report without waiting for one. Everything comes from the seed.
"""

import math
import random
from collections.abc import Iterator, Sequence

from arena.game import P1, P2, Position, Seat
from arena.games import load_game
from arena.openings import draw
from arena.record import Fault, Ply, Record, Unanswered
from arena.results import BotInfo, MatchRow, SeatTimes, TournamentInfo, match_row, played_row
from arena.schedule import Job, Plan, round_robin

_TRIES = 12
"""Playouts of which the first with the drawn winner is taken; the last one stands whoever won it."""

_NAMES = (
    "random",
    "greedy",
    "pathfinder",
    "mcts",
    "alphabeta",
    "perfect",
    "<script>alert(1)</script>",
    "[b]old[/b]",
)
_LANGUAGES = ("Python", "C", "Rust", "JavaScript", "Java", "Go")


def simulated_info(plan: Plan, bots: int) -> TournamentInfo:
    """A tournament of so many made-up bots, the weakest first."""
    names = [*_NAMES, *(f"student-{n:02}" for n in range(bots))][:bots]
    return TournamentInfo(
        id=f"simulated-{plan.game}-{plan.seed}",
        name=f"Simulated {plan.game}",
        game=plan.game,
        options=plan.options,
        seed=plan.seed,
        rounds=plan.rounds,
        opening=plan.opening,
        limits="turn 1s, start 10s, 3 strikes",
        bots=tuple(
            BotInfo(f"{name}@{n:012x}", _LANGUAGES[n % len(_LANGUAGES)], f"Author {n}", "bundled")
            for n, name in enumerate(names, 0xA1)
        ),
        date="2026-01-31T12:00:00Z",
        sandbox="bwrap",
        jobs=bots * (bots - 1) * plan.rounds,
        reproduce=f"arena tournament --game {plan.game} --seed {plan.seed}",
        arena_version="simulated",
    )


def simulated_matches(plan: Plan, info: TournamentInfo, step: float = 0.6) -> Iterator[tuple[Job, Record]]:
    """A round robin; each bot is `step` logits stronger than the one before it."""
    strength = {bot.label: step * place for place, bot in enumerate(info.bots)}
    for job in round_robin(strength, plan):
        source = random.Random(f"simulated {plan.seed} {job.number}")
        edge = strength[job.bots[0]] - strength[job.bots[1]]
        wanted = P1 if source.random() < 1 / (1 + math.exp(-edge)) else P1.other
        yield job, simulated_record(job, wanted, source)


def simulated_rows(plan: Plan, info: TournamentInfo) -> Iterator[MatchRow]:
    """The rows of `simulated_matches`."""
    return (
        match_row(info.id, job, record, f"{info.id}/{job.number}")
        for job, record in simulated_matches(plan, info)
    )


def simulated_record(job: Job, wanted: Seat, source: random.Random) -> Record:
    """One match; about one in twenty is forfeited, and then by the seat that was to lose anyway."""
    start = load_game(job.game).start(dict(job.options), job.seed)
    opening = draw(start, job.opening, job.seed)
    fault_at = source.randrange(4, 30) if source.random() < 0.05 else None
    for _ in range(_TRIES):
        plies, last = _playout(opening.position, wanted.other, fault_at, source)
        if last.outcome is None or last.outcome.winner is wanted:
            break
    fault, unanswered, winner, reason = None, None, wanted, "timeout"
    if last.outcome is not None:
        winner, reason = last.outcome
    else:
        fault, unanswered = _forfeit(last, source)
        reason = fault.code
    return Record(
        game=job.game,
        options=job.options,
        seed=job.seed,
        bots=job.bots,
        limits="turn=1000 start=10000 strikes=3",
        plies=(*opening.plies, *plies),
        winner=winner,
        reason=reason,
        turns=last.turns,
        board=last.board(),
        opening=job.opening,
        date="2026-01-31T12:00:00Z",
        sandbox="bwrap",
        fault=fault,
        unanswered=unanswered,
    )


def _playout(
    position: Position, loser: Seat, fault_at: int | None, source: random.Random
) -> tuple[list[Ply], Position]:
    """Random replies to the end, or until `loser` is asked for its ply after `fault_at` plies."""
    plies: list[Ply] = []
    while (seat := position.seat) is not None:
        if fault_at is not None and len(plies) >= fault_at and seat is loser:
            break
        forced = position.automatic
        available = position.available()
        reply = forced or source.choice(available)
        ply = Ply(seat, position.prompt or "", reply, by="automatic" if forced else "bot")
        plies.append(ply if forced else _with_notes(ply, len(available), source))
        position = position.apply(reply)
    return plies, position


def _with_notes(ply: Ply, choices: int, source: random.Random) -> Ply:
    """Times, now and then a remark, and seldom a refused reply."""
    wall = int(source.lognormvariate(8.5 if ply.seat is P1 else 7.5, 1.0))
    remarks = (f"{choices} replies, score {source.gauss(0, 1):+.2f}",) if source.random() < 0.15 else ()
    refused = (("9 9 9", "malformed", "9 9 9 is not in the notation"),) if source.random() < 0.01 else ()
    return ply._replace(
        wall_us=wall, cpu_us=int(wall * source.uniform(0.7, 1)), remarks=remarks, refused=refused
    )


def _forfeit(last: Position, source: random.Random) -> tuple[Fault, Unanswered]:
    seat = last.seat
    assert seat is not None
    doubtful = source.random() < 0.2
    if source.random() < 0.6:
        sentence = "no complete line arrived in 1.01 s: did you forget to flush?"
        fault = Fault(seat, "timeout", sentence, doubtful=doubtful)
        return fault, Unanswered(seat, last.prompt or "", 1_010_000, 3_000 if doubtful else 990_000)
    traceback = "Traceback (most recent call last):\nIndexError: list index out of range"
    fault = Fault(seat, "crash", "the process ended with exit 1", stderr=traceback, exit_status="exit 1")
    return fault, Unanswered(seat, last.prompt or "", 5_000, 4_000)


def simulated_results(
    info: TournamentInfo, strengths: Sequence[float], matches: int, seed: int
) -> Iterator[MatchRow]:
    """Rows alone, without any game behind them: quick enough for 100,000 of them."""
    source = random.Random(seed)
    labels = [bot.label for bot in info.bots]
    for number in range(1, matches + 1):
        one, other = source.sample(range(len(labels)), 2)
        first = source.random() < 1 / (1 + math.exp(strengths[other] - strengths[one]))
        turns = source.randrange(8, 60)
        job = Job(number, (number + 1) // 2, info.game, (), number, 0, (labels[one], labels[other]))
        times = SeatTimes(
            turns // 2, turns * 900, turns * 700, 2_000, 2_100, f"39:{turns // 4} 43:{turns // 4}"
        )
        row = played_row(info.id, job, P1 if first else P2, "arrival", (times, times))
        yield row._replace(turns=turns, plies=2 * turns, identity=f"{number:016x}", sandbox=info.sandbox)
