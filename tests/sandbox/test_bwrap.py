"""The sandbox for strangers' bots at work: what is in force, who can run in it, what it makes of failures."""

import dataclasses
import os
import platform
import shutil
import sys
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from arena import process_tree
from arena.bot import Bot, Source
from arena.limits import Limits, duration_ns
from arena.match import Table, VoidMatch
from arena.process import BotProcess
from arena.referee import Setup
from arena.sandbox import Basic, Caps, Off, Sandbox, cgroup, seccomp, stranger
from arena.sandbox.bwrap import Bwrap, size_text
from arena.sandbox.choice import bwrap_problem, choose, run_inside
from arena.sandbox.visible import own_paths, view_of

from .conftest import CAPS, watch

pytestmark = [pytest.mark.processes, pytest.mark.sandbox]

PATIENT = Limits(start_ns=duration_ns("120s"), turn_ns=duration_ns("60s"))
BAD_BOTS = Path(__file__).parents[1] / "processes" / "bad_bots"


def bot_in(folder: Path, *command: str, source: Source = Source.SUBMITTED) -> Bot:
    return Bot("b", "0" * 12, command, folder, source=source)


def test_what_is_in_force_is_seen_from_outside(bwrap: Sandbox, attacker: Callable[..., Bot]) -> None:
    process = BotProcess(bwrap.prepare(attacker("plays_along")))
    try:
        process.send(b"? ready | ready\n")
        assert watch(process, "ready").lines == ["ready"]
        process.cpu_ns()
        tasks = process_tree.all_tasks()
        first = tasks[process.pid].parent
        assert tasks[first].parent == process.root
        for pid in (process.pid, first):
            text = Path(f"/proc/{pid}/status").read_text()
            status = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
            users = {int(word) for word in f"{status['Uid']} {status['Gid']}".split()}
            assert 0 not in users
            assert {int(value, 16) for key, value in status.items() if key.startswith("Cap")} == {0}
            assert status["NoNewPrivs"] == "1"
            assert status["Seccomp"] == ("2" if platform.machine() in seccomp.MACHINES else "0")
            limits = Path(f"/proc/{pid}/limits").read_text()
            assert f"Max processes {CAPS.processes + 1} {CAPS.processes + 1} " in " ".join(limits.split())
            for space in ("user", "pid", "net", "ipc", "uts", "mnt"):
                theirs, ours = (Path(f"/proc/{who}/ns/{space}").readlink() for who in (pid, "self"))
                assert theirs != ours
        assert os.getsid(process.pid) not in (os.getsid(0), os.getsid(process.root))
    finally:
        assert process.end()


def test_the_bots_own_cpu_time_is_measured(bwrap: Sandbox, attacker: Callable[..., Bot]) -> None:
    process = BotProcess(bwrap.prepare(attacker("thinks_all_the_time")))
    try:
        process.send(b"? ready | ready\n")
        watch(process, "ready")
        before, tree = process.cpu_ns(), process.tree_cpu_ns()
        process.exit_status(0.6)
        assert process.cpu_ns() - before > 50 * 10**6
        assert process.tree_cpu_ns() - tree > process.cpu_ns() - before, "its child burns as well"
    finally:
        assert process.end()


@pytest.mark.parametrize(
    ("name", "reason", "exit_status"),
    [
        ("closes_stdout", "closed-output", None),
        ("segfaults", "crash", "signal SIGSEGV"),
        ("forks_and_exits", "crash", "exit 3"),
        ("exits_at_once", "crash", "exit 7"),
        ("stops_itself", "timeout", None),
        ("never_flushes", "timeout", None),
        ("huge_line", "output-limit", None),
    ],
)
def test_failures_look_as_they_do_outside(
    name: str, reason: str, exit_status: str | None, bwrap: Sandbox, attacker: Callable[..., Bot]
) -> None:
    bad = bot_in(BAD_BOTS, sys.executable, "-S", f"{name}.py")
    limits = Limits(
        start_ns=duration_ns("30s"), turn_ns=duration_ns("500ms" if reason == "timeout" else "30s")
    )
    with Table(bwrap) as table:
        record = table.play(Setup("blockade", limits=limits), bad, attacker("plays_along")).record
    assert record.fault is not None
    assert (record.reason, record.fault.exit_status) == (reason, exit_status)
    if name == "never_flushes":
        assert "flush" in record.fault.sentence


def test_an_abort_is_told_as_one(bwrap: Sandbox, tmp_path: Path) -> None:
    process = BotProcess(bwrap.prepare(bot_in(tmp_path, sys.executable, "-S", "-c", "import os; os.abort()")))
    try:
        watch(process, "never")
        assert process.exit_status(10) == "signal SIGABRT"
    finally:
        process.end()


def test_python_of_a_virtual_environment_runs(tmp_path: Path, bwrap: Sandbox) -> None:
    venv.create(tmp_path / "env", symlinks=True, with_pip=False)
    program = tmp_path / "env" / "bin" / "python3"
    bot = bot_in(tmp_path, str(program), "-c", "import sys, json; print(sys.prefix)", source=Source.COMMAND)
    process = BotProcess(bwrap.prepare(bot))
    try:
        # The folder of the command is `/bot` inside, and so is what lies in it.
        assert watch(process, "never").lines == ["/bot/env"]
    finally:
        process.end()


def test_a_program_outside_the_system_brings_its_folder_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    for name in ("tools/node/bin/node", ".cargo/bin/rustc", "bin/mine"):
        (home / name).parent.mkdir(parents=True)
        (home / name).touch(mode=0o755)
    monkeypatch.setenv("HOME", str(home))
    folders = {"node": home / "tools/node", "rustc": home / ".cargo/bin", "mine": home / "bin"}
    for program, folder in (
        ("tools/node/bin/node", "node"),
        (".cargo/bin/rustc", "rustc"),
        ("bin/mine", "mine"),
    ):
        monkeypatch.setenv("PATH", f"{(home / program).parent}:/usr/bin")
        shown = view_of(bot_in(tmp_path / "bot", str(home / program))).shown
        assert [path for path in shown if path.is_relative_to(tmp_path)] == [folders[folder]]
    monkeypatch.setenv("PATH", "/usr/bin")
    assert not any(
        p.is_relative_to(tmp_path) for p in view_of(bot_in(tmp_path / "bot", str(home / "bin/mine"))).shown
    )


def test_a_command_typed_at_home_sees_only_what_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "bot.js").touch()
    typed = bot_in(tmp_path, "/usr/bin/node", "bot.js", source=Source.COMMAND)
    assert own_paths(typed) == ((tmp_path / "bot.js", Path("/bot/bot.js")),)
    elsewhere = dataclasses.replace(typed, folder=tmp_path / "work")
    assert own_paths(elsewhere) == ((tmp_path / "work", Path("/bot")),)


@pytest.mark.parametrize("mode", [0o700, 0o755])
def test_files_that_only_we_can_read_are_still_the_bots(mode: int, bwrap: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "private" / "bot"
    folder.mkdir(parents=True)
    (folder / "bot.sh").write_text("echo it runs from $PWD; exit 5\n")
    (folder / "bot.sh").chmod(0o600)
    folder.chmod(mode)
    folder.parent.chmod(0o700)
    process = BotProcess(bwrap.prepare(bot_in(folder, str(shutil.which("bash")), "bot.sh")))
    try:
        ran = watch(process, "never")
        assert (ran.lines, process.exit_status(10)) == (["it runs from /bot"], "exit 5")
    finally:
        process.end()
    assert (folder / "bot.sh").stat().st_mode & 0o777 == 0o600


def test_settings_of_a_bot_do_not_act_outside(bwrap: Sandbox, tmp_path: Path) -> None:
    bot = dataclasses.replace(
        bot_in(tmp_path, "/usr/bin/env"), environment=(("LD_PRELOAD", "/evil.so"), ("BASH_ENV", "/evil"))
    )
    launch = bwrap.prepare(bot)
    for fd in (*launch.pass_fds, launch.info_fd):
        assert fd is not None
        os.close(fd)
    assert launch.env == ()
    assert not any("evil" in word for word in launch.argv)


@pytest.mark.usefixtures("bwrap")
def test_an_ordinary_user_is_protected_as_well(tmp_path: Path) -> None:
    """Under root: in a child that has become an ordinary user, who sees the same limits hold."""
    if os.geteuid() != 0:
        pytest.skip("all other tests run as an ordinary user already")
    shell = str(shutil.which("dash") or shutil.which("bash"))
    script = "for i in 1 2 3 4 5 6 7 8 9; do sleep 5 & done; echo went on"
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setresgid(54321, 54321, 54321)
            os.setresuid(54321, 54321, 54321)
            stranger.stranger_ids.cache_clear()
            cgroup.found.cache_clear()
            said = run_inside(Bwrap(Caps(processes=6)), (shell, "-c", script), 20)
            os.write(writing, said.encode()[-4000:] + b"\nbecame 54321")
        except BaseException as error:
            os.write(writing, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        said = file.read()
    os.waitpid(pid, 0)
    assert "became 54321" in said
    assert "fork" in said, "the limit on processes does not hold"


def test_a_folder_that_is_too_big_to_copy_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bwrap: Sandbox
) -> None:
    if not stranger.stranger_ids():
        pytest.skip("only root has to copy what others may not read")
    monkeypatch.setattr(stranger, "MAX_BYTES", 10)
    (tmp_path / "data").write_text("more than ten bytes")
    tmp_path.chmod(0o700)
    bot = bot_in(tmp_path, "/usr/bin/cat")
    with Table(bwrap) as table, pytest.raises(VoidMatch, match="readable for all users"):
        table.play(Setup("blockade"), bot, bot)


# Which sandbox


def test_kinds_give_what_they_say() -> None:
    assert choose("off", CAPS).sandbox == Off()
    assert choose("basic", CAPS) == (Basic(CAPS), "")


@pytest.mark.usefixtures("bwrap")
def test_auto_takes_bubblewrap_where_it_works(tmp_path: Path) -> None:
    assert choose("auto", CAPS, (tmp_path,)) == (Bwrap(CAPS, (tmp_path,)), "")


def test_where_bubblewrap_is_missing_that_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "defpath", str(tmp_path))
    bwrap_problem.cache_clear()
    try:
        assert "apt install bubblewrap" in choose("auto", CAPS).note
        with pytest.raises(ValueError, match="does not work here"):
            choose("bwrap", CAPS)
    finally:
        bwrap_problem.cache_clear()


def test_where_bubblewrap_is_broken_its_words_are_passed_on(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    folder = Path(tempfile.mkdtemp())  # where a bot's user can walk to, too
    request.addfinalizer(lambda: shutil.rmtree(folder))
    folder.chmod(0o755)
    (folder / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\n")
    (folder / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    bwrap_problem.cache_clear()
    try:
        assert "No permissions to create new namespace" in choose("auto", CAPS).note
    finally:
        bwrap_problem.cache_clear()


@pytest.mark.parametrize(
    ("size", "text"), [(1 << 30, "1G"), (512 << 20, "512M"), (1536 << 20, "1536M"), (1000, "1000"), (0, "0")]
)
def test_sizes_are_short(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("uid_map", "ids"),
    [
        ("0 0 4294967295", stranger.PREFERRED),
        ("0 100000 65536", range(60_100, 65_000)),
        ("0 1000 1", range(0)),
        ("0 1000 1\n1 100000 65536", range(60_100, 65_000)),
    ],
)
def test_user_ids_for_bots_are_those_we_have(
    uid_map: str, ids: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert stranger.stranger_ids(uid_map) == ids
    stranger.stranger_ids.cache_clear()
