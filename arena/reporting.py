"""From the store to the report folder: reads what a report needs, and writes it.

pandas and all that makes a report is imported when the first one is made. A tournament that had it in memory
from its beginning would begin half a second later, and hand it on to each worker and each start of a bot.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena import record as records
from arena.record import Record
from arena.store import Store

if TYPE_CHECKING:
    from arena.standings import Standings


def make_report(store: Store, results: Path, tournament: str) -> "Standings":
    """Write the report of a tournament into its folder of `results`."""
    from arena.report import write_report

    def record_of(number: int) -> Record | None:
        text = store.record(tournament, number)
        return records.read(text) if text is not None else None

    info = store.info(tournament)
    if info.state == "complete":
        info = replace(info, resume="")
    return write_report(results / tournament, info, store.rows(tournament), record_of)


def make_overall(results: Path, group: str, tournaments: Sequence["Standings"]) -> Path:
    """Write the table over several games into the group's folder; the page to open."""
    from arena.report import write_overall

    return write_overall(results / group, tournaments)
