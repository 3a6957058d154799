"""Bots in namespaces of their own, made by bubblewrap: they see no file, process or network but their own.

The arguments travel through a pipe, because a command line can be read inside. The wrapper's own environment
is empty, because a bot's settings (LD_PRELOAD) must not act outside.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from arena.bot import Bot
from arena.sandbox import Caps, Launch, bare_environment, cgroup, resource_limits, seccomp, stranger
from arena.sandbox.visible import BOT, View, own_paths, view_of

INSIDE_ID = 1000
"""User and group that a bot sees itself as."""
PRIVATE_FOLDERS = ("/tmp", "/dev/shm")  # noqa: S108 - the bot's own, not ours
"""File systems in memory, made for one bot and gone with it; each has the size an organiser allows."""
WRAPPERS = 4
"""Processes around a bot at most: the wrapper, the shell that is process 1, and those that set things up."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
"""No terminals: a bot that opens them by the thousand takes them from everybody."""
_DEVICE_LINKS = (
    *(("/proc/self/fd", "/dev/fd"), ("/proc/self/fd/0", "/dev/stdin")),
    *(("/proc/self/fd/1", "/dev/stdout"), ("/proc/self/fd/2", "/dev/stderr")),
)
_FIRST_PROCESS = """
ulimit -u "$1" || exit 125
"${@:3}" <&0 1>&"$2"- &
out=$2
exec {out}>&- <&- 2>/dev/null
wait $!
"""
"""A shell that is process 1 of the sandbox: it starts the bot, holds none of its output open, ends with it.
It is confined like the bot, which could write to its memory; bubblewrap's own first process would not be."""
_APART = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
    *("--unshare-cgroup-try", "--disable-userns", "--cap-drop", "ALL", "--new-session", "--die-with-parent"),
    *("--as-pid-1", "--uid", str(INSIDE_ID), "--gid", str(INSIDE_ID), "--hostname", "arena", "--clearenv"),
)


@dataclass(frozen=True)
class Plan:
    """One program to start in the sandbox."""

    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    view: View
    own: tuple[tuple[Path, Path], ...]
    """Folders and files beside the view, with the places where they appear; the work begins in `/bot`."""
    caps: Caps
    writable: bool = False
    """Whether `own` may be written to."""
    hidden: tuple[Path, ...] = ()
    uid: int | None = None
    """The user to be when we are root; a new one by default."""


@dataclass(frozen=True)
class Bwrap:
    """The sandbox for strangers' bots. `hidden` are folders no bot may see, even below what it is shown."""

    caps: Caps = field(default_factory=Caps)
    hidden: tuple[Path, ...] = ()

    @property
    def description(self) -> str:
        """`bwrap(seccomp, net, pid, uid, memory 1G, processes 64, cgroup kill freeze)`."""
        parts = ["seccomp"] if system_calls() else []
        parts += ["net", "pid", "uid", f"memory {size_text(self.caps.memory_bytes)}"]
        parts += [f"processes {self.caps.processes}", *filter(None, [cgroup.description()])]
        return f"bwrap({', '.join(parts)})"

    def prepare(self, bot: Bot) -> Launch:
        """Start the bot's command in `/bot`, which is its folder, read-only."""
        seen = (
            bot.folder.stat().st_mtime_ns,
            os.environ.get("PATH"),
            *(path.is_dir() for path in self.hidden),
        )
        return _launch(*_known(self, bot, seen))


class _Ready(NamedTuple):
    """What can be worked out before a start, and holds for the next start as well."""

    arguments: bytes
    command: tuple[str, ...]
    staged: tuple[tuple[Path, bool], ...]


def start(plan: Plan) -> Launch:
    """How to start a plan; raises OSError when a program that this needs is missing."""
    return _launch(plan, _made_ready(plan))


@lru_cache(maxsize=256)
def _known(sandbox: Bwrap, bot: Bot, seen: tuple[object, ...]) -> tuple[Plan, _Ready]:
    """Worked out once while what is seen stays the same: a tournament starts the same bots many times."""
    del seen
    plan = Plan(
        command=bot.command,
        environment=(
            *bare_environment(bot),
            *(() if "HOME" in dict(bot.environment) else (("HOME", "/tmp"),)),  # noqa: S108 - its own
        ),
        view=view_of(bot),
        own=own_paths(bot),
        caps=sandbox.caps,
        hidden=tuple(path for path in sandbox.hidden if not bot.folder.is_relative_to(path)),
    )
    return plan, _made_ready(plan)


def _launch(plan: Plan, ready: _Ready) -> Launch:
    program, shell = needed_program("bwrap"), needed_program("bash")
    ids = stranger.stranger_ids()
    report, reporter = os.pipe2(os.O_CLOEXEC)
    pass_fds = [reporter]
    try:
        late = ["--info-fd", str(reporter)]
        if system_calls():
            pass_fds.append(_filled_pipe(system_calls()))
            late += ["--seccomp", str(pass_fds[-1])]
        pass_fds.append(_filled_pipe(ready.arguments + _packed(late)))
    except BaseException:
        for fd in (report, *pass_fds):
            os.close(fd)
        raise
    # The shell counts as a process, too.
    entry = (
        shell,
        "-p",
        "-c",
        _FIRST_PROCESS,
        "arena",
        str(plan.caps.processes + 1),
        "stdout",
        *ready.command,
    )
    argv = (program, "--args", str(pass_fds[-1]), "--", *entry)
    return Launch(
        argv,
        env=(),
        cwd=Path("/"),
        pass_fds=tuple(pass_fds),
        info_fd=report,
        stdout_at=argv.index("stdout"),
        before_exec=stranger.become(plan.uid or stranger.next_stranger(ids), ready.staged) if ids else None,
        rlimits=resource_limits(plan.caps),
        memory_bytes=plan.caps.memory_bytes,
        processes=plan.caps.processes + WRAPPERS,
        private_folders=PRIVATE_FOLDERS,
    )


def _made_ready(plan: Plan) -> _Ready:
    staged: list[tuple[Path, bool]] = []
    arguments = [*_APART, *_mounts(plan, staged if stranger.stranger_ids() else None)]
    arguments += [word for pair in _environment(plan) for word in ("--setenv", *pair)]
    command = tuple(_inside(word, plan) for word in plan.command)
    return _Ready(_packed(arguments), command, tuple(staged))


def _packed(arguments: list[str]) -> bytes:
    return b"".join(os.fsencode(word) + b"\0" for word in arguments)


@cache
def system_calls() -> bytes:
    """The filter of system calls, or nothing on a machine that there is no table for."""
    try:
        return seccomp.program()
    except ValueError:
        return b""


def size_text(size: int) -> str:
    """`512M`; the largest unit that loses nothing."""
    for shift, unit in ((30, "G"), (20, "M"), (10, "K")):
        if size and size % (1 << shift) == 0:
            return f"{size >> shift}{unit}"
    return str(size)


def needed_program(name: str) -> str:
    """Where a program is that the sandbox is made of; raises OSError with a sentence."""
    found = _located(name, os.environ.get("PATH"))
    if found is None:
        package = {"bwrap": "bubblewrap"}.get(name, name)
        raise FileNotFoundError(f"{name} is needed and was not found; install it with: apt install {package}")
    return found


@lru_cache(maxsize=16)
def _located(name: str, search_path: str | None) -> str | None:
    return shutil.which(name, path=search_path) or shutil.which(name, path=os.defpath)


def _mounts(plan: Plan, staged: list[tuple[Path, bool]] | None) -> Iterator[str]:
    """The arguments that make the file system; with `staged`, unreachable sources are entered there."""
    for link in (*plan.view.links, *_DEVICE_LINKS):
        yield from ("--symlink", *link)
    yield from ("--proc", "/proc", "--dir", str(BOT))
    for device in _DEVICES:
        yield from ("--dev-bind", device, device)
    for folder in PRIVATE_FOLDERS:
        yield from ("--perms", "1777", "--size", str(plan.caps.tmp_bytes), "--tmpfs", folder)
    for path in plan.view.shown:
        yield from ("--ro-bind", str(stranger.reachable(path, staged)), str(path))
        yield from _covers(path, path, plan.hidden)
    for source, place in plan.own:
        option = "--bind" if plan.writable else "--ro-bind"
        yield from (option, str(stranger.reachable(source, staged, whole=not plan.writable)), str(place))
        yield from _covers(source, place, plan.hidden)
    yield from ("--remount-ro", "/", "--chdir", str(BOT))


def _covers(source: Path, place: Path, hidden: tuple[Path, ...]) -> Iterator[str]:
    """Something empty over every hidden folder that a bind would show."""
    for path in hidden:
        if path.is_relative_to(source) and path.is_dir():
            yield from ("--perms", "0555", "--tmpfs", str(place / path.relative_to(source)))
            yield from ("--remount-ro", str(place / path.relative_to(source)))


def _environment(plan: Plan) -> Iterator[tuple[str, str]]:
    for key, value in plan.environment:
        if key == "PATH":
            folders = [folder for folder in value.split(os.pathsep) if _is_inside(folder, plan)]
            yield key, os.pathsep.join(_inside(folder, plan) for folder in folders) or os.defpath
        else:
            yield key, _inside(value, plan)


def _is_inside(folder: str, plan: Plan) -> bool:
    """Whether a folder of the PATH exists in the sandbox: names of others tell of the user for nothing."""
    linked = any(Path(folder).is_relative_to(place) for _, place in plan.view.links)
    return linked or plan.view.holds(folder) or any(Path(folder).is_relative_to(own) for own, _ in plan.own)


def _inside(word: str, plan: Plan) -> str:
    """A word of the command as it is said inside: paths in the bot's folder begin with `/bot` there."""
    if not word.startswith("/"):
        return word
    path = Path(os.path.normpath(word))
    for source, place in plan.own:
        if path.is_relative_to(source):
            return str(place / path.relative_to(source))
    return word


def _filled_pipe(content: bytes) -> int:
    """The reading end of a pipe that holds the content; far below what a pipe takes without a reader."""
    reading, writing = os.pipe2(os.O_CLOEXEC)
    try:
        os.set_blocking(writing, False)
        if os.write(writing, content) == len(content):
            return reading
        os.close(reading)
        raise OSError("the arguments of the sandbox do not fit into a pipe")
    finally:
        os.close(writing)
