"""Sandboxes to attack, and a run of an attack bot whose end nothing outlives."""

import contextlib
import json
import os
import select
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from arena import process_tree
from arena.bot import Bot, Source
from arena.process import BotProcess
from arena.sandbox import Basic, Caps, Sandbox
from arena.sandbox import landlock as fence
from arena.sandbox.bwrap import Bwrap
from arena.sandbox.choice import bwrap_problem, landlock_problem
from arena.sandbox.landlock import Landlock

ATTACKS = Path(__file__).parent / "attacks"
CAPS = Caps(memory_bytes=128 << 20, processes=24, tmp_bytes=8 << 20)
PATIENCE_S = 30.0


def need_bwrap() -> None:
    """Skip loudly where there is no bubblewrap; where it is installed in CI, it has to work."""
    problem = bwrap_problem()
    if problem and os.environ.get("CI") == "true" and shutil.which("bwrap"):
        pytest.fail(f"bubblewrap is installed and does not work: {problem}")
    if problem:
        pytest.skip(f"NOT TESTED: the sandbox bwrap: {problem}")


def need_landlock() -> None:
    """Skip loudly where the kernel has no Landlock, or an old one; where it has one in CI, it has to work."""
    problem = landlock_problem()
    if problem and os.environ.get("CI") == "true" and not fence.problem():
        pytest.fail(f"Landlock is here and does not work: {problem}")
    if problem:
        pytest.skip(f"NOT TESTED: the sandbox landlock: {problem}")


def need_process_limit(sandbox: Sandbox) -> None:
    """Landlock limits processes only where a bot has a user of its own; its description says so."""
    if "processes" not in sandbox.description:
        pytest.skip(f"NOT TESTED: not promised by {sandbox.description}, as the arena is not root")


@pytest.fixture
def bwrap() -> Sandbox:
    need_bwrap()
    return Bwrap(CAPS)


@pytest.fixture
def landlock() -> Sandbox:
    need_landlock()
    return Landlock(CAPS)


def _made(kind: str) -> Sandbox:
    if kind == "bwrap":
        need_bwrap()
        return Bwrap(CAPS)
    if kind == "landlock":
        need_landlock()
        return Landlock(CAPS)
    return Basic(CAPS)


@pytest.fixture(params=["bwrap", "landlock"])
def shut(request: pytest.FixtureRequest) -> Sandbox:
    """The layers that shut a bot in, for what both of them promise."""
    return _made(request.param)


@pytest.fixture(params=["bwrap", "landlock", "basic"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Every layer, for what all of them promise."""
    return _made(request.param)


def own_place(sandbox: Sandbox, bot: Bot) -> Path:
    """Where a bot finds its own folder."""
    return Path("/bot") if isinstance(sandbox, Bwrap) else bot.folder


@dataclass
class Ran:
    """What was seen of an attack from outside."""

    lines: list[str] = field(default_factory=list)
    stderr: str = ""
    ended_for_memory: bool = False
    most_processes: int = 0
    exit_status: str | None = None

    def look(self, process: BotProcess) -> None:
        """Count its processes, and end it when it holds too much."""
        tasks = process_tree.all_tasks()
        self.most_processes = max(self.most_processes, len(process_tree.members(process.root, tasks)))
        if process.too_big(whole_tree=True):
            self.ended_for_memory = True
            process.kill()

    def last(self, word: str) -> int:
        """The number after this word in the last line that begins with it; 0 without any."""
        # Two words: a process that is ended may leave half a line.
        found = [parts[1] for parts in map(str.split, self.lines) if len(parts) > 1 and parts[0] == word]
        return int(found[-1]) if found else 0

    def achieved(self) -> list[str]:
        """Lines that boast of something: an attack writes those in capitals."""
        return [line for line in self.lines if line.split()[:1] and line.split()[0].isupper()]


Attack = Callable[..., Ran]


@pytest.fixture
def marker() -> str:
    """A number that nothing else on this machine has; `sleep` takes it for seconds."""
    return f"{3600 + os.getpid()}.{time.monotonic_ns() % 10**9:09}"


@pytest.fixture
def attacker(marker: str, tmp_path: Path) -> Iterator[Callable[..., Bot]]:
    """Make attack bots by name, each in a folder of its own; afterwards nothing of them may run."""
    known = children()

    def make(name: str, *arguments: str, **environment: object) -> Bot:
        folder = tmp_path / "bots" / name
        folder.mkdir(parents=True, exist_ok=True)
        for parent in (tmp_path, folder.parent, folder):
            parent.chmod(0o755)
        shutil.copy(ATTACKS / f"{name}.py", folder)
        settings = {"MARKER": marker}
        for key, value in environment.items():
            settings[key] = value if isinstance(value, str) else json.dumps(value)
        return Bot(
            name,
            "0" * 12,
            (sys.executable, "-S", f"{name}.py", *arguments),
            folder,
            environment=tuple(settings.items()),
            source=Source.SUBMITTED,
        )

    yield make
    assert left_over(marker) == []
    assert children() <= known


@pytest.fixture
def attack(attacker: Callable[..., Bot]) -> Attack:
    """Run an attack to its end, watching it as a match would, and end whatever is left of it."""

    def run(sandbox: Sandbox, name: str, *arguments: str, until: str = "done", **environment: object) -> Ran:
        process = BotProcess(sandbox.prepare(attacker(name, *arguments, **environment)))
        try:
            return watch(process, until)
        finally:
            assert process.end(), "something could not be ended"

    return run


def watch(process: BotProcess, until: str) -> Ran:
    """Listen until a line begins with `until` or the output ends; look at the tree like a match does."""
    ran, said = Ran(), b""
    deadline, look_at = time.monotonic() + PATIENCE_S, 0.0
    while time.monotonic() < deadline:
        if time.monotonic() > look_at:
            look_at = time.monotonic() + 0.1
            ran.look(process)
        if select.select([process.stdout], [], [], 0.05)[0]:
            data = os.read(process.stdout, 65536)
            said += data
            complete = said.decode("utf-8", "replace").splitlines(keepends=True)[-5:]
            if not data or any(line.startswith(until) and line.endswith("\n") for line in complete):
                break
    ran.look(process)
    ran.lines = said.decode("utf-8", "replace").splitlines()
    with contextlib.suppress(OSError):
        ran.stderr = process.stderr_tail().decode("utf-8", "replace")
    ran.exit_status = process.exit_status(0.5)
    return ran


def children() -> set[int]:
    return {task.pid for task in process_tree.all_tasks().values() if task.parent == os.getpid()}


def left_over(marker: str) -> list[int]:
    """Living processes that have the marker as an argument or in their environment."""
    found = []
    for pid, task in process_tree.all_tasks().items():
        for name in ("environ", "cmdline"):
            with contextlib.suppress(OSError):
                if task.state != "Z" and marker.encode() in Path(f"/proc/{pid}/{name}").read_bytes():
                    found.append(pid)
    return found


def until(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True
