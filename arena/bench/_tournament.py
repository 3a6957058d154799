"""One whole tournament in a fresh interpreter, so that its peak of memory is its own; prints JSON.

Run by `arena.bench.tournament` as `python -m arena.bench._tournament FOLDER BOT GAME MATCHES WORKERS`.
"""

import json
import resource
import sys
import time
from pathlib import Path

from arena.bot import Bot
from arena.games import load_game
from arena.limits import Limits
from arena.organiser import Entry, Field, Order, set_up
from arena.reporting import make_report
from arena.sandbox import Off
from arena.store import Store
from arena.tournament import Play, StopRequest, Tournament
from arena.tournament_log import TournamentLog
from arena.worker import Conditions

BOTS = 4
PER_ROUND = BOTS * (BOTS - 1)
"""Matches of one round: every pairing from both seats."""


def main(words: list[str]) -> None:
    """Play it, write its report, and print what each part took."""
    folder, program, game, matches, workers = Path(words[0]), words[1], words[2], int(words[3]), int(words[4])
    names = [f"any-{number}" for number in range(1, BOTS + 1)]
    bots = [Bot(name, "0" * 12, (program,), Path(program).parent) for name in names]
    entered = Field(tuple(Entry(bot.label, bot) for bot in bots))
    order = Order(seed=1, rounds=-(-matches // PER_ROUND), opening=2, sandbox="off")
    marks = [_mark()]
    with Store(folder) as store:
        info = set_up(store, "cup", load_game(game), order, entered)
        tournament = Tournament(store, "cup", Play(workers=workers))
        marks.append(_mark())
        log = TournamentLog(folder / "cup" / "arena.log")
        try:
            conditions = Conditions("cup", entered.bots, Limits(), Off())
            info = tournament.play(conditions, log, StopRequest())
        finally:
            log.close()
        marks.append(_mark())
        memory_played = _peak_mb()
        make_report(store, folder, "cup")
        marks.append(_mark())
    parts = {
        name: {"wall": after[0] - before[0], "cpu": after[1] - before[1]}
        for name, before, after in zip(("set_up", "play", "report"), marks, marks[1:], strict=False)
    }
    memory = {"played": memory_played, "report": _peak_mb()}
    print(json.dumps({"matches": info.jobs, "state": info.state, "memory": memory, **parts}))  # noqa: T201 - its only output


def _mark() -> tuple[float, float]:
    """Seconds of wall time, and of CPU time of this process alone."""
    return time.perf_counter(), time.process_time()


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(sys.argv[1:])
