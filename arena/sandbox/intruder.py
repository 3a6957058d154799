"""What `arena doctor` starts in a sandbox: it tries what no bot may do, and says line by line how far it got.

A script of its own that imports nothing of ours: it sees the sandbox as a stranger's bot would. Every attempt
is bounded, so that it does no harm where the sandbox fails.
"""

import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

_NEW_USER_NAMESPACE = 0x10000000
_STEP = 8 << 20
_STAY_S = 20
_HOLD_S = 2
"""Long enough for a watch to see it."""


def _read(path: str) -> bool:
    with open(path, "rb") as file:  # noqa: PTH123 - a bot would
        return bool(file.read(1))


def _write(folder: str, size: int = 1) -> bool:
    path = f"{folder.rstrip('/')}/arena-doctor-was-here"
    file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    try:
        return sum(os.write(file, b"x" * min(size, 1 << 20)) for _ in range(0, size, 1 << 20)) == size
    finally:
        os.close(file)
        os.unlink(path)  # noqa: PTH108


def _connect(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as out:
        out.settimeout(2)
        out.connect(("127.0.0.1", port))
    return True


def _kill(pid: int) -> bool:
    os.kill(pid, signal.SIGKILL)
    return True


def _fill(most: int) -> bool:
    """Whether so many bytes can be written where programs keep passing things."""
    return any(_quietly(lambda f=f: _write(f, most)) for f in ("/tmp", "/dev/shm", "/var/tmp"))  # type: ignore[misc]  # noqa: S108


def _signal(pid: int) -> bool:
    os.kill(pid, signal.SIGURG)  # harmless; whether it arrives is seen outside
    return True


def _see(who: list[int]) -> bool:
    """Whether the process with this id and start is there; numbers alone mean nothing in here."""
    pid, started = who
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:  # noqa: PTH123
        return int(file.read().rpartition(") ")[2].split()[19]) == started


def _new_namespace() -> bool:
    return bool(ctypes.CDLL(None).unshare(_NEW_USER_NAMESPACE) == 0)


def _leave_daemon(marker: str) -> bool:
    subprocess.Popen(
        ["sleep", marker], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return True


def _fork(most: int) -> int:
    made: list[int] = []
    with contextlib.suppress(OSError):
        while len(made) < most:
            pid = os.fork()
            if pid == 0:
                time.sleep(_STAY_S)
                os._exit(0)
            made.append(pid)
    for pid in made:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return len(made)


def _take(most: int) -> int:
    """Bytes taken by two processes, each within its own limit; whoever holds them to one ends them here."""
    kept: list[bytes] = []
    child = os.fork()
    with contextlib.suppress(MemoryError):
        while len(kept) * _STEP < most // 2:
            kept.append(b"x" * _STEP)
    time.sleep(_HOLD_S)
    if child == 0:
        os._exit(0)
    return 2 * len(kept) * _STEP


def attempts(told: dict[str, Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """What is tried, in order; what may get us ended comes last."""
    yield "results", lambda: _read(told["results"])
    yield "opponent", lambda: _read(told["opponent"])
    yield "system", lambda: any(_quietly(lambda f=f: _write(f)) for f in ("/", "/usr", "/etc", "/var"))  # type: ignore[misc]
    yield "itself", lambda: _write(told["folder"]) if os.path.isdir(told["folder"]) else _write("/bot")  # noqa: PTH112
    yield "network", lambda: _connect(told["port"])
    yield "processes", lambda: _see(told["referee"])
    yield "signals", lambda: _kill(told["victim"])
    yield "referee", lambda: _signal(told["referee"][0])
    yield "disk", lambda: _fill(told["disk"])
    yield "environment", lambda: told["secret"] in os.environ
    yield "namespaces", _new_namespace
    yield "daemon", lambda: _leave_daemon(told["marker"])
    yield "forks", lambda: _fork(told["forks"])
    yield "memory", lambda: _take(told["memory"])


def _quietly(attempt: Callable[[], object]) -> object:
    try:
        return attempt()
    except OSError:
        return False


def main() -> None:
    """Say that it is there; try everything that standard input then tells of."""
    print("{}", flush=True)  # noqa: T201 - as below
    for name, attempt in attempts(json.loads(sys.stdin.readline())):
        print(json.dumps({name: _quietly(attempt)}), flush=True)  # noqa: T201 - this is its report


if __name__ == "__main__":
    main()
