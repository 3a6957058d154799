"""Attack bots for real, judged from outside: what they must not achieve under each layer that promises it."""

import contextlib
import dataclasses
import hashlib
import os
import platform
import pty
import select
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import arena
from arena.bot import Bot
from arena.game import P1, P2
from arena.limits import Limits, duration_ns
from arena.match import Table
from arena.process_tree import PAGE_BYTES
from arena.referee import Setup
from arena.sandbox import Basic, Sandbox, seccomp, stranger
from arena.sandbox.bwrap import Bwrap
from arena.sandbox.landlock import Landlock

from .conftest import ATTACKS, CAPS, Attack, Ran, left_over, need_process_limit, own_place, until, watch

pytestmark = [pytest.mark.processes, pytest.mark.sandbox]

PATIENT = Limits(start_ns=duration_ns("30s"), turn_ns=duration_ns("30s"))
HALF = "orange"
CANARY = f"{HALF}-canary"
MIB = 1 << 20


def test_every_attack_is_used() -> None:
    text = Path(__file__).read_text()
    unused = [path.stem for path in ATTACKS.glob("*.py") if f'"{path.stem}"' not in text]
    assert unused == []


# Taking more than one's share


def test_a_fork_bomb_ends_at_the_limit(shut: Sandbox, attack: Attack) -> None:
    need_process_limit(shut)
    ran = attack(shut, "fork_bomb", until="forked")
    assert 1 < ran.last("forked") < CAPS.processes
    # The wrapper, its init and the shell that became the bot do not fork.
    assert ran.most_processes <= CAPS.processes + 3


def test_a_fork_bomb_is_ended_whole(sandbox: Sandbox, attack: Attack, marker: str) -> None:
    assert attack(sandbox, "fork_bomb", until="forked").most_processes > 5
    assert left_over(marker) == []


def test_threads_count_as_processes(shut: Sandbox, attack: Attack) -> None:
    need_process_limit(shut)
    assert 1 < attack(shut, "thread_bomb", until="started").last("started") < CAPS.processes


def test_limits_of_two_bots_are_apart(shut: Sandbox, attacker: Callable[..., Bot], attack: Attack) -> None:
    from arena.process import BotProcess

    need_process_limit(shut)
    first = BotProcess(shut.prepare(attacker("fork_bomb")))
    try:
        select.select([first.stdout], [], [], 20)
        assert 1 < attack(shut, "fork_bomb", until="forked").last("forked") < CAPS.processes
    finally:
        assert first.end()


@pytest.mark.parametrize("kind", ["private", "shared", "children"])
def test_memory_is_limited(kind: str, sandbox: Sandbox, attack: Attack) -> None:
    ran = attack(sandbox, "takes_memory", kind, until="has")
    assert ran.ended_for_memory or any(line.startswith("refused") for line in ran.lines), ran
    assert ran.last("holds") * MIB < 6 * CAPS.memory_bytes, "far less than the 2 GiB it would have taken"


@pytest.mark.parametrize("kind", ["tmp", "dev-shm"])
def test_no_disk_is_filled(kind: str, shut: Sandbox, attack: Attack) -> None:
    """Private file systems are small; behind Landlock there is nowhere to write."""
    ran = attack(shut, "takes_memory", kind, until="has")
    assert len(ran.lines) == 1
    assert ran.lines[0].startswith(f"refused: [Errno {28 if isinstance(shut, Bwrap) else 13}]")


@pytest.mark.parametrize("kind", ["memfd", "system-v"])
def test_memory_that_nobody_counts_is_not_to_be_had(kind: str, shut: Sandbox, attack: Attack) -> None:
    ran = attack(shut, "takes_memory", kind, until="has")
    assert len(ran.lines) == 1
    assert ran.lines[0].startswith("refused:")


def test_pipes_hold_no_more_than_the_kernel_lets_a_user(shut: Sandbox, attack: Attack) -> None:
    ran = attack(shut, "takes_memory", "pipes", until="has")
    assert ran.lines[-1].startswith("refused:")


@pytest.mark.usefixtures("bwrap")
def test_empty_files_count_as_memory(attack: Attack) -> None:
    small = Bwrap(dataclasses.replace(CAPS, memory_bytes=40 * MIB))
    ran = attack(small, "fills_with_empty_files", until="made them all")
    assert ran.ended_for_memory
    assert ran.last("made") < 400_000


# Looking around


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder whose owner refuses nobody anything, as the ones of pytest do: it is up to the sandbox."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


@pytest.fixture
def secrets(open_folder: Path) -> dict[str, Path]:
    """Results, and an opponent's folder, with a canary in each, open to all but for the sandbox."""
    home = open_folder / "home"
    found = {"results": home / "results" / "arena.sqlite", "opponent": home / "bots" / "other" / "bot.py"}
    for path in found.values():
        path.parent.mkdir(parents=True)
        path.write_text(f"# {CANARY}\n")
        path.chmod(0o666)
        for folder in path.parents[:2]:
            folder.chmod(0o777)
    home.chmod(0o777)
    return found


def test_empty_files_cannot_be_made_where_nothing_is_written(landlock: Sandbox, attack: Attack) -> None:
    ran = attack(landlock, "fills_with_empty_files", until="made them all")
    assert len(ran.lines) == 1
    assert ran.lines[0].startswith("refused: [Errno 13]")


def test_no_secret_can_be_read(
    shut: Sandbox, attack: Attack, secrets: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_SECRET", CANARY)
    me = os.getpid()
    places = [
        *(str(path) for path in secrets.values()),
        *(str(path.parent) for path in secrets.values()),
        *(f"/proc/{me}/{name}" for name in ("environ", "cwd", "root", "mem")),
        f"/proc/{me}/root{secrets['results']}",
        str(Path.home()),
    ]
    # Folders on the way to the interpreter exist, and are empty but for it.
    shown = (Path(sys.prefix), Path(sys.base_prefix), Path(arena.__file__).parent)
    ways = {f"{word} {parent}" for word in ("SEEN", "LISTED") for path in shown for parent in path.parents}
    ran = attack(shut, "reads_secrets", HALF=HALF, PLACES=places)
    assert ran.lines[-1] == "done", ran
    # Landlock does not hide that something is there.
    told = {line for line in ran.achieved() if isinstance(shut, Bwrap) or not line.startswith("SEEN")}
    assert told <= (ways if isinstance(shut, Bwrap) else set())
    assert CANARY not in "\n".join(ran.lines)


def test_a_lone_file_does_not_see_what_lies_beside_it(shut: Sandbox, attacker: Callable[..., Bot]) -> None:
    bot = attacker("reads_secrets", HALF=HALF, PLACES=["beside.py"])
    (bot.folder / "beside.py").write_text(f"# {CANARY}")
    alone = dataclasses.replace(bot, files=("reads_secrets.py",))
    seen = ["FOUND beside.py", f"FOUND {own_place(shut, bot)}/beside.py"]
    for each, found in ((bot, seen), (alone, [])):
        assert [line for line in _output(shut, each).achieved() if line.startswith("FOUND")] == found


def test_folders_that_are_hidden_stay_so(attacker: Callable[..., Bot], shut: Sandbox) -> None:
    bot = attacker("reads_secrets", HALF=HALF, PLACES=["results", "results/arena.sqlite"])
    (bot.folder / "results").mkdir()
    (bot.folder / "results" / "arena.sqlite").write_text(CANARY)
    (bot.folder / "other").mkdir()
    (bot.folder / "other" / "file").write_text(CANARY)
    assert f"FOUND {own_place(shut, bot)}/results/arena.sqlite" in _output(shut, bot).lines
    hidden = (bot.folder / "results",)
    ran = _output(Bwrap(CAPS, hidden) if isinstance(shut, Bwrap) else Landlock(CAPS, hidden), bot)
    assert not [line for line in ran.achieved() if line.startswith("FOUND") and "results" in line]
    assert ran.lines[-1] == "done"


def test_a_manifest_cannot_have_a_foreign_program_shown(
    shut: Sandbox, attacker: Callable[..., Bot], tmp_path: Path
) -> None:
    program = tmp_path / "private" / "bin" / "tool"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho {CANARY}\n")
    program.chmod(0o755)
    bot = dataclasses.replace(attacker("leaks"), command=(str(program),))
    if isinstance(shut, Landlock):
        with pytest.raises((PermissionError, FileNotFoundError)):
            _output(shut, bot)
        return
    ran = _output(shut, bot)
    assert ran.exit_status == "exit 127"
    assert CANARY not in "\n".join(ran.lines)


def test_other_processes_cannot_be_seen_or_traced(
    shut: Sandbox, attack: Attack, victim: "subprocess.Popen[bytes]"
) -> None:
    ran = attack(shut, "looks_into_processes", PIDS=[os.getpid(), victim.pid])
    # Process 1 of a namespace is as confined as the bot itself, so looking into that one gains nothing.
    inside = ["processes 2", "OPENED /proc/1/mem", "done"]
    assert ran.lines == (inside if isinstance(shut, Bwrap) else ["processes 0", "done"])


def test_nothing_of_ours_is_handed_down(
    sandbox: Sandbox, attack: Attack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_SECRET", CANARY)
    (tmp_path / "secret").write_text(CANARY)
    leaked = os.open(tmp_path / "secret", os.O_RDONLY)
    os.set_inheritable(leaked, True)
    try:
        ran = attack(sandbox, "leaks")
    finally:
        os.close(leaked)
    assert CANARY not in "\n".join(ran.lines)
    descriptors = [line.split()[1:] for line in ran.lines if line.startswith("fd ")]
    # Beside the three of every program there is the one with which it lists the folder of descriptors.
    assert sorted(fd for fd, *_ in descriptors if int(fd) < 3) == ["0", "1", "2"]
    assert [target for fd, target in descriptors if int(fd) < 3 and not target.startswith("pipe:")] == []
    assert len(descriptors) <= 4
    assert not any(str(tmp_path / "secret") in target for _, *rest in descriptors for target in rest)


# Changing things


def _fingerprint(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path): (
            path.lstat().st_mode,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted(folder.rglob("*"))
    }


def test_nothing_can_be_written(
    shut: Sandbox,
    attacker: Callable[..., Bot],
    secrets: dict[str, Path],
    tmp_path: Path,
    open_folder: Path,
) -> None:
    places = [str(path) for path in secrets.values()] + [str(path.parent) for path in secrets.values()]
    bot = attacker("writes_everywhere", PLACES=[*places, str(tmp_path), sys.prefix, sys.base_prefix])
    before = _fingerprint(tmp_path) | _fingerprint(open_folder)
    ran = _output(shut, bot)
    assert ran.lines == ["done"], ran
    assert _fingerprint(tmp_path) | _fingerprint(open_folder) == before
    for place in (tmp_path, Path("/"), Path("/usr"), Path("/etc"), Path(sys.prefix), Path(sys.base_prefix)):
        assert not (place / "arena-attack-was-here").exists()


def test_no_state_is_carried_to_the_next_start(shut: Sandbox, attack: Attack) -> None:
    private = [f"left {folder}/arena-attack-note" for folder in ("/dev/shm", "/tmp")]
    for _ in range(2):
        ran = attack(shut, "leaves_a_note")
        assert sorted(ran.lines) == ["done", *(private if isinstance(shut, Bwrap) else ())]
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run"):
        assert not Path(folder, "arena-attack-note").exists()


@pytest.fixture
def victim() -> "Iterator[subprocess.Popen[bytes]]":
    """A process in a group of its own that must live on."""
    with subprocess.Popen(["sleep", "600"], process_group=0) as process:
        yield process
        assert process.poll() is None, "the victim was killed"
        process.kill()


def test_nobody_else_can_be_killed(
    shut: Sandbox,
    attack: Attack,
    victim: "subprocess.Popen[bytes]",
    attacker: Callable[..., Bot],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from arena.process import BotProcess

    opponent = BotProcess(shut.prepare(attacker("plays_along")))
    user = 0
    if stranger.stranger_ids():
        user = stranger.next_stranger(stranger.stranger_ids())
        monkeypatch.setattr(stranger, "next_stranger", lambda _: user)
    try:
        pids = [os.getpid(), os.getppid(), victim.pid, opponent.root, opponent.pid]
        ran = attack(shut, "kills_others", PIDS=pids, ONLY_USER=str(user))
        assert ran.achieved() == []
        # For a user whom nobody else is, the kernel says that all is well and that nobody was there.
        tried = {"tries everybody", "nobody is there"} if isinstance(shut, Bwrap) else {"tries everybody"}
        assert set(ran.lines) == {*(tried if user or isinstance(shut, Bwrap) else ()), "done"}
        assert opponent.exit_status() is None
    finally:
        opponent.end()


def test_no_core_is_dumped(sandbox: Sandbox, attacker: Callable[..., Bot]) -> None:
    bot = attacker("dumps_core")
    before = _fingerprint(bot.folder)
    ran = _output(sandbox, bot)
    assert ran.lines == ["refused"] or (os.geteuid() == 0 and isinstance(sandbox, Basic))
    assert ran.exit_status == "signal SIGSEGV"
    assert _fingerprint(bot.folder) == before


# Reaching out


@pytest.fixture
def listeners(open_folder: Path) -> Iterator[tuple[dict[str, object], list[socket.socket]]]:
    """Listening sockets of each kind, and where they listen."""
    with contextlib.ExitStack() as stack:
        kinds = {
            "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, f"\0arena-{os.getpid()}"),
            "unix": (socket.AF_UNIX, socket.SOCK_STREAM, str(open_folder / "socket")),
        }
        told: dict[str, object] = {}
        found = []
        for name, (family, kind, address) in kinds.items():
            listener = stack.enter_context(socket.socket(family, kind))
            listener.bind(address)
            if kind is socket.SOCK_STREAM:
                listener.listen()
            if name == "unix":
                Path(str(address)).chmod(0o777)
            told[name] = listener.getsockname()[1] if family == socket.AF_INET else str(address).strip("\0")
            found.append(listener)
        yield told, found


def test_the_network_cannot_be_reached(
    shut: Sandbox, attack: Attack, listeners: tuple[dict[str, object], list[socket.socket]]
) -> None:
    told, sockets = listeners
    ran = attack(shut, "uses_network", LISTENERS=told)
    assert ran.lines[-1] == "done"
    assert ran.achieved() == []
    assert select.select(sockets, [], [], 0)[0] == [], "somebody called"


def test_the_same_calls_do_arrive_without_a_sandbox(
    attack: Attack, listeners: tuple[dict[str, object], list[socket.socket]]
) -> None:
    told, sockets = listeners
    attack(Basic(CAPS), "uses_network", LISTENERS=told)
    assert select.select(sockets, [], [], 0)[0] == sockets, "else the test above proves nothing"


@pytest.mark.skipif(
    platform.machine() not in seccomp.MACHINES, reason="NOT TESTED: no filter for this machine"
)
def test_system_calls_are_refused(shut: Sandbox, attack: Attack) -> None:
    column = seccomp.MACHINES[platform.machine()].column
    table = seccomp.NUMBERS | ({} if isinstance(shut, Bwrap) else seccomp.SHARED | seccomp.ATTRIBUTES)
    examined = ("socket", "ioctl", "prlimit64", "socketpair")
    numbers = {name: found[column] for name, found in table.items() if name not in examined}
    wanted = {name: number for name, number in numbers.items() if number is not None} | {"unknown": 999}
    ran = attack(shut, "calls_the_kernel", CALLS=wanted)
    ended = {line.split()[1]: line.split()[2:] for line in ran.lines if line.startswith("call ")}
    assert ended.keys() == wanted.keys()
    hidden = {"clone3", "userfaultfd", "memfd_create", "memfd_secret", "io_setup", "unknown"}
    hidden |= {name for name in wanted if name.startswith("io_uring")}
    for name, (result, error) in ended.items():
        assert (name, result, error) == (name, "-1", "ENOSYS" if name in hidden else "EPERM")


def test_nothing_is_typed_on_the_terminal(sandbox: Sandbox) -> None:
    """Under a real terminal: the session that starts the bot has one, and the bot looks for it."""
    kind = sandbox.description.partition("(")[0]
    name = "types_on_the_terminal"
    script = f"""
        import sys, time
        from pathlib import Path
        from arena.bot import Bot, Source
        from arena.sandbox import Caps
        from arena.sandbox.choice import choose
        from arena.process import BotProcess
        command = (sys.executable, "-S", "{name}.py", {"" if kind == "basic" else "others"!r})
        bot = Bot("typist", "0" * 12, command, Path({str(ATTACKS)!r}), source=Source.SUBMITTED)
        process = BotProcess(choose({kind!r}, Caps()).sandbox.prepare(bot))
        status = process.exit_status(20)
        process.end()
        print("ended", status, flush=True)
        time.sleep(0.2)
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", textwrap.dedent(script)])
    said = b""
    deadline = time.monotonic() + 30
    try:
        while b"ended" not in said and time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.2)[0]:
                said += os.read(terminal, 4096)
        time.sleep(0.1)
        while select.select([terminal], [], [], 0)[0]:
            said += os.read(terminal, 4096)
    except OSError:
        pass  # the other side is closed
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
    assert b"ended exit 0" in said
    assert b"TYPED" not in said
    if kind != "basic":
        assert b"WRITTEN" not in said


# In a match


@pytest.mark.parametrize("attack_name", ["fork_bomb", "takes_memory"])
def test_the_opponents_clock_is_unharmed(
    attack_name: str, shut: Sandbox, attacker: Callable[..., Bot]
) -> None:
    arguments = ("private",) if attack_name == "takes_memory" else ("1",)
    bots = attacker(attack_name, *arguments), attacker("plays_along")
    held = _resident_bytes()
    with Table(shut) as table:
        record = table.play(Setup("blockade", limits=PATIENT), *bots).record
    assert _resident_bytes() < held + 16 * MIB, "what a bot does must not pile up in the referee"
    assert record.winner is P2
    assert record.sandbox == shut.description
    assert record.fault is not None
    assert record.fault.seat is P1
    assert all(ply.wall_us < 5_000_000 for ply in record.plies if ply.seat is P2)


def test_nothing_is_remembered_from_one_match_to_the_next(
    shut: Sandbox, attacker: Callable[..., Bot]
) -> None:
    bots = attacker("remembers_the_last_match"), attacker("plays_along")
    with Table(shut, keep=0) as table:
        for seed in range(2):
            record = table.play(Setup("blockade", seed=seed, limits=PATIENT), *bots).record
            assert record.fault is None
            assert record.reason != "resign"


def test_no_daemon_outlives_the_match(sandbox: Sandbox, attacker: Callable[..., Bot], marker: str) -> None:
    with Table(sandbox) as table:
        bots = attacker("outlives_the_match"), attacker("plays_along")
        record = table.play(Setup("blockade", limits=PATIENT), *bots).record
        assert record.fault is None
        assert until(lambda: len(left_over(marker)) > 2), "it never ran"
    assert left_over(marker) == []


@pytest.mark.parametrize("name", ["thinks_all_the_time", "slips_out_of_a_stop"])
def test_nobody_thinks_on_the_opponents_time(
    name: str, sandbox: Sandbox, attacker: Callable[..., Bot]
) -> None:
    restless, slow = attacker(name), attacker("sleeps_first")
    with Table(sandbox, ponder=False) as table:
        record = table.play(Setup("blockade", {"size": "4"}, limits=PATIENT), restless, slow).record
    assert record.fault is None or record.fault.seat is P1, record.fault
    used_us = int(dict(word.split("=") for word in dict(record.headers)["CPU"].split())["P1"])
    slow_us = sum(ply.wall_us for ply in record.plies if ply.seat is P2)
    own_us = sum(ply.wall_us for ply in record.plies if ply.seat is P1)
    assert slow_us > 400_000
    # They would burn all the time there is; stopped, they have the start, their own plies, and what it takes
    # to find those that were forked in the last moment.
    assert used_us < own_us + slow_us / 2 + 300_000


@pytest.mark.usefixtures("bwrap")
def test_the_whole_tree_dies_with_a_worker_that_is_killed(marker: str) -> None:
    """SIGKILL to the process that started the bot, which has no time to end anything."""
    script = f"""
        import sys, time
        from pathlib import Path
        from arena.bot import Bot, Source
        from arena.process import BotProcess
        from arena.sandbox.choice import choose
        from arena.sandbox import Caps
        bot = Bot("b", "0" * 12, (sys.executable, "-S", "outlives_the_match.py"), Path({str(ATTACKS)!r}),
                  environment=(("MARKER", {marker!r}),), source=Source.SUBMITTED)
        process = BotProcess(choose("bwrap", Caps()).sandbox.prepare(bot))
        time.sleep(1)
        print("up", flush=True)
        time.sleep(100)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        assert len(left_over(marker)) > 2
        worker.kill()
    deadline = time.monotonic() + 10
    while left_over(marker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left_over(marker) == []


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES


def _output(sandbox: Sandbox, bot: Bot) -> Ran:
    from arena.process import BotProcess

    process = BotProcess(sandbox.prepare(bot))
    try:
        return watch(process, "done")
    finally:
        assert process.end()
