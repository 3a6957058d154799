"""Bots behind a fence of the kernel's own, where bubblewrap cannot run: Landlock and a system call filter.

A fenced bot shares our namespaces. It reads and runs what it is shown and writes nothing at all, since no
quota would bound what it writes; it opens no socket and signals nobody but its own. All is made ready before
the fork; between fork and exec there are a few system calls.
"""

import ctypes
import errno
import os
import resource
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from arena.bot import Bot
from arena.process_tree import prctl
from arena.sandbox import Caps, Launch, bare_environment, cgroup, resource_limits, seccomp, stranger
from arena.sandbox.bwrap import size_text
from arena.sandbox.visible import own_paths, view_of

OLDEST = 3
"""The first version of Landlock that keeps a bot from emptying files; Linux has it since 6.2."""
_TCP_SINCE, _DEVICES_SINCE, _SIGNALS_SINCE = 4, 5, 6

_EXECUTE, _WRITE, _READ, _LIST, _EMPTY = 1, 2, 4, 8, 1 << 14
_LOOK = _EXECUTE | _READ | _LIST
_CHANGE = (1 << 15) - 1
"""Everything but control of devices: writing, making, removing, renaming."""
_OF_FILES = _EXECUTE | _WRITE | _READ | _EMPTY
"""What can be granted for a single file; the kernel refuses the rest there."""
_TCP, _OUTSIDE = 3, 3
"""To bind and connect; to reach abstract sockets and to send signals beyond the fence."""

_ALSO = (
    *(("/dev/null", _READ | _WRITE), ("/dev/zero", _READ), ("/dev/random", _READ), ("/dev/urandom", _READ)),
    # Settings without secrets: programs do without them where they are missing, not where they are refused.
    ("/etc/ssl/openssl.cnf", _READ),
)
_ITSELF = tuple(
    (Path("/proc/self", name), _READ | _LIST) for name in ("stat", "statm", "status", "maps", "fd")
)
"""What runtimes ask of themselves; the rest of /proc tells of others. Holds for the first process only."""
_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""Numbers of Landlock's three system calls, the same on all processors that we have a filter for."""
_NO_NEW_PRIVILEGES, _FILTER, _AMBIENT, _CLEAR = 38, 22, 47, 4
_libc = ctypes.CDLL(None, use_errno=True)

Rule = tuple[Path, int]
"""A place, and what may be done at it and beneath."""


@dataclass(frozen=True)
class Landlock:
    """The sandbox for strangers' bots where bubblewrap cannot run. `hidden` are folders no bot may read."""

    caps: Caps = field(default_factory=Caps)
    hidden: tuple[Path, ...] = ()

    @property
    def description(self) -> str:
        """`landlock(files, net, signals, seccomp, uid, memory 1G, processes 64)`: what is really in force."""
        other_user = bool(stranger.stranger_ids())
        parts = ["files", "net"]
        parts += ["signals"] if other_user or version() >= _SIGNALS_SINCE else []
        parts += ["seccomp", *(["uid"] if other_user else [])]
        parts += [f"memory {size_text(self.caps.memory_bytes)}"]
        parts += [f"processes {self.caps.processes}"] if other_user else []
        parts += filter(None, [cgroup.description()])
        return f"landlock({', '.join(parts)})"

    def prepare(self, bot: Bot) -> Launch:
        """Start the bot's command in its own folder, which it can read and not change."""
        seen = bot.folder.stat().st_mtime_ns, os.environ.get("PATH")
        return _launch(_known(self, bot, seen))


@dataclass(frozen=True)
class Fence:
    """One program to start, and where the fence around it runs."""

    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    cwd: Path
    shown: tuple[Path, ...]
    own: tuple[Path, ...]
    caps: Caps
    writable: bool = False
    """Whether `own` may be written to."""
    hidden: tuple[Path, ...] = ()
    uid: int | None = None
    """The user to be when we are root; a new one by default."""


class _Ready(NamedTuple):
    """What holds for every start of a fenced program."""

    fence: Fence
    rules: tuple[Rule, ...]
    late_rules: tuple[Rule, ...]
    """For what only the new process has: its entry in /proc, copies that it makes, its own tree of mounts."""
    staged: tuple[tuple[Path, bool], ...]


def start(fence: Fence) -> Launch:
    """How to start a fenced program; raises OSError when its user could not reach what it needs."""
    return _launch(_made_ready(fence))


@cache
def version() -> int:
    """The version of Landlock that this kernel has, 0 for none."""
    return max(0, int(_libc.syscall(_CREATE, None, 0, 1)))


def problem(needed: Iterable[Path] = ()) -> str:
    """Why there is no fence to be had here, in one line, as far as can be told without making one.

    `needed` are places that bots live in, or will.
    """
    if version() < OLDEST:
        found = f"version {version()}, and {OLDEST} is needed" if version() else "none, or it is switched off"
        return f"Landlock of this kernel: {found} (Linux 6.2 has it)"
    if not _filter(attributes=False):
        return f"there is no filter of system calls for {os.uname().machine}"
    if os.geteuid() != 0:
        return ""
    if not stranger.stranger_ids():
        return "the arena runs as root and has no other user for bots"
    for path in (Path(sys.executable), *needed):
        if not stranger.can_walk_to(path) and not stranger.can_bind():
            return _unreachable(path)
    return ""


def _unreachable(path: Path) -> str:
    return f"bots of root run as another user, who must be able to read {path}"


@lru_cache(maxsize=256)
def _known(sandbox: Landlock, bot: Bot, seen: tuple[object, ...]) -> _Ready:
    """Worked out once while what is seen stays the same: a tournament starts the same bots many times."""
    del seen
    own = tuple(source for source, _ in own_paths(bot))
    shown, environment = view_of(bot).shown, bare_environment(bot)
    return _made_ready(
        Fence(bot.command, environment, bot.folder, shown, own, sandbox.caps, hidden=sandbox.hidden)
    )


def _made_ready(fence: Fence) -> _Ready:
    staged: list[tuple[Path, bool]] = []
    for path in (*fence.shown, *fence.own) if stranger.stranger_ids() else ():
        if not (fence.writable and path in fence.own and stranger.can_walk_to(path)):
            stranger.reachable(path, staged, whole=path in fence.own and not fence.writable)
    if staged and not stranger.can_bind():
        raise OSError(_unreachable(staged[0][0]))
    copies = {source for source, copied in staged if copied}
    rights = _CHANGE if fence.writable else _LOOK
    hidden = tuple(path.resolve() for path in fence.hidden)
    rules: list[Rule] = [(Path(name), allowed) for name, allowed in _ALSO if Path(name).exists()]
    rules += [(path, _LOOK) for root in fence.shown for path in _without(root, hidden)]
    # Python finds a package by its name in the folder that it is in: names beneath that can be listed then.
    packages = (path for path in fence.shown if (path / "__init__.py").is_file())
    late = [*_ITSELF, *((path.parent, _LIST) for path in packages)]
    for root in fence.own:
        (late if root in copies else rules).extend((path, rights) for path in _without(root, hidden))
    return _Ready(fence, tuple(rules), tuple(late), tuple(staged))


def _without(root: Path, hidden: tuple[Path, ...]) -> Iterator[Path]:
    """The largest places at or beneath a path that have none of the hidden in them: rules only ever add."""
    real = root.resolve()
    inside = tuple(path for path in hidden if path.is_relative_to(real))
    if not inside:
        yield root
    elif real not in inside:
        for path in sorted(root.iterdir()):
            if not path.is_symlink():  # one needs no rule to be followed, and its target is another matter
                yield from _without(path, inside)


def _launch(ready: _Ready) -> Launch:
    fence, ids = ready.fence, stranger.stranger_ids()
    become = None
    limits = resource_limits(fence.caps)
    if ids:
        uid = fence.uid or stranger.next_stranger(ids)
        become = stranger.become(uid, ready.staged, in_place=True)
        # The kernel counts for each user: for one that we share, the count would be that of everybody.
        limits += ((resource.RLIMIT_NPROC, fence.caps.processes),)
    program = _filter(attributes=fence.writable)
    ruleset = _ruleset(ready.rules)
    return Launch(
        fence.command,
        fence.environment,
        fence.cwd,
        pass_fds=(ruleset,),  # closed again by the new process, before the program begins
        before_exec=_shut_in(ruleset, ready.late_rules, program, become, fence.cwd),
        rlimits=limits,
        memory_bytes=fence.caps.memory_bytes,
        processes=fence.caps.processes,
    )


@cache
def _filter(*, attributes: bool) -> bytes:
    """The filter of system calls, or nothing on a machine that there is no table for."""
    try:
        return seccomp.program(apart=False, attributes=attributes)
    except ValueError:
        return b""


class _Program(ctypes.Structure):
    """A filter as the kernel takes it: how many instructions, and where they are."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _shut_in(
    ruleset: int,
    late_rules: tuple[Rule, ...],
    program: bytes,
    become: Callable[[], None] | None,
    cwd: Path,
) -> Callable[[], None]:
    """What the new process does last: become another user, and put up a fence that nothing takes down."""
    code = _Program(len(program) // 8, program)

    def run() -> None:
        if become is not None:
            become()
            os.chdir(cwd)  # as it is in its own tree of mounts
        for path, rights in late_rules:
            _allow(ruleset, path, rights)
        _check(prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _check(prctl(_AMBIENT, _CLEAR, 0, 0, 0))
        _check(_libc.syscall(_RESTRICT, ruleset, 0))
        os.close(ruleset)
        _check(prctl(_FILTER, 2, ctypes.byref(code), 0, 0))

    return run


def _ruleset(rules: tuple[Rule, ...]) -> int:
    """A descriptor of rules by which everything is refused that they do not allow."""
    found = version()
    handled = _CHANGE | (1 << 15 if found >= _DEVICES_SINCE else 0)
    wanted = [handled]
    wanted += [_TCP] if found >= _TCP_SINCE else []
    wanted += [_OUTSIDE] if found >= _SIGNALS_SINCE else []
    attributes = struct.pack(f"={len(wanted)}Q", *wanted)
    ruleset = _check(_libc.syscall(_CREATE, attributes, len(attributes), 0))
    try:
        for path, rights in rules:
            _allow(ruleset, path, rights)
    except BaseException:
        os.close(ruleset)
        raise
    return ruleset


def _allow(ruleset: int, path: Path, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        allowed = rights if path.is_dir() else rights & _OF_FILES
        _check(_libc.syscall(_ADD, ruleset, 1, struct.pack("=Qi", allowed, place), 0))
    finally:
        os.close(place)


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno() or errno.EPERM
        raise OSError(number, os.strerror(number))
    return result
