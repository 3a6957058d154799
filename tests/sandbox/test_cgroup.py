"""Control groups for real: what is ended, frozen, limited and swept through them, and what goes without."""

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena import process_tree
from arena.bot import Bot
from arena.channel import Channel
from arena.doctor import control_groups
from arena.game import P1
from arena.limits import Limits, duration_ns
from arena.match import Table
from arena.process import BotProcess
from arena.referee import Setup
from arena.sandbox import Basic, Off, Sandbox, cgroup
from arena.sandbox.bwrap import Bwrap
from arena.sandbox.group import Group

from .conftest import ATTACKS, CAPS, Attack, left_over, until

pytestmark = [pytest.mark.processes, pytest.mark.sandbox]

PATIENT = Limits(start_ns=duration_ns("30s"), turn_ns=duration_ns("30s"))
NONE = cgroup.Found(None, "there are none")


@pytest.fixture
def base() -> cgroup.Base:
    found = cgroup.found()
    if found.base is None:
        pytest.skip(f"NOT TESTED: cgroups: {found.problem}")
    return found.base


def need_controller(base: cgroup.Base, name: str) -> None:
    if name not in base.controllers:
        pytest.skip(f"NOT TESTED: the limit of cgroups on {name}: {control_groups()}")


def group_of(process: BotProcess) -> Group:
    group = process._group
    assert group is not None
    return group


def members(folder: str) -> set[int]:
    return {int(word) for word in Path(folder, "cgroup.procs").read_text().split()}


def groups(base: cgroup.Base) -> set[str]:
    """Those of this process: tests beside this one make groups, too."""
    ours = cgroup._name(0).removesuffix("-0")
    return {path.name for path in Path(base.folder).iterdir() if path.name.startswith(ours)}


def descriptors() -> list[str]:
    return sorted(path.name for path in Path("/proc/self/fd").iterdir())


# Where our group is

V2 = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"
HYBRID = """\
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw"""


@pytest.mark.parametrize(
    ("mountinfo", "membership", "folder"),
    [
        (V2, "0::/", "/sys/fs/cgroup"),
        (V2, "0::/user.slice/run-1.scope\n", "/sys/fs/cgroup/user.slice/run-1.scope"),
        (HYBRID, "4:memory:/far\n0::/", "/sys/fs/cgroup/unified"),
        (HYBRID, "4:memory:/far\n0::/near", "/sys/fs/cgroup/unified/near"),
        (HYBRID, "4:memory:/far", None),
        (HYBRID.rsplit("\n", 1)[0], "4:memory:/far\n0::/", None),
        (V2.replace(" / ", " /pods/a "), "0::/pods/a", "/sys/fs/cgroup"),
        (V2.replace(" / ", " /pods/a "), "0::/pods/a/b", "/sys/fs/cgroup/b"),
        (V2.replace(" / ", " /pods/a "), "0::/pods/ab", None),
        (V2, "0::/../elsewhere", None),
        (V2.replace("/sys/fs/cgroup", r"/with\040blank"), "0::/", "/with blank"),
        (f"{V2.replace(' / ', ' /other ')}\n{V2.replace('/sys/fs', '/mnt')}", "0::/a", "/mnt/cgroup/a"),
        ("", "", None),
    ],
)
def test_our_own_group_is_found(mountinfo: str, membership: str, folder: str | None) -> None:
    assert cgroup.own_folder(mountinfo, membership) == folder


# What is in force, in words


@pytest.mark.parametrize(
    ("found", "words", "line"),
    [
        (NONE, "", "none, so bots are watched and stopped by signal (there are none)"),
        (cgroup.Found(cgroup.Base("/x")), "cgroup kill freeze", "kill freeze; not memory and pids (if there"),
        (
            cgroup.Found(cgroup.Base("/x", ("pids",))),
            "cgroup kill freeze pids",
            "kill freeze pids; not memory (",
        ),
        (
            cgroup.Found(cgroup.Base("/x", cgroup.WANTED)),
            "cgroup kill freeze memory pids",
            "kill freeze memory pids",
        ),
    ],
)
def test_what_is_in_force_is_said(
    found: cgroup.Found, words: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroup, "found", lambda: found)
    assert Basic().description == (f"basic({words})" if words else "basic")
    assert Bwrap(CAPS).description.endswith(f", processes 24, {words})" if words else ", processes 24)")
    assert control_groups().startswith(line)


# In and out


def test_every_start_gets_a_group_of_its_own_that_goes_with_it(
    base: cgroup.Base, sandbox: Sandbox, attacker: Callable[..., Bot]
) -> None:
    before = groups(base)
    first, second = (BotProcess(sandbox.prepare(attacker("plays_along"))) for _ in range(2))
    folders = [group_of(process).folder for process in (first, second)]
    try:
        for process, folder in zip((first, second), folders, strict=True):
            os.write(process.stdin, b"? 1 | hello\n")
            assert _line(process) == b"hello\n", "all that a wrapper sets up is there"
            process.cpu_ns()  # finds the bot's own process behind a wrapper
            assert {process.root, process.pid} <= members(folder)
            tasks = process_tree.all_tasks()
            assert members(folder) == process_tree.members(process.root, tasks)
            assert tasks[process.root].session == process.root
            assert tasks[process.root].parent == os.getpid()
    finally:
        assert first.end()
        assert second.end()
    assert len(set(folders)) == 2
    assert groups(base) == before


def test_without_limits_there_is_no_group(base: cgroup.Base, attacker: Callable[..., Bot]) -> None:
    before = groups(base)
    process = BotProcess(Off().prepare(attacker("plays_along")))
    try:
        assert groups(base) == before
    finally:
        process.end()


def test_a_program_that_is_not_there_leaves_nothing(base: cgroup.Base, tmp_path: Path) -> None:
    before, held = groups(base), descriptors()
    children = {task.pid for task in process_tree.all_tasks().values() if task.parent == os.getpid()}
    for _ in range(20):  # a group that is removed too early shows once in a while only
        with pytest.raises(FileNotFoundError):
            BotProcess(Basic().prepare(Bot("none", "0" * 12, (str(tmp_path / "none"),), tmp_path)))
        assert groups(base) == before
    assert descriptors() == held
    assert {t.pid for t in process_tree.all_tasks().values() if t.parent == os.getpid()} <= children


def test_a_group_that_cannot_be_made_is_our_own_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, attacker: Callable[..., Bot]
) -> None:
    monkeypatch.setattr(cgroup, "found", lambda: cgroup.Found(cgroup.Base(str(tmp_path / "gone"))))
    held = descriptors()
    with pytest.raises(OSError, match="gone"):
        BotProcess(Basic().prepare(attacker("plays_along")))
    assert descriptors() == held


# Ending and freezing


def test_the_group_alone_ends_a_daemon_in_another_session(
    base: cgroup.Base, sandbox: Sandbox, attacker: Callable[..., Bot], marker: str
) -> None:
    process = BotProcess(sandbox.prepare(attacker("outlives_the_match")))
    try:
        assert until(lambda: len(left_over(marker)) > 2)
        group_of(process).kill()
        assert until(lambda: left_over(marker) == [])
        assert process.exit_status(5) == "signal SIGKILL"
    finally:
        assert process.end()


def test_a_tree_that_forks_all_the_time_is_frozen_whole(
    base: cgroup.Base, sandbox: Sandbox, attacker: Callable[..., Bot]
) -> None:
    process = BotProcess(sandbox.prepare(attacker("slips_out_of_a_stop")))
    group = group_of(process)
    try:
        assert until(lambda: len(members(group.folder)) > 8)
        for _ in range(5):
            process.pause()
            assert until(lambda: "frozen 1" in Path(group.folder, "cgroup.events").read_text())
            used, there = process.tree_cpu_ns(), members(group.folder)
            time.sleep(0.1)
            assert (process.tree_cpu_ns(), members(group.folder)) == (used, there)
            process.resume()
            assert until(lambda used=used: process.tree_cpu_ns() > used)  # type: ignore[misc]
    finally:
        assert process.end()


def test_it_does_nothing_between_the_stop_and_the_word_of_the_kernel(
    base: cgroup.Base, attacker: Callable[..., Bot]
) -> None:
    """We do not wait for `frozen 1`: what runs until then is the way into the stop, and no more."""
    process = BotProcess(Basic(CAPS).prepare(attacker("thinks_all_the_time")))
    try:
        time.sleep(0.3)
        ran = 0
        for _ in range(20):
            process.resume()
            time.sleep(0.01)
            process.pause()
            used = process.tree_cpu_ns()
            time.sleep(0.02)
            ran += process.tree_cpu_ns() - used
        # A processor's worth would be 400 ms. A time slice that was under way is counted late, up to 4 ms.
        assert ran < 100 * 10**6
    finally:
        assert process.end()


ESCAPES = """
import os, sys, time
base = sys.argv[1]
if os.fork() == 0:
    os.setsid()
    with open(f"{base}/cgroup.procs", "w") as file:
        file.write("0")
    print(os.getpid(), flush=True)
    while True: pass
time.sleep(3600)
"""


def test_a_bot_that_left_its_group_is_stopped_and_ended_all_the_same(
    base: cgroup.Base, tmp_path: Path, marker: str
) -> None:
    """Where a bot sees our file system and has our user it can; matches look again every quarter second."""
    (tmp_path / "escapes.py").write_text(ESCAPES)
    command = (sys.executable, "-S", "escapes.py", _where_we_are(base))
    process = BotProcess(Basic().prepare(Bot("escapes", "0" * 12, command, tmp_path)))
    try:
        escaped = int(_line(process))
        assert escaped not in members(group_of(process).folder)

        def state() -> str:
            task = process_tree.read_task(escaped)
            return task.state if task else "gone"

        process.pause()
        assert state() == "R"
        process.pause()
        assert until(lambda: state() == "T")
        assert until(lambda: "frozen 1" in Path(group_of(process).folder, "cgroup.events").read_text())
        process.resume()
        assert until(lambda: state() == "R")
        assert until(lambda: process_tree.read_task(process.root).state == "S")  # type: ignore[union-attr]
    finally:
        assert process.end()
    assert state() == "gone"


def _where_we_are(base: cgroup.Base) -> str:
    """A group that processes may be in: our own, which is not the base when that has controllers."""
    folder = cgroup.own_folder(
        Path("/proc/self/mountinfo").read_text(), Path("/proc/self/cgroup").read_text()
    )
    return folder or base.folder


def _line(process: BotProcess) -> bytes:
    said = b""
    deadline = time.monotonic() + 20
    while not said.endswith(b"\n") and time.monotonic() < deadline:
        with contextlib.suppress(BlockingIOError):
            said += os.read(process.stdout, 4096)
        time.sleep(0.005)
    return said


# What is left behind

WORKER = """
    import sys, time
    from pathlib import Path
    from arena.bot import Bot, Source
    from arena.process import BotProcess
    from arena.sandbox import Basic, cgroup
    found = cgroup.Found(cgroup.Base(sys.argv[3]))
    cgroup.found = lambda: found
    bot = Bot("b", "0" * 12, (sys.executable, "-S", "outlives_the_match.py"), Path(sys.argv[1]),
              environment=(("MARKER", sys.argv[2]),), source=Source.SUBMITTED)
    process = BotProcess(Basic().prepare(bot))
    print(process._group.folder, flush=True)
    time.sleep(100)
"""


@pytest.fixture
def worker(base: cgroup.Base, marker: str) -> "Iterator[tuple[subprocess.Popen[bytes], Path]]":
    """A process that runs a bot with a daemon, and the folder of that bot's group.

    That is in a folder of its own: other tests run tournaments meanwhile, and these sweep the usual one.
    """
    own = Path(base.folder, f"test-{marker}")
    own.mkdir()
    command = [sys.executable, "-c", textwrap.dedent(WORKER), str(ATTACKS), marker, str(own)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().decode().strip())
        assert until(lambda: len(left_over(marker)) > 2)
        yield process, folder
        process.kill()
    with contextlib.suppress(OSError):
        (folder / "cgroup.kill").write_text("1")
    cgroup._sweep(str(own))
    own.rmdir()


def test_what_a_killed_worker_leaves_is_swept(
    base: cgroup.Base, worker: "tuple[subprocess.Popen[bytes], Path]", marker: str
) -> None:
    process, folder = worker
    cgroup._sweep(str(folder.parent))
    assert len(left_over(marker)) > 2, "its owner is alive"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert folder.is_dir()
    assert left_over(marker), "the daemon lives on, else the test proves nothing"
    (folder / "made-by-the-bot").mkdir()
    cgroup._sweep(str(folder.parent))
    assert not folder.exists()
    assert until(lambda: left_over(marker) == [])


@pytest.mark.parametrize(
    ("name", "stays"),
    [
        ("arena-{namespace}-{dead}-1-7", False),
        ("arena-{namespace}-{me}-1-7", False),  # the same number, another process
        ("arena-{namespace}-{me}-{started}-7", True),
        ("arena-1-{dead}-1-7", True),  # of other process ids than ours
        ("arena-{namespace}-{dead}-7", True),
        ("theirs-{namespace}-{dead}-1-7", True),
    ],
)
def test_a_sweep_takes_what_has_no_owner_and_nothing_else(base: cgroup.Base, name: str, stays: bool) -> None:
    with subprocess.Popen(["true"]) as dead:
        pass
    me = process_tree.read_task(os.getpid())
    assert me is not None
    folder = Path(
        base.folder,
        name.format(namespace=cgroup._namespace(), dead=dead.pid, me=me.pid, started=me.started),
    )
    folder.mkdir()
    try:
        cgroup.sweep()
        assert folder.exists() is stays
    finally:
        with contextlib.suppress(OSError):
            folder.rmdir()


def test_a_sweep_ends_nobody_in_the_group_of_an_arena_itself(base: cgroup.Base) -> None:
    """What it started for its user, a browser perhaps, lives on when the arena has left."""
    with subprocess.Popen(["true"]) as dead:
        pass
    folder = Path(base.folder, f"arena-{cgroup._namespace()}-{dead.pid}-1-0")
    folder.mkdir()
    try:
        with subprocess.Popen(["sleep", "60"]) as browser:
            (folder / "cgroup.procs").write_text(str(browser.pid))
            cgroup.sweep()
            assert browser.poll() is None
            browser.kill()
    finally:
        assert until(lambda: not members(str(folder)))
        folder.rmdir()


# Controllers


@pytest.fixture
def delegated(base: cgroup.Base) -> Iterator[tuple[Path, str]]:
    """A group of its own that has a controller to hand down, and the name of that, whatever it does."""
    control = Path(base.folder, "cgroup.subtree_control")
    offered = Path(base.folder, "cgroup.controllers").read_text().split()
    names = [name for name in (*base.controllers, *offered) if name not in ("cpuset", "cpu")]
    had = control.read_text().split()
    if not names or os.geteuid() != 0:
        pytest.skip(f"NOT TESTED: delegation: no controller in {base.folder}, or we are not root")
    folder = Path(base.folder, f"test-delegated-{os.getpid()}")
    control.write_text(f"+{names[0]}")
    folder.mkdir()
    try:
        yield folder, names[0]
    finally:
        for inner in folder.iterdir():
            if inner.is_dir():
                inner.rmdir()
        folder.rmdir()
        if names[0] not in had:
            control.write_text(f"-{names[0]}")


LOOKS = """
    import os, sys
    from pathlib import Path
    from arena.sandbox import cgroup
    Path(sys.argv[1], "cgroup.procs").write_text("0")
    cgroup.WANTED = (sys.argv[2],)
    found = cgroup.found()
    inside = os.path.basename(Path("/proc/self/cgroup").read_text().rpartition("0::")[2].strip())
    print(found.problem or found.base.folder, *found.base.controllers, inside, flush=True)
"""


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("marked", [True, False])
def test_controllers_are_handed_down_only_by_a_group_that_is_ours_alone(
    marked: bool, ours: bool, delegated: tuple[Path, str]
) -> None:
    folder, controller = delegated
    if marked:
        os.setxattr(folder, "user.delegate", b"1")
    with subprocess.Popen(["sleep", "60"]) as other:
        if not ours:
            (folder / "cgroup.procs").write_text(str(other.pid))
        command = [sys.executable, "-c", textwrap.dedent(LOOKS), str(folder), controller]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        assert members(str(folder)) == (set() if ours else {other.pid})
        other.kill()
    assert said[0] == str(folder)
    if marked and ours:
        assert said[1] == controller
        assert said[2].startswith("arena-")
        assert said[2].endswith("-0")
    else:
        assert said[1:] == [folder.name]
    assert until(lambda: not members(str(folder)))


def test_the_kernel_holds_a_tree_to_its_memory(
    base: cgroup.Base, sandbox: Sandbox, attacker: Callable[..., Bot]
) -> None:
    need_controller(base, "memory")
    process = BotProcess(sandbox.prepare(attacker("takes_memory", "children")))
    try:
        folder = Path(group_of(process).folder)
        assert (folder / "memory.max").read_text().strip() == str(CAPS.memory_bytes)
        assert (folder / "memory.oom.group").read_text().strip() == "1"
        swap = folder / "memory.swap.max"
        assert not swap.exists() or swap.read_text().strip() == "0"
        # Nobody watches: it is ended as a whole without us.
        assert process.exit_status(20) == "signal SIGKILL"
        assert until(lambda: members(str(folder)) == set())
        assert process.ended_for_memory()
        assert process.too_big(whole_tree=True)
        peak = folder / "memory.peak"
        assert not peak.exists() or int(peak.read_text()) <= CAPS.memory_bytes
    finally:
        assert process.end()


def test_a_match_says_that_the_kernel_ended_a_bot_for_its_memory(
    base: cgroup.Base, sandbox: Sandbox, attacker: Callable[..., Bot]
) -> None:
    need_controller(base, "memory")
    taker = attacker("takes_memory", "children")
    # Its output stays open and is silent, since what is said in a match are replies.
    silent = f"exec 3>&1 >&2; exec {taker.command[0]} -S takes_memory.py children"
    taker = dataclasses.replace(taker, command=("/bin/sh", "-c", silent))
    with Table(sandbox) as table:
        fault = table.play(Setup("blockade", limits=PATIENT), taker, attacker("plays_along")).record.fault
    assert fault is not None
    assert (fault.seat, fault.code) == (P1, "crash")
    assert fault.exit_status == "signal SIGKILL (it held more than 128 MiB of memory)"


@pytest.mark.parametrize(("events", "words"), [("oom_kill 1", True), ("oom_kill 0", False), ("low 9", False)])
def test_an_end_for_memory_is_told_in_the_words_of_the_watch(
    events: str, words: bool, attacker: Callable[..., Bot], tmp_path: Path
) -> None:
    process = BotProcess(Basic(CAPS).prepare(attacker("plays_along")))
    real = process._group
    try:
        process._group = Group(str(tmp_path / "group"), (), 0, None)
        process._group.holds_memory = True
        (tmp_path / "group" / "memory.events").write_text(f"low 0\nhigh 0\nmax 12\noom 0\n{events}\n")
        os.kill(process.root, signal.SIGKILL)
        text = Channel(attacker("plays_along"), process, 1000).exit_text()
        expected = "signal SIGKILL (it held more than 128 MiB of memory)" if words else "signal SIGKILL"
        assert text == expected
    finally:
        process._group = real
        process.end()


def test_the_kernel_counts_processes_without_namespaces(base: cgroup.Base, attack: Attack) -> None:
    need_controller(base, "pids")
    ran = attack(Basic(CAPS), "fork_bomb", until="forked")
    assert ran.last("forked") == CAPS.processes - 1
    assert ran.most_processes == CAPS.processes
