"""Real processes: how bots are started, spoken to and ended."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import process_tree
from arena.bot import Bot
from arena.process import BotProcess, exit_text
from arena.sandbox import Basic, Caps, Launch, Off, Sandbox, cgroup

pytestmark = pytest.mark.processes


def python_bot(code: str, **environment: str) -> Bot:
    command = (sys.executable, "-c", textwrap.dedent(code))
    return Bot("test", "0" * 12, command, Path("/"), environment=tuple(environment.items()))


def start(code: str, sandbox: Sandbox | None = None, **environment: str) -> BotProcess:
    return BotProcess((sandbox or Basic()).prepare(python_bot(code, **environment)))


def until(condition, seconds: float = 20.0) -> bool:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def read_line(process: BotProcess) -> bytes:
    got = b""

    def more() -> bool:
        nonlocal got
        with contextlib.suppress(BlockingIOError):
            got += os.read(process.stdout, 65536)
        return got.endswith(b"\n")

    assert until(more), got
    return got.rstrip(b"\n")


def gone(pid: int) -> bool:
    return process_tree.read_task(pid) is None


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    before, children = len(list(Path("/proc/self/fd").iterdir())), children_of_ours()
    yield
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert children_of_ours() <= children


def children_of_ours() -> set[int]:
    return {t.pid for t in process_tree.all_tasks().values() if t.parent == os.getpid()}


def test_a_bot_sees_a_bare_environment_and_no_descriptors_of_ours() -> None:
    os.environ["ARENA_CANARY"] = "secret"
    with Path("/dev/null").open() as kept:
        os.set_inheritable(kept.fileno(), True)
        process = start("import os; print(sorted(os.environ), os.listdir('/proc/self/fd'))", OWN="1")
        line = read_line(process)
        process.end()
    del os.environ["ARENA_CANARY"]
    names = ["HOME", "LANG", "OWN", "PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"]
    # The fourth descriptor is the one that lists the folder.
    assert line.decode() == f"{names} ['0', '1', '2', '3']"


def test_a_bot_leads_its_own_session_and_has_default_signals() -> None:
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = start(
            """
            import os, signal
            print(os.getsid(0) == os.getpgrp() == os.getpid(), signal.getsignal(signal.SIGTERM),
                  open('/proc/self/status').read().split('SigIgn:')[1].split()[0])
            """
        )
    finally:
        signal.signal(signal.SIGINT, old)
    leads, _, ignored = read_line(process).decode().split()
    assert leads == "True"
    assert not int(ignored, 16) >> signal.SIGINT - 1 & 1
    process.end()


@pytest.mark.parametrize(
    ("name", "value"), [("CORE", 0), ("NOFILE", 100), ("FSIZE", 1 << 20), ("DATA", 1 << 28), ("CPU", 77)]
)
def test_the_basic_sandbox_sets_limits(name: str, value: int) -> None:
    caps = Caps(memory_bytes=1 << 28, open_files=100, file_bytes=1 << 20, cpu_s=77)
    process = start(f"import resource; print(resource.getrlimit(resource.RLIMIT_{name}))", Basic(caps))
    assert read_line(process).decode() == f"({value}, {value})"
    process.end()


def test_ending_a_bot_ends_children_sessions_and_daemons_and_leaves_no_zombie() -> None:
    process = start(
        """
        import os, sys, time
        pids = [os.getpid()]
        def child():
            pid = os.fork()
            if not pid: time.sleep(3600)
            pids.append(pid)
        child()
        read, write = os.pipe()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.setsid()
                os.write(write, f'{os.getpid()}\\n'.encode())
                time.sleep(3600)
            os._exit(0)
        pids.append(int(os.read(read, 99)))
        os.wait()
        print(*pids)
        time.sleep(3600)
        """
    )
    pids = [int(word) for word in read_line(process).split()]
    assert len(pids) == 3
    assert process.end()
    assert all(gone(pid) for pid in pids)
    assert process.exit_status() == "signal SIGKILL"


def test_ending_one_bot_leaves_the_other_and_our_own_children_alone() -> None:
    own = subprocess.Popen(["sleep", "3600"])
    first, second = (start("import time; print('here'); time.sleep(3600)") for _ in range(2))
    try:
        assert read_line(second) == b"here"
        assert first.end()
        assert own.poll() is None
        assert second.exit_status() is None
    finally:
        second.end()
        own.kill()
        own.wait()


def test_a_fork_bomb_in_one_group_is_ended() -> None:
    process = start(
        """
        import os, time
        end = time.time() + 60
        made = 0
        while time.time() < end:
            if made < 8 and os.fork() == 0:
                made = 0 if os.getpid() % 4 == 0 else 8
            elif made == 0:
                print('up')
            made += 1
            time.sleep(0.01)
        """
    )
    assert read_line(process)
    root = process.root
    assert process.end()
    assert not any(t.session == root for t in process_tree.all_tasks().values())


def test_bots_die_with_the_worker_that_is_killed() -> None:
    worker = subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent(
                """
                import sys, time
                from pathlib import Path
                from arena.bot import Bot
                from arena.process import BotProcess
                from arena.sandbox import Off
                bot = Bot('x', '0', ('sleep', '3600'), Path('/'))
                process = BotProcess(Off().prepare(bot))
                print(process.pid, flush=True)
                time.sleep(3600)
                """
            ),
        ],
        stdout=subprocess.PIPE,
    )
    assert worker.stdout is not None
    pid = int(worker.stdout.readline())
    assert not gone(pid)
    worker.kill()
    worker.wait()
    worker.stdout.close()
    assert until(lambda: (task := process_tree.read_task(pid)) is None or task.state == "Z")
    if not gone(pid) and pid in children_of_ours():  # we may be the subreaper that inherits it
        os.waitpid(pid, 0)


def test_writing_to_a_bot_that_never_reads_never_blocks() -> None:
    process = start("import time; time.sleep(3600)")
    for _ in range(20):
        process.send(b"x" * 65536)
    assert len(process.pending) >= 19 * 65536 - 65536
    process.send_pending()
    assert process.pending
    process.end()


def test_a_late_reader_gets_every_byte() -> None:
    process = start("import sys, time; time.sleep(0.2); print(len(sys.stdin.buffer.read(500000)))")
    process.send(b"a" * 300_000)
    process.send(b"b" * 200_000)

    def sent() -> bool:
        process.send_pending()
        return not process.pending

    assert until(sent)
    assert read_line(process) == b"500000"
    process.end()


def test_writing_to_a_bot_that_left_is_not_our_error() -> None:
    process = start("pass")
    assert process.exit_status(20.0) == "exit 0"
    process.send(b"hello\n")
    assert process.pending == b""
    process.end()


def test_stderr_is_drained_counted_and_kept_as_a_tail() -> None:
    code = "import os; [os.write(2, b'x' * 1000) for _ in range(2000)]; os.write(2, b'last words')"
    process = BotProcess(Basic().prepare(python_bot(code)), stderr_kept=100)
    assert until(lambda: not process.drain_stderr() or process.stderr_count == 2_000_010)
    assert process.stderr_count == 2_000_010
    assert process.stderr_tail() == b"x" * 90 + b"last words"
    process.end()


def test_cpu_time_is_the_bots_own_and_stays_known_when_it_is_gone() -> None:
    process = start("sum(range(3_000_000)); print('done'); import time; time.sleep(3600)")
    read_line(process)
    used = process.cpu_ns()
    assert used > 1_000_000
    assert process.tree_cpu_ns() >= used
    process.end()
    assert process.cpu_ns() >= used


def test_cpu_time_of_the_tree_counts_children() -> None:
    process = start(
        """
        import os, time
        if os.fork() == 0:
            end = time.process_time() + 0.3
            while time.process_time() < end: pass
            os._exit(0)
        os.wait(); print('done'); time.sleep(3600)
        """
    )
    read_line(process)
    assert process.tree_cpu_ns() > process.cpu_ns() + 200_000_000
    process.end()


def test_standing_in_line_for_a_processor_is_measured() -> None:
    """Three that never rest share a processor and wait most of the time; one that sleeps does not."""
    pin = "import os, time\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nprint('up')\n"
    busy = [start(pin + "while True: pass") for _ in range(3)]
    asleep = start(pin + "time.sleep(3600)")
    for process in (*busy, asleep):
        read_line(process)
    waited = [process.run_delay_ns() or 0 for process in busy]
    rested = asleep.run_delay_ns()
    assert until(lambda: all((p.run_delay_ns() or 0) > w + 10**8 for p, w in zip(busy, waited, strict=True)))
    assert rested is not None
    assert (asleep.run_delay_ns() or 0) < rested + 10**8
    for process in (*busy, asleep):
        process.end()


@pytest.mark.parametrize(
    ("code", "waits"),
    [
        ("import sys; print('up'); sys.stdin.readline()", True),
        ("import select; print('up'); select.select([0], [], [])", True),
        ("import time; print('up'); time.sleep(3600)", False),
        ("print('up')\nwhile True: pass", False),
    ],
)
def test_a_bot_that_waits_for_input_is_told_from_one_that_sleeps_or_works(code: str, waits: bool) -> None:
    process = start(code)
    read_line(process)
    assert until(process.waits_for_input, 5.0 if waits else 0.2) is waits
    process.end()


@pytest.mark.parametrize("grouped", [True, False])
def test_pause_stops_the_whole_tree_and_resume_lets_it_go_on(
    grouped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if grouped and cgroup.found().base is None:
        pytest.skip(f"NOT TESTED: the freezer: {cgroup.found().problem}")
    if not grouped:
        monkeypatch.setattr(cgroup, "new_group", lambda *_: None)
    process = start(
        """
        import os, time
        child = os.fork()
        if child == 0:
            os.setsid()
            while True: pass
        time.sleep(0.1)
        print(child)
        while True: pass
        """
    )
    child = int(read_line(process))
    process.pause()

    def states() -> set[str]:
        tasks = [process_tree.read_task(pid) for pid in (process.pid, child)]
        return {task.state for task in tasks if task}

    assert until(lambda: states() == {"S" if grouped else "T"})
    used = process.tree_cpu_ns()
    time.sleep(0.1)
    assert process.tree_cpu_ns() == used
    process.resume()
    assert until(lambda: states() == {"R"})
    process.end()
    assert gone(child)


def test_memory_of_the_whole_tree_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "new_group", lambda *_: None)  # the watch, and not the kernel
    process = start(
        """
        import os, time
        for _ in range(3):
            if os.fork() == 0:
                held = bytearray(40 << 20)
                for i in range(0, len(held), 4096): held[i] = 1
                print('full', flush=True)
                time.sleep(3600)
        time.sleep(3600)
        """,
        Basic(Caps(memory_bytes=100 << 20)),
    )
    assert until(lambda: process.too_big(whole_tree=True))
    assert not process.too_big(whole_tree=False)
    process.end()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("pass", "exit 0"),
        ("raise SystemExit(7)", "exit 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "signal SIGSEGV"),
    ],
)
def test_how_a_process_ended_is_named(code: str, text: str) -> None:
    process = start(code)
    assert process.exit_status(20.0) == text
    process.end()


def test_a_wrapper_passes_signals_on_as_numbers() -> None:
    assert exit_text(139, wrapped=True) == "signal SIGSEGV"
    assert exit_text(139) == "exit 139"
    assert exit_text(-64 - 30) == "signal 94"


@pytest.mark.parametrize(
    ("command", "folder"), [(("/no/such/program",), "/"), (("sleep", "1"), "/no/such/folder")]
)
def test_what_cannot_be_started_is_an_os_error_and_leaks_nothing(
    command: tuple[str, ...], folder: str
) -> None:
    with pytest.raises(FileNotFoundError):
        BotProcess(Off().prepare(Bot("x", "0", command, Path(folder))))


def test_a_wrapper_reports_the_bots_process() -> None:
    read, write = os.pipe()
    code = f"""
import os, sys, time, json
child = os.fork()
if child == 0: time.sleep(3600)
os.write({write}, json.dumps({{"child-pid": child}}).encode())
os.close({write})
time.sleep(3600)
"""
    launch = Launch((sys.executable, "-c", code), (), Path("/"), pass_fds=(write,), info_fd=read)
    process = BotProcess(launch)
    assert process.pid != process.root
    assert not gone(process.pid)
    process.end()
    assert gone(process.pid)


def test_a_wrapper_that_fails_is_our_fault() -> None:
    read, write = os.pipe()
    launch = Launch((sys.executable, "-c", "pass"), (), Path("/"), pass_fds=(write,), info_fd=read)
    with pytest.raises(OSError, match="sandbox did not start"):
        BotProcess(launch)
