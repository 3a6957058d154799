"""From the store to the report folder: reads what a report needs, and writes it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arena import record as records
from arena.record import Record
from arena.report import write_overall, write_report
from arena.standings import Standings
from arena.store import Store


def make_report(store: Store, results: Path, tournament: str) -> Standings:
    """Write the report of a tournament into its folder of `results`."""

    def record_of(number: int) -> Record | None:
        text = store.record(tournament, number)
        return records.read(text) if text is not None else None

    info = store.info(tournament)
    if info.state == "complete":
        info = replace(info, resume="")
    return write_report(results / tournament, info, store.rows(tournament), record_of)


def make_overall(results: Path, group: str, tournaments: Sequence[Standings]) -> Path:
    """Write the table over several games into the group's folder; the page to open."""
    return write_overall(results / group, tournaments)
