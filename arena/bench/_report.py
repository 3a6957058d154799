"""Ratings and report of one simulated tournament in a fresh interpreter; prints JSON.

Run by `arena.bench.reports` as `python -m arena.bench._report FOLDER MATCHES`.
"""

import json
import resource
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from arena.record import Record
from arena.report import write_report
from arena.results import MatchRow
from arena.schedule import Plan
from arena.simulate import simulated_info, simulated_matches, simulated_results
from arena.standings import standings

BOTS = 8
GAME = "gridlock"


def main(words: list[str]) -> None:
    """Make the rows, rate them, and write the whole report; print what each part took."""
    folder, matches = Path(words[0]), int(words[1])
    plan = Plan(GAME, seed=1)
    info = simulated_info(plan, BOTS)
    # A page embeds some hundreds of records; these few stand for all of them.
    records = [record for _, record in simulated_matches(plan, info)]
    strengths = [0.3 * place for place in range(BOTS)]

    def rows() -> Iterator[MatchRow]:
        return simulated_results(info, strengths, matches, seed=1)

    def record_of(number: int) -> Record:
        return records[number % len(records)]

    # Never all the rows at once: they come out of the store one by one, too. What making them costs is
    # taken off.
    made = _cpu_s(lambda: deque(rows(), maxlen=0))
    rated = _cpu_s(lambda: standings(info, rows())) - made
    written = _cpu_s(lambda: write_report(folder, info, rows(), record_of)) - made
    page = (folder / "report.html").stat().st_size
    found = {"ratings": rated, "report": written, "peak_mb": _peak_mb(), "page": page}
    print(json.dumps(found))  # noqa: T201 - its only output


def _cpu_s(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(sys.argv[1:])
