"""The tables as files for other programs: CSV and JSON."""

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd

from arena.bradley_terry import Estimate
from arena.report import words
from arena.standings import Standings

_DECIMALS = 6
"""Of floating-point numbers in files: more than any rating deserves, and the same text on every machine."""

_CHUNK = 10_000
"""Matches that are turned into text at a time."""


def standings_csv(tables: Standings) -> str:
    """One line a bot, best first."""
    return table_csv(tables.table)


def table_csv(table: pd.DataFrame) -> str:
    """A small table whole."""
    return table.round(_DECIMALS).to_csv(index=False, lineterminator="\n")


def matches_for_export(matches: pd.DataFrame) -> pd.DataFrame:
    """One row a match, with what the ratings made of it and the mean time of a turn."""
    frame = matches.copy()
    for seat in ("p1", "p2"):
        mean = frame[f"{seat}_wall_us"] // frame[f"{seat}_turns"].clip(lower=1)
        frame.insert(list(frame.columns).index(f"{seat}_p99_us"), f"{seat}_mean_us", mean)
    return frame


def matches_csv(tables: Standings) -> Iterator[str]:
    """One line a match, in order of number; a piece at a time, for the whole may be large."""
    for start in range(0, max(len(tables.matches), 1), _CHUNK):
        piece = matches_for_export(tables.matches.iloc[start : start + _CHUNK])
        yield piece.to_csv(index=False, header=start == 0, lineterminator="\n")


def standings_json(tables: Standings) -> str:
    """Everything about bots and game that the page shows, as one JSON object with a fixed set of keys."""
    facts, info = tables.facts, tables.info
    content = {
        "tournament": {
            "id": info.id,
            "name": info.name,
            "game": info.game,
            "options": dict(info.options),
            "seed": info.seed,
            "format": info.format,
            "champion": info.champion or None,
            "rounds": info.rounds,
            "opening": info.opening,
            "limits": info.limits,
            "sandbox": info.sandbox,
            "date": info.date,
            "state": info.state,
            "jobs": info.jobs,
            "resume": info.resume or None,
            "reproduce": info.reproduce or None,
            "arena": info.arena_version,
        },
        "bots": [_bot(tables, place, row) for place, row in enumerate(tables.records())],
        "game": {
            "matches": facts.matches,
            "played": facts.played,
            "counted": facts.counted,
            "identical": facts.identical,
            "walkovers": facts.withdrawn,
            "doubtful": facts.doubtful,
            "voids": info.voids,
            "first_seat_score": _estimate(facts.first_seat),
            "first_seat_score_of_equals": _estimate(facts.first_seat_equal),
            "ends": [{"reason": r, "forfeit": f, "matches": n} for r, f, n in facts.ends],
            "turns": dict(zip(("min", "p10", "median", "p90", "max"), facts.length, strict=True)),
        },
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _estimate(estimate: Estimate) -> dict[str, float]:
    return {name: round(value, _DECIMALS) for name, value in estimate._asdict().items()}


def _bot(tables: Standings, place: int, row: dict[str, Any]) -> dict[str, Any]:
    row = {
        name: round(value, _DECIMALS) if isinstance(value, float) else value for name, value in row.items()
    }
    row["forfeits_by_reason"] = dict(words.forfeits(row["forfeits_by_reason"]))
    row["against"] = {
        other: {"won": int(tables.won[place, column]), "lost": int(tables.won[column, place])}
        for column, other in enumerate(tables.labels)
        if column != place and tables.won[place, column] + tables.won[column, place]
    }
    return row
