"""Reports: the tables of a tournament as pages and files for people and programs."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from arena.record import Record
from arena.report.html import html_report, overall_page
from arena.report.markdown import markdown_report, overall_markdown
from arena.report.tables import matches_csv, standings_csv, standings_json, table_csv
from arena.results import MatchRow, TournamentInfo
from arena.standings import Standings, overall, standings

RecordOf = Callable[[int], Record | None]
"""The record of the match with this number, or None when there is none to show."""


def write_report(
    folder: Path, info: TournamentInfo, rows: Iterable[MatchRow], record_of: RecordOf
) -> Standings:
    """Write `report.html`, `report.md`, `standings.csv`, `standings.json` and `matches.csv` into `folder`.

    Only the records that the page embeds are asked for, one at a time. Each file is replaced whole, so that
    a reader never sees half of one.
    """
    tables = standings(info, rows)
    folder.mkdir(parents=True, exist_ok=True)
    _replace(folder / "standings.csv", [standings_csv(tables)])
    _replace(folder / "standings.json", [standings_json(tables)])
    _replace(folder / "matches.csv", matches_csv(tables))
    _replace(folder / "report.md", [markdown_report(tables)])
    _replace(folder / "report.html", [html_report(tables, record_of)])
    return tables


def write_overall(folder: Path, tournaments: Sequence[Standings]) -> Path:
    """Write `overall.html`, `overall.md` and `overall.csv`.

    The answer is the page; it links to the reports of the tournaments, which lie beside `folder`.
    """
    table = overall(tournaments)
    folder.mkdir(parents=True, exist_ok=True)
    _replace(folder / "overall.csv", [table_csv(table)])
    _replace(folder / "overall.md", [overall_markdown(tournaments, table)])
    _replace(folder / "overall.html", [overall_page(tournaments, table)])
    return folder / "overall.html"


def _replace(path: Path, pieces: Iterable[str]) -> None:
    unfinished = path.with_name(f".{path.name}.new")
    with unfinished.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(pieces)
    unfinished.replace(path)
