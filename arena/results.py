"""What is known of a finished match and of a tournament, as flat values that tables are made of."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from arena.game import P1, P2, Seat
from arena.games import load_game
from arena.record import Ply, Record, Unanswered
from arena.schedule import Job

BUCKETS_PER_OCTAVE = 4
"""Turn times are kept as a histogram with buckets 19 % wide: a quantile over any number of matches is then
right to within 10 %, for a few bytes a match."""


class SeatTimes(NamedTuple):
    """Time of one seat in one match, in microseconds; all zero when its bot completed no turn."""

    turns: int
    wall_us: int
    """All its turns together."""
    cpu_us: int
    p99_us: int
    max_us: int
    histogram: str
    """`bucket:turns` pairs joined by blanks; bucket b holds turns of 2^(b/4) to 2^((b+1)/4) microseconds."""


NO_TIMES = SeatTimes(0, 0, 0, 0, 0, "")


class MatchRow(NamedTuple):
    """One finished match; these are the columns of `matches.csv`."""

    tournament: str
    number: int
    """The job's number; unique within a tournament."""
    encounter: int
    game: str
    p1: str
    p2: str
    """Labels of the bots, `name@version`."""
    winner: str
    """`P1`, `P2`, or empty when neither counts as the winner (two withdrawn bots)."""
    reason: str
    forfeit: str
    """Code of the loser's fault, or empty."""
    doubtful: bool
    """A time loss where the machine may be to blame."""
    withdrawn: bool
    """Not played: the loser had been withdrawn before. Counts in the score, not in the ratings."""
    turns: int
    plies: int
    seed: int
    opening: int
    identity: str
    """Equal for matches that are copies of each other; see `identity`. Empty when nothing was played."""
    sandbox: str
    p1_turns: int
    p1_wall_us: int
    p1_cpu_us: int
    p1_p99_us: int
    p1_max_us: int
    p1_times: str
    p2_turns: int
    p2_wall_us: int
    p2_cpu_us: int
    p2_p99_us: int
    p2_max_us: int
    p2_times: str
    record: str
    """Where the record is: whatever the store uses to find it; empty when there is none."""

    @property
    def winner_label(self) -> str:
        """Label of the bot that won, or empty."""
        return {"P1": self.p1, "P2": self.p2}.get(self.winner, "")


def match_row(tournament: str, job: Job, record: Record, reference: str = "") -> MatchRow:
    """The row of a match that was played and decided; ValueError for a void one, which has no row."""
    if record.winner is None:
        raise ValueError(f"match {job.number} is void: it is played again and not counted")
    fault = record.fault
    turns = turn_times(record)
    times = seat_times(turns[P1]), seat_times(turns[P2])
    row = played_row(tournament, job, record.winner, record.reason, times)
    return row._replace(
        forfeit=fault.code if fault else "",
        doubtful=fault.doubtful if fault else False,
        turns=record.turns,
        plies=len(record.plies),
        identity=identity(record),
        sandbox=record.sandbox,
        record=reference,
    )


def walkover_row(tournament: str, job: Job, loser: Seat | None) -> MatchRow:
    """The row of a match that was not played because a bot was withdrawn; `loser` None when both were."""
    row = played_row(tournament, job, loser.other if loser else None, "withdrawn", (NO_TIMES, NO_TIMES))
    return row._replace(forfeit="withdrawn", withdrawn=True)


def played_row(
    tournament: str, job: Job, winner: Seat | None, reason: str, times: tuple[SeatTimes, SeatTimes]
) -> MatchRow:
    """The row of a decided match without its details: those are left empty."""
    p1, p2 = times
    return MatchRow(
        tournament=tournament,
        number=job.number,
        encounter=job.encounter,
        game=job.game,
        p1=job.bots[0],
        p2=job.bots[1],
        winner=str(winner) if winner else "",
        reason=reason,
        forfeit="",
        doubtful=False,
        withdrawn=False,
        turns=0,
        plies=0,
        seed=job.seed,
        opening=job.opening,
        identity="",
        sandbox="",
        p1_turns=p1.turns,
        p1_wall_us=p1.wall_us,
        p1_cpu_us=p1.cpu_us,
        p1_p99_us=p1.p99_us,
        p1_max_us=p1.max_us,
        p1_times=p1.histogram,
        p2_turns=p2.turns,
        p2_wall_us=p2.wall_us,
        p2_cpu_us=p2.cpu_us,
        p2_p99_us=p2.p99_us,
        p2_max_us=p2.max_us,
        p2_times=p2.histogram,
        record="",
    )


def identity(record: Record) -> str:
    """A hash that is equal for two copies of one match and for nothing else.

    Copies have the same game, options, first board, bots in the same seats, replies and end. The seed itself
    is left out on purpose: where nothing is drawn, deterministic bots play the same match on any seed.
    """
    start = load_game(record.game).start(dict(record.options), record.seed).board()
    end = (str(record.winner), record.reason, record.fault.code if record.fault else "")
    parts = (record.game, repr(record.options), start, *record.bots, *(p.reply for p in record.plies), *end)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def turn_times(record: Record) -> dict[Seat, list[tuple[int, int]]]:
    """Wall and CPU microseconds of each seat's turns, without the referee's plies and the handshake.

    The turn in which a match was forfeited or resigned counts like any other.
    """
    spent: tuple[Ply | Unanswered, ...] = record.plies
    if record.unanswered is not None and record.unanswered.prompt != "ready":
        spent = (*spent, record.unanswered)
    turns: dict[Seat, list[tuple[int, int]]] = {P1: [], P2: []}
    mover: Seat | None = None
    for ply in spent:
        if isinstance(ply, Ply) and ply.by != "bot":
            mover = mover if mover is ply.seat else None  # of the other seat, it parts two turns of this one
            continue
        own = turns[ply.seat]
        if mover is ply.seat:
            own[-1] = (own[-1][0] + ply.wall_us, own[-1][1] + ply.cpu_us)
        else:
            own.append((ply.wall_us, ply.cpu_us))
        mover = ply.seat
    return turns


def seat_times(times: list[tuple[int, int]]) -> SeatTimes:
    """Summary of a seat's turn times."""
    if not times:
        return NO_TIMES
    wall = sorted([wall for wall, _ in times])
    p99 = wall[math.ceil(0.99 * len(wall)) - 1]
    buckets: dict[int, int] = {}  # ascending, as the times are
    for bucket in map(_bucket, wall):
        buckets[bucket] = buckets.get(bucket, 0) + 1
    histogram = " ".join([f"{bucket}:{count}" for bucket, count in buckets.items()])
    return SeatTimes(len(wall), sum(wall), sum([cpu for _, cpu in times]), p99, wall[-1], histogram)


@lru_cache(maxsize=1024)
def _bucket(microseconds: int) -> int:
    return int(BUCKETS_PER_OCTAVE * math.log2(max(microseconds, 1)))


def quantile_us(histograms: Iterable[str], quantile: float) -> float:
    """A quantile of the turns in many histograms, in microseconds, interpolated; 0 without turns."""
    total: Counter[int] = Counter()
    for text, times in Counter(histograms).items():
        for pair in text.split():
            number, _, count = pair.partition(":")
            total[int(number)] += int(count) * times
    wanted = quantile * total.total()
    for bucket in sorted(total):
        if wanted <= total[bucket]:
            return float(2 ** ((bucket + wanted / total[bucket]) / BUCKETS_PER_OCTAVE))
        wanted -= total[bucket]
    return 0.0


@dataclass(frozen=True)
class BotInfo:
    """What a table says of a bot besides its results."""

    label: str
    language: str = ""
    author: str = ""
    source: str = ""

    @property
    def name(self) -> str:
        """The label without its version."""
        return self.label.rpartition("@")[0] or self.label

    @property
    def version(self) -> str:
        """The label's version, or empty."""
        return self.label.rpartition("@")[2] if "@" in self.label else ""


@dataclass(frozen=True, kw_only=True)
class TournamentInfo:
    """What the head and the foot of a report say of a tournament."""

    id: str
    name: str
    game: str
    options: tuple[tuple[str, str], ...] = ()
    seed: int
    format: str = "round-robin"
    champion: str = ""
    rounds: int = 1
    opening: int = 0
    limits: str = ""
    """The limits in words, such as `turn 1s, start 10s, 3 strikes`."""
    bots: tuple[BotInfo, ...]
    date: str = ""
    """When it began, ISO 8601 in UTC."""
    sandbox: str = "off"
    state: str = "complete"
    """`complete`, `stopped` or `running`."""
    jobs: int = 0
    """Matches planned; more than the rows when it was stopped."""
    withdrawn: tuple[str, ...] = ()
    """Labels of bots that were withdrawn after too many faults in a row."""
    voids: int = 0
    """Matches that failed through the arena's own fault and were played again or left out."""
    resume: str = ""
    """The command that plays what is missing; empty when nothing is."""
    reproduce: str = ""
    """The command that plays the same tournament again."""
    arena_version: str = ""


def short_names(labels: Sequence[str]) -> dict[str, str]:
    """What tables call each bot: its name, with the version only where two versions of one bot take part."""
    names = Counter(BotInfo(label).name for label in labels)
    return {label: BotInfo(label).name if names[BotInfo(label).name] == 1 else label for label in labels}
