"""One bot's control group (cgroup v2): how a process gets into it, and what is done to all in it at once."""

import contextlib
import ctypes
import os
import struct
import subprocess
import time
from collections.abc import Collection, Iterator

_CLONE3 = 435  # on every machine
_CLONE_PARENT, _CLONE_INTO_CGROUP = 0x8000, 0x200000000
_CLONE_ARGS = struct.Struct("11Q")
_REMOVALS = 5
"""How often a group is tried to be removed, a millisecond apart; nearly always the first try does it."""
_syscall = ctypes.CDLL(None, use_errno=True).syscall


class Group:
    """The group of one bot, empty at first; OSError if it cannot be made. `remove()` it when all is over."""

    def __init__(
        self, folder: str, controllers: Collection[str], memory_bytes: int, processes: int | None
    ) -> None:
        self.folder = folder
        self.holds_memory = "memory" in controllers
        """Whether the kernel ends it when it takes too much memory."""
        self._freezer: int | None = None
        os.mkdir(folder)  # noqa: PTH102
        try:
            if self.holds_memory:
                self._set("memory.max", str(memory_bytes))
                self._set("memory.oom.group", "1")
                with contextlib.suppress(FileNotFoundError):  # a kernel that does not count swap
                    self._set("memory.swap.max", "0")
            if "pids" in controllers and processes is not None:
                self._set("pids.max", str(processes))
        except BaseException:
            self.remove()
            raise

    def _set(self, name: str, value: str) -> None:
        write_text(f"{self.folder}/{name}", value)

    def kill(self) -> None:
        """SIGKILL to everybody in it, those that are being forked included."""
        with contextlib.suppress(OSError):
            self._set("cgroup.kill", "1")

    def freeze(self, *, frozen: bool = True) -> bool:
        """Stop everybody in it, or let all go on; False when that failed.

        Nobody in it returns to its program after this, nor does a child that is being forked. That the kernel
        says `frozen 1` only when the last has come to rest matters to nobody, so we do not wait for it.
        """
        try:
            if self._freezer is None:
                self._freezer = os.open(f"{self.folder}/cgroup.freeze", os.O_WRONLY | os.O_CLOEXEC)
            os.write(self._freezer, b"1" if frozen else b"0")
        except OSError:
            return False
        return True

    def members(self) -> set[int]:
        """The processes in it; none when it is gone."""
        try:
            return {int(word) for word in read_text(f"{self.folder}/cgroup.procs").split()}
        except OSError:
            return set()

    def cpu_ns(self) -> int:
        """CPU time of all that was ever in it; OSError when it is gone."""
        return _field(read_text(f"{self.folder}/cpu.stat"), "usage_usec") * 1000

    def ended_for_memory(self) -> bool:
        """Whether the kernel has ended somebody in it for the memory that it took."""
        if not self.holds_memory:
            return False
        try:
            return _field(read_text(f"{self.folder}/memory.events"), "oom_kill") > 0
        except OSError:
            return False

    def remove(self) -> None:
        """Take the empty group away; one that does not get empty at once is left to a sweep."""
        if self._freezer is not None:
            os.close(self._freezer)
            self._freezer = None
        for _ in range(_REMOVALS):
            try:
                os.rmdir(self.folder)  # noqa: PTH106
            except FileNotFoundError:
                return
            except OSError:  # somebody who was killed has not left yet
                time.sleep(0.001)
            else:
                return


class Entry:
    """The way of one new process into its group.

    Moving a process costs a wait for all processors, 15 ms on an idle machine; being born in a group costs
    nothing. So the process that `subprocess` has forked is replaced by a sibling that is born there.
    """

    def __init__(self, group: Group) -> None:
        self._folder = os.open(group.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._told, self._tell = os.pipe2(os.O_CLOEXEC)
        flags = _CLONE_INTO_CGROUP | _CLONE_PARENT
        self._arguments = ctypes.create_string_buffer(_CLONE_ARGS.pack(flags, *[0] * 9, self._folder))

    def step_in(self) -> None:
        """Between fork and exec, before anything else: only the process in the group returns from here."""
        pid = _syscall(_CLONE3, self._arguments, _CLONE_ARGS.size)
        if pid < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        if pid:
            os.write(self._tell, b"%d" % pid)
            os._exit(0)
        os.setsid()

    def hand_over(self, popen: "subprocess.Popen[bytes]") -> None:
        """Make `popen`, which has just started, stand for the process in the group."""
        popen.wait()
        told = os.read(self._told, 32)
        if not told:
            raise OSError("a process was ended while it entered its group")
        popen.pid = int(told)
        popen.returncode = None

    def close(self) -> None:
        """Give the descriptors back; a process that failed before it was handed over is reaped."""
        for fd in (self._tell, self._folder):
            os.close(fd)
        left = os.read(self._told, 32)
        if left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(int(left), 0)
        os.close(self._told)


@contextlib.contextmanager
def entered(group: Group | None) -> Iterator[Entry | None]:
    """The way into a group, closed afterwards; None when there is no group."""
    if group is None:
        yield None
        return
    entry = Entry(group)
    try:
        yield entry
    finally:
        entry.close()


def _field(text: str, name: str) -> int:
    """The number after this name in a file of lines `name number`; 0 when there is no such line."""
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


def read_text(path: str) -> str:
    """All of a small file of the kernel."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123 - read at every fault
        return file.read()


def write_text(path: str, value: str) -> None:
    """Set a file of the kernel, in one write; it is never made."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, value.encode())
    finally:
        os.close(fd)
