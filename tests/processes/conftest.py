"""Bots for the tests with real processes, and the assertion that nothing of them is left."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena import process_tree
from arena.bot import Bot

HERE = Path(__file__).parent
MARKER = "ARENA_TEST_MARKER"

MakeBot = Callable[[str], Bot]


def descriptors() -> int:
    """Open descriptors of this process."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def children() -> set[int]:
    """Children of this process, zombies included."""
    return {task.pid for task in process_tree.all_tasks().values() if task.parent == os.getpid()}


def marked(marker: str) -> list[int]:
    """Processes that were started with this marker in their environment or as an argument."""
    wanted, found = marker.encode(), []
    for pid in process_tree.all_tasks():
        for name in ("environ", "cmdline"):
            try:
                if wanted in Path(f"/proc/{pid}/{name}").read_bytes():
                    found.append(pid)
            except OSError:
                continue
    return found


@pytest.fixture
def marker(request: pytest.FixtureRequest) -> str:
    """A number that nothing else on this machine has; `sleep` takes it for seconds."""
    return f"{3600 + os.getpid()}.{abs(hash(request.node.nodeid)) % 10**9:09}"


@pytest.fixture
def make_bot(marker: str) -> Iterator[MakeBot]:
    """Make bots of this folder by name; afterwards nothing of them may run, nor a descriptor be open."""
    fds, known = descriptors(), children()

    def make(name: str) -> Bot:
        path = next(HERE.glob(f"*_bots/{name}.py"))
        environment = (("MARKER", marker),)
        return Bot(name, "0" * 12, (sys.executable, "-S", str(path)), path.parent, environment=environment)

    yield make
    assert marked(marker) == []
    assert children() <= known
    assert descriptors() == fds
