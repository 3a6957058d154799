"""The page: one HTML file with everything inside it, which asks nothing of any network."""

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena.games import load_game
from arena.ratings import SHUFFLES
from arena.record import Record
from arena.report import charts, words
from arena.report.replays import Replays, replays
from arena.results import short_names
from arena.standings import Standings, plain_rows

CROSSTABLE = 60
"""Bots in the crosstable at most: it grows with the square of their number."""
DETAILS = 200
"""Bots with details of their own at most."""
_SHADES = 10
"""Steps of the heat map from all lost to all won."""


def html_report(tables: Standings, record_of: Callable[[int], Record | None]) -> str:
    """The whole page; `record_of` is asked for the matches that are embedded."""
    embedded = replays(tables, record_of)
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            **_frame("report.css", "page.js", "replay.js"),
            **_content(tables, embedded),
            data=_data(tables, embedded),
        )
    )


def overall_page(tournaments: Sequence[Standings], table: pd.DataFrame) -> str:
    """The page that leads to the reports of several games, with one table over all of them."""
    games = [
        {
            "title": load_game(one.info.game).title,
            "id": one.info.game,
            "link": words.report_address(one, "html"),
            "tables": one,
        }
        for one in tournaments
    ]
    names = short_names(list(table["bot"]))
    bots = [row | {"name": names[row["bot"]]} for row in plain_rows(table)]
    return (
        _environment()
        .get_template("overall.html.j2")
        .render(
            **_frame("report.css", "page.js"),
            games=games,
            bots=bots,
            explanation=words.OVERALL,
            matches=sum(one.facts.matches for one in tournaments),
        )
    )


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("arena.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        percent=words.percent, duration=words.duration, signed=words.signed, interval=words.interval
    )
    return environment


def _frame(style: str, *scripts: str) -> dict[str, Any]:
    """Style, scripts, and the policy that lets a browser run these scripts and fetch nothing at all."""
    static = files("arena.report") / "static"
    early = (static / "theme.js").read_text("utf-8")
    late = "\n".join((static / script).read_text("utf-8") for script in scripts)
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in (early, late))
    policy = (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {hashes}; base-uri 'none'"
    )
    return {
        "style": Markup((static / style).read_text("utf-8")),  # noqa: S704  # our own file
        "early_script": Markup(early),  # noqa: S704  # our own file
        "late_script": Markup(late),  # noqa: S704  # our own file
        "policy": policy,
    }


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _json(value: object) -> Markup:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(text)  # noqa: S704  # escaped above


def _data(tables: Standings, embedded: Replays) -> Markup:
    names = short_names(tables.labels)
    return _json(
        {
            "bots": [names[label] for label in tables.labels],
            "symbols": dict(load_game(tables.info.game).symbols),
            "index": embedded.matches,
            "chunks": embedded.chunks,
        }
    )


def _content(tables: Standings, embedded: Replays) -> dict[str, Any]:
    rating_axis, bars = charts.rating_plot(tables)
    across, up, lines = charts.history_plot(tables)
    game = load_game(tables.info.game)
    names = short_names(tables.labels)
    slowest = max((row["max_us"] for row in tables.records()), default=0)
    bots = [_bot(tables, place, row, names, slowest) for place, row in enumerate(tables.records())]
    return {
        "info": tables.info,
        "facts": tables.facts,
        "game": game,
        "chosen_options": words.options(tables.info.options),
        "head_line": words.head_line(tables),
        "notes": words.notes(tables),
        "bots": bots,
        "rating_axis": rating_axis,
        "bars": bars,
        "history": {"across": across, "up": up, "lines": lines},
        "crosstable": _crosstable(tables, [bot["name"] for bot in bots]),
        "ends": _ends(tables),
        "longest_bar": max((count for _, _, count in tables.facts.lengths), default=1),
        "detailed": bots[:DETAILS],
        "embedded": embedded,
        "shuffles": SHUFFLES,
        "limits": {"crosstable": CROSSTABLE, "details": DETAILS},
    }


def _bot(
    tables: Standings, place: int, row: dict[str, Any], names: dict[str, str], slowest: float
) -> dict[str, Any]:
    against = [
        {
            "place": other,
            "name": names[label],
            "won": int(tables.won[place, other]),
            "lost": int(tables.won[other, place]),
        }
        for other, label in enumerate(tables.labels)
        if tables.won[place, other] + tables.won[other, place]
    ]
    return row | {
        "place": place,
        "name": names[row["bot"]],
        "shown_rank": words.rank(row["rank"], row["tied"]),
        "shown_rating": words.rating(row["rating"], row["sigma"]),
        "half_width": (row["high"] - row["low"]) / 2,
        "shown_score": words.score(row["won"], row["lost"]),
        "as_p1": words.score(row["p1_won"], row["p1_lost"]),
        "as_p2": words.score(row["p2_won"], row["p2_lost"]),
        "faults": words.forfeits(row["forfeits_by_reason"]),
        "against": against,
        "log_mean": charts.log_share(row["mean_us"], slowest),
        "log_p99": charts.log_share(row["p99_us"], slowest),
        "log_max": charts.log_share(row["max_us"], slowest),
    }


def _crosstable(tables: Standings, names: list[str]) -> list[dict[str, Any]]:
    """Rows of cells; a cell is None on the diagonal."""
    shown = range(min(len(names), CROSSTABLE))
    won = tables.won
    return [
        {
            "place": row,
            "name": names[row],
            "cells": [
                _cell(int(won[row, column]), int(won[column, row])) if row != column else None
                for column in shown
            ],
        }
        for row in shown
    ]


def _cell(won: int, lost: int) -> dict[str, Any]:
    played = won + lost
    share = won / played if played else 0.5
    return {"won": won, "lost": lost, "shade": f"s{round(_SHADES * share)}" if played else "none"}


def _ends(tables: Standings) -> list[dict[str, Any]]:
    total = sum(count for _, _, count in tables.facts.ends) or 1
    return [
        {"reason": reason, "forfeit": forfeit, "count": count, "share": count / total}
        for reason, forfeit, count in tables.facts.ends
    ]
