"""What this machine can do, found out by doing: whether the sandbox holds, and how fast and exact it all is.

An intruder is started in the sandbox that matches would use and tries what no bot may do; whether it got
through is seen from outside where that is possible.
"""

import contextlib
import itertools
import json
import os
import select
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from arena import process_tree
from arena.bot import Bot, Source
from arena.process import BotProcess
from arena.sandbox import Caps, Off, Sandbox, cgroup
from arena.sandbox.building import step_runner
from arena.sandbox.bwrap import Bwrap, needed_program, system_calls
from arena.sandbox.choice import bwrap_problem, choose
from arena.sandbox.landlock import Landlock
from arena.toolchains import LANGUAGES, missing_tool, resolve

PROBE_CAPS = Caps(memory_bytes=384 << 20, processes=16, tmp_bytes=4 << 20)
"""Small, so that going past them takes no time and does little harm; how they are enforced is the same. The
memory has room for as many copies of Python as there may be processes: shared pages count for each."""
_BUG = "this is a bug of the arena: please report it"
_PATIENCE_S = 30.0
_SECRET = "ARENA_DOCTOR_SECRET"  # noqa: S105 - the name of a variable
_INTRUDER = Path(__file__).parent / "sandbox" / "intruder.py"
ROUND_TRIPS = 50
STARTS = 7


@dataclass(frozen=True)
class Guarded:
    """One thing that must not happen: `by` is what prevents it, empty where nothing does."""

    what: str
    by: str
    advice: str = ""

    @property
    def sentence(self) -> str:
        """`protected by …` or `NOT protected: do this`."""
        return f"protected by {self.by}" if self.by else f"NOT protected: {self.advice}"


@dataclass(frozen=True)
class Machine:
    """Figures of this machine."""

    cores: int
    clock_ns: int
    """The smallest step of the clock that times bots, as seen."""
    round_trip_us: float
    """A line to a process and back, through pipes."""
    round_trip_inside_us: float
    start_ms: float
    start_inside_ms: float


def safe(found: list[Guarded]) -> bool:
    """Whether ranked play with strangers' bots would be safe here."""
    return all(each.by for each in found)


def how_to_get_bwrap(problem: str) -> str:
    """What to do about bubblewrap not working, from what it said."""
    if "not found" in problem:
        return "install bubblewrap (apt install bubblewrap)"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return (
            "let the container make namespaces: docker run --security-opt seccomp=unconfined "
            "--security-opt systempaths=unconfined --security-opt apparmor=unconfined"
        )
    return (
        "let ordinary users make namespaces: sysctl kernel.unprivileged_userns_clone=1 and, on Ubuntu, "
        "kernel.apparmor_restrict_unprivileged_userns=0"
    )


def guarded(kind: str = "auto") -> Iterator[Guarded]:
    """Try everything in the sandbox of this kind; raises ValueError when there is none of that kind here."""
    problem = bwrap_problem()
    chosen = choose(kind, PROBE_CAPS)
    advice = how_to_get_bwrap(problem) if problem else "use --sandbox auto"
    works = ""
    if isinstance(chosen.sandbox, Bwrap):
        works = "bubblewrap, which works here"
    elif isinstance(chosen.sandbox, Landlock):
        works = f"Landlock, which works here; bubblewrap hides more and gives bots a /tmp: {advice}"
    yield Guarded("the sandbox", works, "" if works else f"{advice} ({problem})" if problem else advice)
    yield from _verdicts(_intrude(chosen.sandbox), advice, _walls(chosen.sandbox))


@dataclass(frozen=True)
class _Walls:
    """What keeps a bot from each thing, in the words of one sandbox."""

    reading: str = "a file system of its own"
    writing: str = "a read-only file system"
    disk: str = "small file systems of its own, in memory"
    network: str = "a network of its own, with no way out"
    sight: str = "process ids of its own"
    signals: str = "process ids of its own"
    namespaces: str = "no user namespaces inside"


def _walls(sandbox: Sandbox) -> _Walls:
    if not isinstance(sandbox, Landlock):
        return _Walls()
    return _Walls(
        reading="Landlock, though not the sight that a file is there",
        writing="Landlock, which lets bots write nothing",
        disk="Landlock, which leaves no place to write",
        network="a filter that refuses every socket",
        sight="Landlock, which closes /proc, though not the sight that a process is there",
        signals="Landlock, or a user of its own",
        namespaces="a filter of system calls",
    )


@dataclass
class _Seen:
    """What became of the intruder: its own report, and what was seen from outside."""

    report: dict[str, Any] = field(default_factory=dict)
    called: bool = True
    victim_alive: bool = False
    signalled: bool = True
    stayed: bool = True
    build_confined: bool = False
    ended_for_memory: bool = False
    by_kernel: bool = False
    """Whether it was the kernel that ended it."""
    user: int | None = None
    confined: bool = False


def _verdicts(seen: _Seen, advice: str, walls: _Walls) -> Iterator[Guarded]:
    """One line for each thing that was tried."""
    report = seen.report

    def line(what: str, held: bool, by: str, otherwise: str = advice) -> Guarded:
        return Guarded(what, by if held else "", "" if held else otherwise)

    def refused(name: str) -> bool:
        return report.get(name) is False  # no answer is no protection

    yield line("results", refused("results"), walls.reading)
    yield line("opponents' files", refused("opponent"), walls.reading)
    yield line("the system", refused("system"), walls.writing)
    yield line("the bot's own files", refused("itself"), walls.writing)
    yield line("the disk", refused("disk"), walls.disk)
    yield line("the network", refused("network") and not seen.called, walls.network)
    yield line("sight of other processes", refused("processes"), walls.sight)
    yield line("signals to other processes", "signals" in report and seen.victim_alive, walls.signals)
    yield line("signals to the referee", "referee" in report and not seen.signalled, walls.signals)
    yield line("our environment", refused("environment"), "an environment made for the bot", _BUG)
    yield line("new namespaces", refused("namespaces"), walls.namespaces)
    yield line(
        "the kernel",
        seen.confined,
        "a filter of system calls and no capabilities",
        advice if system_calls() else f"there is no filter of system calls for {os.uname().machine}",
    )
    yield line("root", seen.user not in (0, None), f"an ordinary user ({seen.user})", _no_root(advice))
    # A bot is a process itself.
    yield line("fork bombs", 0 < report.get("forks", 0) < PROBE_CAPS.processes, "a limit on processes")
    watched = "a limit on each process and a watch on the whole tree"
    yield line("memory", seen.ended_for_memory, "cgroup memory.max" if seen.by_kernel else watched)
    yield line("processes left behind", not seen.stayed, "the end of the whole tree", _BUG)
    yield line("builds of submitted bots", seen.build_confined, "the same sandbox")


def _no_root(advice: str) -> str:
    return f"do not run the arena as root, or {advice}" if os.geteuid() == 0 else advice


def _intrude(sandbox: Sandbox) -> _Seen:
    """Start the intruder and see how far it gets."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-doctor-")))
        folder.chmod(0o755)  # it is the sandbox that has to refuse, not the owner of the files
        for name in ("results/arena.sqlite", "other/bot.py", "bot/notes"):
            (folder / name).parent.mkdir()
            (folder / name).write_text("not for bots\n", encoding="utf-8")
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        victim = stack.enter_context(_victim())
        marker = f"{3000 + os.getpid()}.{time.monotonic_ns() % 10**9:09}"
        me = process_tree.read_task(os.getpid())
        told = {
            "results": str(folder / "results" / "arena.sqlite"),
            "opponent": str(folder / "other" / "bot.py"),
            "folder": str(folder / "bot"),
            "port": listener.getsockname()[1],
            "referee": [os.getpid(), me.started if me else 0],
            "victim": victim.pid,
            "secret": _SECRET,
            "marker": marker,
            "disk": 4 * PROBE_CAPS.tmp_bytes,
            "forks": PROBE_CAPS.processes + 20,
            "memory": 4 * PROBE_CAPS.memory_bytes,
        }
        stack.enter_context(_secret_in_environment())
        signals = stack.enter_context(_signals_noted())
        command = (sys.executable, "-S", str(_INTRUDER))
        process = BotProcess(
            sandbox.prepare(Bot("intruder", "0" * 12, command, folder / "bot", source=Source.SUBMITTED))
        )
        try:
            seen = _listen(process, json.dumps(told).encode() + b"\n")
        finally:
            process.end()
        seen.called = bool(select.select([listener], [], [], 0)[0])
        seen.victim_alive = victim.poll() is None
        seen.signalled = signal.SIGURG in signals
        seen.stayed = _runs(marker)
        seen.build_confined = _build_is_confined(sandbox, folder)
        return seen


def _build_is_confined(sandbox: Sandbox, folder: Path) -> bool:
    """Run a build step that tries to read, write and lock away what is not its own, and works within."""
    results = folder / "results" / "arena.sqlite"
    script = 'cat "$2"; echo x >"$1/outside"; chmod 0 "$2"; echo x >inside'
    words = (needed_program("bash"), "-c", script, "build", str(folder), str(results))
    before = results.stat().st_mode
    done = step_runner(sandbox)(words, folder / "bot", {"PATH": os.defpath}, _PATIENCE_S)
    works = (folder / "bot" / "inside").exists()
    untouched = not (folder / "outside").exists() and results.stat().st_mode == before
    return works and untouched and "not for bots" not in done.output


@contextlib.contextmanager
def _victim() -> Iterator["subprocess.Popen[bytes]"]:
    # In our session: what is a child of ours in another one counts as left behind by a bot.
    with subprocess.Popen(["sleep", "60"], process_group=0) as process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def _signals_noted() -> Iterator[set[int]]:
    """Note SIGURG, which nobody sends us, whichever thread it reaches; for the main thread only."""
    arrived: set[int] = set()
    before = signal.signal(signal.SIGURG, lambda number, _frame: arrived.add(number))
    try:
        yield arrived
    finally:
        signal.signal(signal.SIGURG, before)


@contextlib.contextmanager
def _secret_in_environment() -> Iterator[None]:
    os.environ[_SECRET] = "not for bots"
    try:
        yield
    finally:
        del os.environ[_SECRET]


def _listen(process: BotProcess, told: bytes) -> _Seen:
    """Take the intruder's report line by line, ending it as a match would when it holds too much."""
    seen = _Seen()
    said = b""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        if told and said:  # it is there, and waits to be told
            seen.user, seen.confined = _credentials(process)
            process.send(told)
            told = b""
        if process.too_big(whole_tree=True):
            seen.ended_for_memory = True
            process.kill()
        if select.select([process.stdout], [], [], 0.1)[0]:
            data = os.read(process.stdout, 65536)
            if not data:
                break
            said += data
    seen.by_kernel = process.ended_for_memory()
    seen.ended_for_memory |= seen.by_kernel
    for text in said.decode("utf-8", "replace").splitlines():
        with contextlib.suppress(ValueError):
            seen.report |= json.loads(text)
    return seen


def _credentials(process: BotProcess) -> tuple[int | None, bool]:
    """The user that a bot really is, and whether system calls are filtered and capabilities gone."""
    process.cpu_ns()  # finds the bot's own process behind a wrapper
    try:
        text = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None, False
    fields = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
    filtered = fields.get("Seccomp") == "2" and fields.get("NoNewPrivs") == "1"
    return int(fields["Uid"].split()[0]), filtered and int(fields["CapEff"], 16) == 0


def _runs(marker: str) -> bool:
    for pid in process_tree.all_tasks():
        with contextlib.suppress(OSError):
            if marker.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                return True
    return False


def control_groups() -> str:
    """What cgroup v2 gives here, in a line, with what to do for more."""
    base, problem = cgroup.found()
    if base is None:
        return f"none, so bots are watched and stopped by signal ({problem})"
    given = cgroup.description().removeprefix("cgroup ")
    missing = [name for name in cgroup.WANTED if name not in base.controllers]
    if not missing:
        return given
    user = "--user " if os.geteuid() else ""
    started = f"systemd-run {user}--scope -p Delegate=yes arena …"
    return f"{given}; not {' and '.join(missing)} (if there is a systemd: {started})"


def toolchains() -> dict[str, str]:
    """Where the program of each language is that this machine can build or run; empty text for the others."""
    found: dict[str, str] = {}
    for language in LANGUAGES:
        recipe = language.recipe(f"bot{language.suffixes[0]}")
        words = (recipe.build or (recipe.run,))[0]
        missing = missing_tool(words, Path("/"))
        if not found.get(language.title):
            found[language.title] = "" if missing else resolve((words[0],), Path("/"))[0]
    return found


def measure(kind: str = "auto") -> Machine:
    """Time the machine: clock, pipes, and what the sandbox adds."""
    sandbox = choose(kind, Caps()).sandbox
    with echoing_bot() as bot:
        plain, inside = ([start_and_talk(each, bot) for _ in range(STARTS)] for each in (Off(), sandbox))
    return Machine(
        cores=len(os.sched_getaffinity(0)),
        clock_ns=_clock_step_ns(),
        round_trip_us=statistics.median(figure.round_trip_us for figure in plain),
        round_trip_inside_us=statistics.median(figure.round_trip_us for figure in inside),
        start_ms=statistics.median(figure.start_ms for figure in plain),
        start_inside_ms=statistics.median(figure.start_ms for figure in inside),
    )


def _clock_step_ns() -> int:
    readings = [time.monotonic_ns() for _ in range(2000)]
    return min((later - now for now, later in itertools.pairwise(readings) if later > now), default=0)


class Talk(NamedTuple):
    """One start of a program that repeats what it hears."""

    start_ms: float
    """Until its first reply."""
    round_trip_us: float
    """The median of its later replies."""


@contextlib.contextmanager
def echoing_bot() -> Iterator[Bot]:
    """A bot that repeats every line, `cat`, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="arena-doctor-") as folder:
        Path(folder).chmod(0o755)  # as the folders of bots are
        yield Bot("echo", "0" * 12, (needed_program("cat"),), Path(folder), source=Source.SUBMITTED)


def start_and_talk(sandbox: Sandbox, bot: Bot) -> Talk:
    """Start the echoing bot in a sandbox and talk to it."""
    trips = []
    began = time.perf_counter_ns()
    process = BotProcess(sandbox.prepare(bot))
    try:
        _exchange(process)
        start_ms = (time.perf_counter_ns() - began) / 1e6
        for _ in range(ROUND_TRIPS):
            began = time.perf_counter_ns()
            _exchange(process)
            trips.append((time.perf_counter_ns() - began) / 1e3)
    finally:
        process.end()
    return Talk(start_ms, statistics.median(trips))


def _exchange(process: BotProcess) -> None:
    process.send(b"hello\n")
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    if not poll.poll(_PATIENCE_S * 1000) or not os.read(process.stdout, 64):
        raise OSError("a process that only repeats what it hears said nothing")
