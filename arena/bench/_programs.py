"""The C programs of the benchmarks, compiled into a folder that is gone afterwards."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from arena.bot import Bot

_COMPILERS = ("cc", "gcc", "clang")
_SOURCES = Path(__file__).parent / "_c"
NO_COMPILER = (
    f"There is no C compiler here, and these programs are in C: install one of {', '.join(_COMPILERS)}."
)


class Programs(NamedTuple):
    """Where the compiled programs are; see the comments at the top of their sources."""

    any_reply: Path
    ping_pong: Path

    def bots(self, count: int = 2) -> tuple[Bot, ...]:
        """So many bots that answer at once with any reply; they differ in nothing but their names."""
        command = (str(self.any_reply),)
        return tuple(Bot(f"any-{n}", "0" * 12, command, self.any_reply.parent) for n in range(1, count + 1))


@contextmanager
def compiled() -> Iterator[Programs | None]:
    """The programs, ready to run; None when this machine has no C compiler."""
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if compiler is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        made = Programs(*(Path(folder) / name for name in Programs._fields))
        for program in made:
            source = _SOURCES / f"{program.name}.c"
            subprocess.run([compiler, "-O2", "-o", str(program), str(source)], check=True)
        yield made
