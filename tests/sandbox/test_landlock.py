"""The fence where bubblewrap cannot run: what is in force, who can run behind it, and who chooses it."""

import dataclasses
import os
import shutil
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.bot import Bot, Source
from arena.process import BotProcess
from arena.sandbox import Basic, Caps, Sandbox, cgroup, stranger
from arena.sandbox import landlock as fence
from arena.sandbox.choice import bwrap_problem, choose, landlock_problem, run_inside
from arena.sandbox.landlock import Landlock

from .conftest import CAPS, watch

pytestmark = [pytest.mark.processes, pytest.mark.sandbox]

BASH = str(shutil.which("bash"))


def bot_in(folder: Path, *command: str, source: Source = Source.SUBMITTED) -> Bot:
    return Bot("b", "0" * 12, command, folder, source=source)


def says(sandbox: Sandbox, bot: Bot) -> list[str]:
    process = BotProcess(sandbox.prepare(bot))
    try:
        return watch(process, "never").lines
    finally:
        assert process.end()


def test_what_is_in_force_is_seen_from_outside(landlock: Sandbox, attacker: Callable[..., Bot]) -> None:
    process = BotProcess(landlock.prepare(attacker("plays_along")))
    try:
        process.send(b"? ready | ready\n")
        assert watch(process, "ready").lines == ["ready"]
        text = Path(f"/proc/{process.pid}/status").read_text()
        status = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
        assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
        capabilities = {int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")}
        assert capabilities == {0}
        assert not process.wrapped
        if stranger.stranger_ids():
            assert 0 not in {int(word) for word in f"{status['Uid']} {status['Gid']}".split()}
            limits = " ".join(Path(f"/proc/{process.pid}/limits").read_text().split())
            assert f"Max processes {CAPS.processes} {CAPS.processes} " in limits
    finally:
        assert process.end()


def test_python_of_a_virtual_environment_runs(tmp_path: Path, landlock: Sandbox) -> None:
    venv.create(tmp_path / "env", symlinks=True, with_pip=False)
    program = tmp_path / "env" / "bin" / "python3"
    code = "import sys, json; print(sys.prefix)"
    bot = bot_in(tmp_path, str(program), "-c", code, source=Source.COMMAND)
    assert says(landlock, bot) == [str(tmp_path / "env")]


@pytest.mark.parametrize("mode", [0o700, 0o755])
def test_files_that_only_we_can_read_are_still_the_bots(mode: int, landlock: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "private" / "bot"
    folder.mkdir(parents=True)
    (folder / "bot.sh").write_text("echo it runs from $PWD; ls ..; exit 5\n")
    (folder / "bot.sh").chmod(0o600)
    folder.chmod(mode)
    folder.parent.chmod(0o700)
    assert says(landlock, bot_in(folder, BASH, "bot.sh")) == [f"it runs from {folder}"]
    assert (folder / "bot.sh").stat().st_mode & 0o777 == 0o600


def test_a_fenced_program_still_has_what_it_needs(landlock: Sandbox, tmp_path: Path) -> None:
    script = """
        echo lost >/dev/null && echo null
        cat <(echo process substitution)
        echo in a pipe | cat
        head -c 3 /dev/urandom | wc -c
        ls -d . && [ -n "$(ls /proc/$$/fd)" ] && echo itself
    """
    expected = ["null", "process substitution", "in a pipe", "3", ".", "itself"]
    tmp_path.chmod(0o755)
    assert says(landlock, bot_in(tmp_path, BASH, "-c", script)) == expected


def test_pairs_of_sockets_stay_a_pair(landlock: Sandbox, tmp_path: Path) -> None:
    """One for datagrams could send to any socket with a name, whose path Landlock does not look at."""
    code = (
        "import socket\n"
        "for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):\n"
        "    try: print(len(socket.socketpair(socket.AF_UNIX, kind)))\n"
        "    except OSError as error: print(error.strerror)\n"
    )
    expected = ["2", "2", "Operation not permitted"]
    assert says(landlock, bot_in(tmp_path, sys.executable, "-S", "-c", code)) == expected


@pytest.mark.usefixtures("landlock")
def test_a_bot_that_shares_our_user_can_do_it_no_harm() -> None:
    """In a child that has become an ordinary user, when we are root: the bot has the same user then."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    secret = folder / "secret"
    secret.write_text("canary")
    us = os.geteuid()
    # Everybody is tried only as a user whom nobody else is.
    kills = f"kill -9 $PPID; {'kill -9 -1' if us == 0 else ':'}" if fence.version() >= 6 else ":"
    script = f"""
        cat {secret}; echo x >{secret}; chmod 000 {secret}; touch -d 2001-01-01 {secret}; rm {secret}
        {kills}; renice 19 -p $PPID; prlimit -p $PPID --cpu=1
        (ulimit -n 16 && echo own limits) ; cat /proc/$PPID/cmdline; echo went on
    """
    ordinary = us or 54321
    os.chown(secret, ordinary, -1)
    before, before_priority = secret.stat(), os.getpriority(os.PRIO_PROCESS, 0)
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            if us == 0:
                os.setgroups([])
                os.setresgid(ordinary, ordinary, ordinary)
                os.setresuid(ordinary, ordinary, ordinary)
                stranger.stranger_ids.cache_clear()
                cgroup.found.cache_clear()
            said = run_inside(Landlock(), (BASH, "-c", script), 20)
            priority, limit = os.getpriority(os.PRIO_PROCESS, 0), os.sysconf("SC_OPEN_MAX")
            text = f"{said[-4000:]}\nalive {os.getuid()} {priority - before_priority} {limit > 16}"
            os.write(writing, f"{text} {Landlock().description}".encode())
        except BaseException as error:
            os.write(writing, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        said = file.read()
    os.waitpid(pid, 0)
    after, content = secret.stat(), secret.read_text()
    shutil.rmtree(folder)
    signals = "signals, " if fence.version() >= 6 else ""
    assert f"alive {ordinary} 0 True landlock(files, net, {signals}seccomp, memory 1G" in said
    assert "went on" in said
    assert "own limits" in said
    assert content == "canary"
    assert "canary" not in said
    assert (after.st_mode, after.st_mtime) == (before.st_mode, before.st_mtime)


# What older kernels have


@pytest.mark.parametrize(
    ("version", "size", "signals"),
    [(3, 8, False), (4, 16, False), (5, 16, False), (6, 24, True), (99, 24, True)],
)
def test_older_kernels_are_asked_for_what_they_have(
    version: int, size: int, signals: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    class Kernel:
        @staticmethod
        def syscall(number: int, attributes: bytes, length: int, flags: int) -> int:
            assert (number, len(attributes), flags) == (444, length, 0)
            asked.append(length)
            return 7

    monkeypatch.setattr(fence, "version", lambda: version)
    monkeypatch.setattr(fence, "_libc", Kernel)
    assert fence._ruleset(()) == 7
    assert asked == [size]
    monkeypatch.setattr(stranger, "stranger_ids", lambda: range(0))
    assert ("signals" in Landlock().description) is signals
    monkeypatch.setattr(stranger, "stranger_ids", lambda: range(5))
    whole = "landlock(files, net, signals, seccomp, uid, memory 128M, processes 24"
    assert Landlock(CAPS).description.startswith(whole)  # control groups may follow


@pytest.mark.parametrize(
    ("version", "words"), [(0, "none, or it is switched off"), (2, "version 2, and 3 is needed")]
)
def test_a_kernel_without_landlock_is_told(version: int, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fence, "version", lambda: version)
    assert words in landlock_problem()
    with pytest.raises(ValueError, match="landlock does not work here"):
        choose("landlock", CAPS)


def test_root_that_may_not_bind_says_what_must_be_readable(
    monkeypatch: pytest.MonkeyPatch, landlock: Sandbox, tmp_path: Path
) -> None:
    if not stranger.stranger_ids():
        pytest.skip("only root gives its bots another user")
    monkeypatch.setattr(stranger, "can_bind", lambda: False)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(OSError, match=r"must be able to read .*closed"):
        landlock.prepare(bot_in(closed, BASH))
    monkeypatch.setattr(sys, "executable", BASH)
    assert landlock_problem((Path("/usr/not/yet/made"),)) == ""
    assert f"must be able to read {closed}/bots" in landlock_problem((closed / "bots",))


# Which sandbox


@pytest.fixture
def without_bwrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "defpath", str(tmp_path))
    bwrap_problem.cache_clear()
    yield
    bwrap_problem.cache_clear()


@pytest.mark.usefixtures("landlock", "without_bwrap")
def test_where_bubblewrap_is_missing_auto_takes_landlock_and_says_so(tmp_path: Path) -> None:
    sandbox, note = choose("auto", CAPS, (tmp_path,))
    assert sandbox == Landlock(CAPS, (tmp_path,))
    assert "Landlock" in note
    assert "apt install bubblewrap" in note
    assert "\n" not in note


@pytest.mark.usefixtures("without_bwrap")
def test_where_both_are_missing_limits_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fence, "version", lambda: 0)
    sandbox, note = choose("auto", CAPS)
    assert sandbox == Basic(CAPS)
    assert "apt install bubblewrap" in note
    assert "Landlock of this kernel" in note
    assert "\n" not in note


def test_landlock_can_be_asked_for(landlock: Sandbox) -> None:
    assert choose("landlock", CAPS) == (landlock, "")
    assert dataclasses.replace(Landlock(), caps=Caps()) == Landlock()
