"""Other people's referees, measured beside ours where they are installed: chess with a UCI engine."""

import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from arena.bench._matches import Tally

GAMES = 50
"""Games of one run; an even number, so that both engines have both sides equally often."""
_PLIES = re.compile(r'^\[PlyCount "(\d+)"\]', re.MULTILINE)
_ENGINES = ["-engine", "name=a", "cmd={engine}", "-engine", "name=b", "cmd={engine}"]
_EACH = ["-each", "tc=60", "depth=1", "-concurrency", "1"]
_REFEREES = {
    "c-chess-cli": [*_ENGINES, *_EACH, "-games", "{games}", "-pgn", "{pgn}", "1"],
    "fastchess": [*_ENGINES, *_EACH, "-rounds", "{rounds}", "-games", "2", "-pgnout", "file={pgn}"],
}


def uci_matches(engine: Path, games: int = GAMES) -> dict[str, Callable[[int], Tally]]:
    """What can be measured here, by name; engine and referee share a core, as ours do."""
    found = {name: shutil.which(name) for name in _REFEREES}
    return {
        f"{name}, pinned": _measure(program, _REFEREES[name], engine, games)
        for name, program in found.items()
        if program is not None
    }


def _measure(program: str, words: list[str], engine: Path, games: int) -> Callable[[int], Tally]:
    core = min(os.sched_getaffinity(0))

    def measure(_number: int) -> Tally:
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
            pgn = Path(folder) / "games.pgn"
            given = {"engine": engine.resolve(), "games": games, "rounds": games // 2, "pgn": pgn}
            command = [program, *(word.format(**given) for word in words)]
            cpu, began = _children_cpu_ns(), time.time_ns()
            subprocess.run(
                command,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                check=True,
                preexec_fn=lambda: os.sched_setaffinity(0, {core}),
            )
            # Until the last game is written: fastchess then sleeps on to the next full second.
            wall_ns, cpu_ns = pgn.stat().st_mtime_ns - began, _children_cpu_ns() - cpu
            return Tally(plies(pgn.read_text(encoding="utf-8")), wall_ns, cpu_ns, games)

    return measure


def plies(pgn: str) -> int:
    """Moves in all the games of a file that says how long each of them was."""
    return sum(map(int, _PLIES.findall(pgn)))


def _children_cpu_ns() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e9
