"""How long the command line and a bot written with the SDK take to start."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from arena.bench import Bench, Row, interleaved, row
from arena.wire import greeting

_BOT = "from arena import sdk\nsdk.run(lambda match: match.available[0])\n"
_GREETING = greeting("gridlock", {}, "P1", "start=10000 turn=1000 strikes=3", 1)
"""A bot has started when it answers this."""


class Spent(NamedTuple):
    """Milliseconds from the start to the end, and of CPU time."""

    wall_ms: float
    cpu_ms: float


def started(command: list[str], said: bytes = b"", environment: Mapping[str, str] | None = None) -> Spent:
    """Run a command to its end with `said` on its stdin; raises OSError when it does not end well."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env={**os.environ, **(environment or {})}
    )
    assert process.stdin is not None
    process.stdin.write(said)
    process.stdin.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise OSError(f"{command[:4]} ended with status {process.returncode}")
    return Spent((time.perf_counter() - began) * 1e3, (used.ru_utime + used.ru_stime) * 1e3)


def measure(repetitions: int) -> Iterator[Row | str]:
    """All of them once in each repetition."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        bot = Path(folder) / "bot.py"
        bot.write_text(_BOT, encoding="utf-8")
        # The environment that the arena gives to a bot in a checkout, where the package is not installed.
        path = {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
        python = sys.executable
        subjects: dict[str, Callable[[int], Spent]] = {
            "python -c pass": lambda _: started([python, "-c", "pass"]),
            "python -S -c pass": lambda _: started([python, "-S", "-c", "pass"]),
            "bot with the SDK, to the end of input": lambda _: started([python, str(bot)], _GREETING, path),
            "the same with python -S": lambda _: started([python, "-S", str(bot)], _GREETING, path),
            "arena --help": lambda _: started([python, "-m", "arena", "--help"]),
            "arena --version": lambda _: started([python, "-m", "arena", "--version"]),
        }
        for name, runs in interleaved(subjects, repetitions).items():
            cpu = [run.cpu_ms for run in runs]
            yield row(name, "ms wall", [run.wall_ms for run in runs], details={"CPU ms": cpu})


BENCH = Bench(
    title="Start-up: the command line and a bot",
    help="""Time the start of the command line and of a bot that uses the SDK, in milliseconds.

    A bot is given the greeting of a match and the end of input: it has started, shaken hands and left.
    Python's own start is shown beside them. CPU time is the figure to look at on a busy machine.

    \b
    Example:
      arena bench startup
      arena bench startup --repetitions 21 --json
    """,
    measure=measure,
    repetitions=9,
)
