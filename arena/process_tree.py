"""The processes that descend from a bot, as `/proc` shows them, and how all of them are ended.

A bot leads a session of its own, and a process can never join our session from outside. As this process is
made the subreaper of its descendants, whatever a bot leaves behind, double-forked daemons included, ends up
as a child of ours in a session that is not ours: so strays are told from children that others started.
"""

import contextlib
import ctypes
import os
import select
import signal
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
prctl = ctypes.CDLL(None, use_errno=True).prctl
"""Looked up once: between fork and exec nothing may be imported or searched for."""

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
PATIENCE_S = 5.0
"""How long a tree may take to die after SIGKILL; only one stuck in the kernel needs more than a moment."""


class Task(NamedTuple):
    """One process: the fields of `/proc/PID/stat` that matter here."""

    pid: int
    state: str
    parent: int
    group: int
    session: int
    cpu_ticks: int
    """User and system time, its own and that of the children it has waited for."""
    started: int
    """Ticks after boot."""
    resident_pages: int


def read_task(pid: int) -> Task | None:
    """The process with this id, or None when there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123 - called for every process
            text = file.read(1024)
    except OSError:
        return None
    # The name stands in brackets and may hold anything, brackets and blanks included.
    _, _, rest = text.rpartition(b") ")
    part = rest.split()
    cpu = int(part[11]) + int(part[12]) + int(part[13]) + int(part[14])
    return Task(
        pid, part[0].decode(), int(part[1]), int(part[2]), int(part[3]), cpu, int(part[19]), int(part[21])
    )


def all_tasks() -> dict[int, Task]:
    """Every process we can see, by id."""
    found = (read_task(int(name)) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208 - names only
    return {task.pid: task for task in found if task is not None}


class Looks:
    """Looks at all processes, shared by those who need one at nearly the same time."""

    def __init__(self) -> None:
        self._taken_ns = 0
        self._tasks: dict[int, Task] = {}

    def tasks(self, age_ns: int) -> dict[int, Task]:
        """Every process we can see, as it was not longer than `age_ns` ago."""
        if time.monotonic_ns() - self._taken_ns > age_ns:
            self._tasks = all_tasks()
            self._taken_ns = time.monotonic_ns()
        return self._tasks


def first_child(pid: int) -> int | None:
    """The oldest living child of a process that has one thread, or None when it has no child."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb", buffering=0) as file:  # noqa: PTH123 - as above
            found = file.read(256).split()
    except OSError:  # a kernel without this file, or it is gone
        tasks = all_tasks().values()
        found = [b"%d" % task.pid for task in sorted(tasks, key=lambda t: t.started) if task.parent == pid]
    return int(found[0]) if found else None


def become_subreaper() -> None:
    """Have orphaned descendants of this process handed to it, not to init."""
    if prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot adopt orphaned processes")


def descendants(roots: Iterable[int], tasks: dict[int, Task]) -> set[int]:
    """The roots that exist, and all their children's children."""
    children: dict[int, list[int]] = {}
    for task in tasks.values():
        children.setdefault(task.parent, []).append(task.pid)
    found: set[int] = set()
    ahead = [pid for pid in roots if pid in tasks]
    while ahead:
        pid = ahead.pop()
        if pid not in found:
            found.add(pid)
            ahead += children.get(pid, ())
    return found


def members(root: int, tasks: dict[int, Task]) -> set[int]:
    """A bot's tree: what descends from it, and what is still in its session."""
    return descendants({root} | {t.pid for t in tasks.values() if t.session == root}, tasks)


def strays(since: int, spared: Collection[int], tasks: dict[int, Task]) -> set[int]:
    """Orphans handed to us that started at tick `since` or later and belong to no bot of `spared`."""
    me, session = os.getpid(), os.getsid(0)
    return descendants(
        (
            t.pid
            for t in tasks.values()
            if t.parent == me
            and t.session != session
            and t.started >= since
            and t.pid not in spared
            and t.session not in spared
        ),
        tasks,
    )


def signal_quietly(pid: int, number: int, *, group: bool = False) -> None:
    """Send a signal to a process, or to a whole group at once; gone already is fine."""
    # Permission is refused for a zombie of another user, which is as good as gone.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        (os.killpg if group else os.kill)(pid, number)


def await_end(pid: int, patience_ms: int) -> None:
    """Wait until a process that was killed is dead; it is not reaped."""
    with contextlib.suppress(OSError):  # gone already
        fd = os.pidfd_open(pid)
        try:
            ended = select.poll()
            ended.register(fd, select.POLLIN)
            ended.poll(patience_ms)
        finally:
            os.close(fd)


def end_tree(root: int, since: int, spared: Collection[int]) -> bool:
    """SIGKILL a bot's tree and all strays until nobody is left; False when somebody outlived the patience.

    Groups are killed whole, because that is the one step a fork bomb cannot outrun. The root itself is only
    killed, not reaped: its exit status belongs to whoever started it.
    """
    deadline = time.monotonic() + PATIENCE_S
    pause = 0.0005
    own_group = os.getpgrp()
    while True:
        tasks = all_tasks()
        doomed = members(root, tasks) | strays(since, spared, tasks)
        alive = [tasks[pid] for pid in doomed if tasks[pid].state not in "ZX"]
        for group in {task.group for task in alive} - {own_group, 0}:
            signal_quietly(group, signal.SIGKILL, group=True)
        for task in alive:
            signal_quietly(task.pid, signal.SIGKILL)
        for pid in doomed - {root}:
            _reap(pid, tasks)
        # A dead process whose dead parent has yet to leave it to us would stay as a zombie.
        ours_to_be = any(tasks[pid].parent in doomed for pid in doomed)
        if not alive and not ours_to_be:
            return True
        if time.monotonic() > deadline:
            return not alive
        time.sleep(pause)
        pause = min(pause * 2, 0.05)


def _reap(pid: int, tasks: dict[int, Task]) -> None:
    if tasks[pid].state == "Z" and tasks[pid].parent == os.getpid():
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def tree_cpu_ns(root: int) -> int:
    """CPU time of the living tree and of all children it has waited for."""
    tasks = all_tasks()
    return sum(tasks[pid].cpu_ticks for pid in members(root, tasks)) * TICK_NS


def run_delay_ns(pid: int) -> int | None:
    """Time that the threads of a process and of its children stood in line for a processor, in all.

    None when the kernel does not count it. Reads a few files of `/proc` instead of all, so it costs little.
    """
    total, ahead = 0, [pid]
    while ahead:
        folder = f"/proc/{ahead.pop()}/task"
        try:
            threads = os.listdir(folder)  # noqa: PTH208 - names only
        except OSError:
            continue  # gone
        for thread in threads:
            try:
                with open(f"{folder}/{thread}/schedstat", "rb", buffering=0) as file:  # noqa: PTH123 - as above
                    total += int(file.read(64).split()[1])
                with open(f"{folder}/{thread}/children", "rb", buffering=0) as file:  # noqa: PTH123 - as above
                    ahead += map(int, file.read(1024).split())
            except FileNotFoundError:
                if not os.path.exists("/proc/self/schedstat"):  # noqa: PTH110 - as above
                    return None
            except (OSError, ValueError, IndexError):
                continue
    return total


def tree_memory_bytes(root: int) -> int:
    """Resident memory of the whole tree; pages shared between its processes count for each."""
    tasks = all_tasks()
    return sum(tasks[pid].resident_pages for pid in members(root, tasks)) * PAGE_BYTES


INODE_BYTES = 1024
"""What the kernel keeps for one file in memory beside its content, roughly."""


def private_bytes(pid: int, folders: Iterable[str]) -> int:
    """Memory behind file systems that only this process and its family have; empty files cost some, too."""
    held = 0
    for folder in folders:
        with contextlib.suppress(OSError):
            status = os.statvfs(f"/proc/{pid}/root{folder}")
            held += (status.f_blocks - status.f_bfree) * status.f_frsize
            held += (status.f_files - status.f_ffree) * INODE_BYTES
    return held


_READS = {0, 63, 17, 19, 65, 67}
"""Numbers of read, pread and readv on x86-64 and arm64; their first argument is the descriptor."""
_WAITS = {7, 23, 232, 270, 271, 281, 441, 22, 72, 73}
"""Numbers of poll, select and epoll_wait in their variants on the same two."""


def waits_for_input(pid: int) -> bool:
    """Whether a thread of the process sleeps in a read of descriptor 0 or in a wait for events.

    A guess for a sentence in plain words, never the ground of a ruling.
    """
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return False
    for thread in threads:
        try:
            number, *arguments = (thread / "syscall").read_text().split()
        except (OSError, ValueError):
            continue  # gone, or not ours to look at
        if not number.isdigit():
            continue  # running
        if int(number) in _WAITS or (int(number) in _READS and arguments[:1] == ["0x0"]):
            return True
    return False
