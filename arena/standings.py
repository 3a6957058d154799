"""Standings: the rows of a tournament's matches become tables. Pure functions over plain values."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena import bradley_terry, ratings
from arena.bradley_terry import Estimate, Fit
from arena.results import BotInfo, MatchRow, TournamentInfo, quantile_us

_CHUNK = 10_000
"""Rows that are turned into columns at a time: 100,000 tuples would cost several times the table."""

_CATEGORIES = ("tournament", "game", "p1", "p2", "winner", "reason", "forfeit", "sandbox")

Counts = NDArray[np.int64]


def matches_frame(rows: Iterable[MatchRow]) -> pd.DataFrame:
    """The matches as a table in order of number, with a column `counted`: whether the ratings use the match.

    Not counted are walkovers and every copy of an earlier match. Rows are taken in chunks, so a generator of
    any length costs little more than the table.
    """
    frame = _columns(rows)
    if not frame["number"].is_monotonic_increasing:
        frame = frame.sort_values("number", kind="stable", ignore_index=True)
    played = (frame["winner"] != "") & ~frame["withdrawn"]
    frame["identical"] = played & (frame["identity"] != "") & frame["identity"].where(played).duplicated()
    frame["counted"] = played & ~frame["identical"]
    return frame


def _columns(rows: Iterable[MatchRow]) -> pd.DataFrame:
    """The table, filled a chunk at a time with numbers and codes: no more than a chunk is there as tuples."""
    source = iter(rows)
    pieces: dict[str, list[Any]] = {name: [] for name in MatchRow._fields}
    codes: dict[str, dict[str, int]] = {name: {} for name in _CATEGORIES}
    while chunk := list(islice(source, _CHUNK)):
        for name, column in zip(MatchRow._fields, zip(*chunk, strict=True), strict=True):
            if name in codes:
                known = codes[name]
                pieces[name].append(
                    np.array([known.setdefault(v, len(known)) for v in column], dtype=np.int32)
                )
            elif MatchRow.__annotations__[name] is str:
                pieces[name].append(pd.array(column, dtype="str"))
            else:
                pieces[name].append(np.array(column, dtype=MatchRow.__annotations__[name]))
    return pd.DataFrame({name: _joined(name, parts, codes.get(name)) for name, parts in pieces.items()})


def _joined(name: str, parts: list[Any], codes: dict[str, int] | None) -> "pd.Series[Any]":
    if codes is not None:
        numbers = np.concatenate(parts) if parts else np.array([], dtype=np.int32)
        return pd.Series(pd.Categorical.from_codes(numbers, categories=pd.Index(list(codes), dtype="str")))
    if parts:
        return pd.concat([pd.Series(part) for part in parts], ignore_index=True)
    return pd.Series([], dtype=MatchRow.__annotations__[name])


@dataclass(frozen=True)
class GameFacts:
    """What the matches say about the game rather than about the bots."""

    matches: int
    played: int
    """Without walkovers."""
    counted: int
    """Matches that the ratings use."""
    identical: int
    """Copies of an earlier match."""
    withdrawn: int
    """Walkovers."""
    doubtful: int
    """Time losses where the machine may be to blame."""
    first_seat: Estimate
    """Share of the played matches that P1 won, with Wilson's interval."""
    first_seat_equal: Estimate
    """How often P1 wins between equal bots, by the Bradley-Terry fit."""
    ends: tuple[tuple[str, bool, int], ...]
    """How matches ended, most frequent first: reason, whether it is a forfeit, matches."""
    lengths: tuple[tuple[int, int, int], ...]
    """Turns of the played matches as a histogram: from, to (inclusive), matches."""
    length: tuple[float, float, float, float, float]
    """Shortest, lower decile, median, upper decile, longest match in turns."""


@dataclass(frozen=True)
class Standings:
    """All tables of one tournament. Arrays are in the order of `labels`, which is that of the standings."""

    info: TournamentInfo
    matches: pd.DataFrame
    table: pd.DataFrame
    """One row a bot, best first; the columns of `standings.csv`."""
    labels: tuple[str, ...]
    won_as_p1: Counts
    """[a, b]: matches that a won in P1 against b, copies and walkovers included."""
    won_as_p2: Counts
    fit: Fit
    history: ratings.History
    facts: GameFacts

    @cached_property
    def won(self) -> Counts:
        """The crosstable: [a, b] is how often a beat b."""
        return self.won_as_p1 + self.won_as_p2

    def records(self) -> list[dict[str, Any]]:
        """The rows of `table` as plain values, best first."""
        return plain_rows(self.table)

    def crosstable(self) -> pd.DataFrame:
        """Wins of the row's bot against the column's."""
        return pd.DataFrame(self.won, index=list(self.labels), columns=list(self.labels))


def plain_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table whose columns have names."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def standings(info: TournamentInfo, rows: Iterable[MatchRow]) -> Standings:
    """Everything the reports show, from the rows of the finished matches."""
    frame = matches_frame(rows)
    entered = list(dict.fromkeys([bot.label for bot in info.bots] + _bots_met(frame)))
    seats = frame[["p1", "p2", "winner"]]
    counted = _with_indices(seats[frame["counted"]], entered)
    rated = ratings.rate(*_winners_losers(counted), len(entered), seed=info.seed)
    order = sorted(range(len(entered)), key=lambda bot: (-rated[bot].mu, entered[bot]))
    labels = tuple(entered[bot] for bot in order)
    decided = _with_indices(seats[seats["winner"] != ""], labels)
    fresh = _with_indices(seats[frame["counted"]], labels)
    fit = bradley_terry.fit(*_wins_by_seat(fresh, len(labels)))
    as_p1, as_p2 = _wins_by_seat(decided, len(labels))
    final = [rated[bot] for bot in order]
    table = _table(info, frame, labels, final, fit, (as_p1, as_p2))
    history = ratings.history(*_winners_losers(fresh), len(labels))
    return Standings(info, frame, table, labels, as_p1, as_p2, fit, history, _facts(frame, fit))


def _bots_met(frame: pd.DataFrame) -> list[str]:
    return sorted({str(label) for seat in ("p1", "p2") for label in frame[seat].unique()})


def _with_indices(frame: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    place = {label: number for number, label in enumerate(labels)}
    return pd.DataFrame(
        {
            "p1": frame["p1"].map(place).astype("int64"),
            "p2": frame["p2"].map(place).astype("int64"),
            "first": (frame["winner"] == "P1").astype("bool"),
        }
    )


def _winners_losers(indexed: pd.DataFrame) -> tuple[Counts, Counts]:
    first = indexed["first"].to_numpy()
    p1, p2 = indexed["p1"].to_numpy(), indexed["p2"].to_numpy()
    return np.where(first, p1, p2), np.where(first, p2, p1)


def _wins_by_seat(indexed: pd.DataFrame, bots: int) -> tuple[Counts, Counts]:
    """[a, b]: how often a beat b, sitting in P1; and sitting in P2."""
    as_p1, as_p2 = np.zeros((bots, bots), dtype=np.int64), np.zeros((bots, bots), dtype=np.int64)
    won = indexed[indexed["first"]]
    lost = indexed[~indexed["first"]]
    np.add.at(as_p1, (won["p1"].to_numpy(), won["p2"].to_numpy()), 1)
    np.add.at(as_p2, (lost["p2"].to_numpy(), lost["p1"].to_numpy()), 1)
    return as_p1, as_p2


def _table(
    info: TournamentInfo,
    frame: pd.DataFrame,
    labels: Sequence[str],
    rated: Sequence[ratings.Rating],
    fit: Fit,
    wins: tuple[Counts, Counts],
) -> pd.DataFrame:
    ranks = ratings.shared_ranks([(rating.low, rating.high) for rating in rated])
    shared = Counter(ranks)
    known = {bot.label: bot for bot in info.bots}
    as_p1, as_p2 = wins
    habits = _faults_and_times(frame, labels)
    rows = []
    for place, (label, rating) in enumerate(zip(labels, rated, strict=True)):
        bot = known.get(label, BotInfo(label))
        elo = fit.elo(place)
        rows.append(
            {
                "rank": ranks[place],
                "tied": shared[ranks[place]] > 1,
                "bot": label,
                "name": bot.name,
                "version": bot.version,
                "language": bot.language,
                "author": bot.author,
                "rating": rating.mu,
                "sigma": rating.sigma,
                "conservative": rating.conservative,
                "low": rating.low,
                "high": rating.high,
                "order_spread": rating.order_spread,
                "order_range": rating.order_range,
                "rated_matches": rating.matches,
                **_score(as_p1, as_p2, place),
                **habits[place],
                "elo": elo.value,
                "elo_low": elo.low,
                "elo_high": elo.high,
                "withdrawn": label in info.withdrawn,
            }
        )
    return pd.DataFrame(rows)


def _score(as_p1: Counts, as_p2: Counts, bot: int) -> dict[str, float]:
    won = {"p1": int(as_p1[bot].sum()), "p2": int(as_p2[bot].sum())}
    lost = {"p1": int(as_p2[:, bot].sum()), "p2": int(as_p1[:, bot].sum())}
    played = sum(won.values()) + sum(lost.values())
    return {
        "played": played,
        "won": sum(won.values()),
        "lost": sum(lost.values()),
        "score": sum(won.values()) / played if played else 0.0,
        "p1_won": won["p1"],
        "p1_lost": lost["p1"],
        "p2_won": won["p2"],
        "p2_lost": lost["p2"],
    }


def _faults_and_times(frame: pd.DataFrame, labels: Sequence[str]) -> list[dict[str, Any]]:
    """Forfeits by reason and the use of time of each bot; microseconds of wall time per turn."""
    place_of = {label: place for place, label in enumerate(labels)}
    both = [_side(frame, place_of, "p1", "P2"), _side(frame, place_of, "p2", "P1")]
    sides = pd.concat(both, ignore_index=True)
    by_bot = sides.groupby("bot")
    sums = by_bot[["doubtful", "turns", "wall_us", "cpu_us"]].sum().astype("int64").T.to_dict("list")
    longest = by_bot["max_us"].max().to_dict()
    p99 = {bot: quantile_us(times, 0.99) for bot, times in by_bot["times"]}
    faulty = sides[sides["forfeit"] != ""]
    codes = {bot: Counter(forfeits) for bot, forfeits in faulty.groupby("bot")["forfeit"]}
    found = []
    for place in range(len(labels)):
        doubtful, turns, wall, cpu = sums.get(place, (0, 0, 0, 0))
        faults: Counter[str] = codes.get(place, Counter())
        slowest = int(longest.get(place, 0))
        row = {
            "forfeits": faults.total(),
            "forfeits_by_reason": " ".join(f"{code}:{count}" for code, count in faults.most_common()),
            "doubtful": doubtful,
            "turns": turns,
            "mean_us": wall / turns if turns else 0.0,
            "p99_us": min(p99.get(place, 0.0), float(slowest)),
            "max_us": slowest,
            "cpu_share": cpu / wall if wall else 0.0,
        }
        found.append(row)
    return found


def _side(frame: pd.DataFrame, place_of: dict[str, int], seat: str, other: str) -> pd.DataFrame:
    """What the bots in one seat did, a row a match; a forfeit is theirs when the other seat won."""
    lost = frame["winner"] == other
    names = ("turns", "wall_us", "cpu_us", "max_us", "times")
    return pd.DataFrame(
        {
            "bot": frame[seat].map(place_of).astype("int64"),
            "forfeit": frame["forfeit"].astype("str").where(lost, ""),
            "doubtful": frame["doubtful"] & lost,
            **{name: frame[f"{seat}_{name}"] for name in names},
        }
    )


def _facts(frame: pd.DataFrame, fit: Fit) -> GameFacts:
    decided = frame.loc[frame["winner"] != "", ["winner", "withdrawn", "reason", "forfeit", "turns"]]
    played = decided[~decided["withdrawn"]]
    ends = Counter(zip(decided["reason"].astype(str), decided["forfeit"] != "", strict=True))
    turns = played["turns"].to_numpy()
    deciles = np.quantile(turns, (0, 0.1, 0.5, 0.9, 1)) if len(turns) else np.zeros(5)
    return GameFacts(
        matches=len(frame),
        played=len(played),
        counted=int(frame["counted"].sum()),
        identical=int(frame["identical"].sum()),
        withdrawn=int(frame["withdrawn"].sum()),
        doubtful=int(frame["doubtful"].sum()),
        first_seat=bradley_terry.wilson(int((played["winner"] == "P1").sum()), len(played)),
        first_seat_equal=fit.first_seat_score(),
        ends=tuple((reason, bool(fault), count) for (reason, fault), count in ends.most_common()),
        lengths=_histogram(turns),
        length=(*(float(value) for value in deciles),),  # type: ignore[arg-type]  # five by construction
    )


def _histogram(turns: Counts, bars: int = 24) -> tuple[tuple[int, int, int], ...]:
    """At most so many bars of equal whole width, the empty ones between included."""
    if not len(turns):
        return ()
    low, high = int(turns.min()), int(turns.max())
    width = (high - low) // bars + 1
    counts = np.bincount((turns - low) // width)
    return tuple((low + n * width, low + (n + 1) * width - 1, int(count)) for n, count in enumerate(counts))


def overall(tournaments: Sequence[Standings]) -> pd.DataFrame:
    """One table for several games, best first, with each bot's conservative rating in every game.

    The overall rating is the mean of these; a game that a bot did not play counts 0, the conservative rating
    of a bot that nothing is known of. So an all-rounder is a bot that is surely good everywhere, and leaving
    a game out is no way to the top.
    """
    games = [one.info.game for one in tournaments]
    known = [one.table.set_index("bot") for one in tournaments]
    rows = []
    for bot in sorted({bot for table in known for bot in table.index}):
        entered = [
            (game, table.loc[bot]) for game, table in zip(games, known, strict=True) if bot in table.index
        ]
        ratings_of = {game: float(line["conservative"]) for game, line in entered}
        row: dict[str, Any] = {
            "bot": bot,
            "rating": sum(ratings_of.values()) / len(games),
            "games": len(entered),
        }
        row |= {column: sum(int(line[column]) for _, line in entered) for column in ("won", "lost")}
        rows.append(row | {game: ratings_of.get(game) for game in games})
    columns = ["bot", "rating", "games", "won", "lost", *games]
    table = pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(games, float))
    table = table.sort_values(["rating", "bot"], ascending=[False, True], ignore_index=True)
    table.insert(0, "rank", table["rating"].rank(ascending=False, method="min").astype(int))
    return table
