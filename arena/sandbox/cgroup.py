"""A control group (cgroup v2) for each bot: ended and frozen whole, and held to its limits by the kernel.

What this machine gives is found out by doing. Ending and freezing come with every group that we may make;
limits need the controllers `memory` and `pids`, which the group that we run in must be free to hand down. No
process of others is ever moved, and no group made that is not ours: in doubt we do without.
"""

import contextlib
import errno
import itertools
import os
import re
import subprocess
import time
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from arena import process_tree as tree
from arena.sandbox.group import Group, entered, read_text, write_text

WANTED = ("memory", "pids")
"""Controllers that limit what a bot takes."""
SWEEP_S = 0.5
"""How long a sweep waits for what it has killed: a moment, unless somebody is stuck in the kernel."""
PROBE_S = 5.0
"""How long the process of a probe may take to die."""

_NAME = re.compile(r"arena-([0-9]+)-([0-9]+)-([0-9]+)-([0-9]+)")
_OURSELVES = 0
"""The number of the group that we move into ourselves; those of bots count from 1."""
_numbers = itertools.count(_OURSELVES + 1)


@dataclass(frozen=True)
class Base:
    """The group that bots' groups are made in, and the controllers that they have."""

    folder: str
    controllers: tuple[str, ...] = ()


class Found(NamedTuple):
    """What this machine gives: a base, or one line that says why there is none."""

    base: Base | None
    problem: str = ""


@cache
def found() -> Found:
    """Look once; what is forked from this process later makes its groups in the same place."""
    try:
        folder = own_folder(read_text("/proc/self/mountinfo"), read_text("/proc/self/cgroup"))
        if folder is None:
            return Found(None, "no cgroup v2 is mounted that holds us")
        base = Base(folder, _controllers(folder))
        _sweep(folder)
        _try_out(base)
    except OSError as error:
        return Found(None, f"no group of our own can be made and used: {error.strerror or error}")
    return Found(base)


def description() -> str:
    """`cgroup kill freeze memory pids`: what is in force here; empty without groups."""
    base = found().base
    return "" if base is None else " ".join(("cgroup kill freeze", *base.controllers))


def own_folder(mountinfo: str, membership: str) -> str | None:
    """Where our own group is, from `/proc/self/mountinfo` and `/proc/self/cgroup`; None when out of sight."""
    own = next((line[3:] for line in membership.splitlines() if line.startswith("0::")), None)
    for line in mountinfo.splitlines():
        mount, _, kind = line.partition(" - ")
        if own is None or kind.split(" ", 1)[0] != "cgroup2":
            continue
        root, place = (_unescaped(word) for word in mount.split(" ")[3:5])
        below = own if root == "/" else own.removeprefix(root) if f"{own}/".startswith(f"{root}/") else None
        if below is not None and "/.." not in below:
            return (place + below).rstrip("/")
    return None


def _unescaped(word: str) -> str:
    """A path of mountinfo, which writes blanks and the like as three octal digits."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), word)


def new_group(memory_bytes: int, processes: int | None) -> Group | None:
    """A group for one bot with these limits, as far as there are controllers; None where there are no groups.

    Raises OSError when there should be one and it cannot be made.
    """
    base = found().base
    return None if base is None else _group(base, memory_bytes, processes)


def _group(base: Base, memory_bytes: int, processes: int | None) -> Group:
    return Group(f"{base.folder}/{_name(next(_numbers))}", base.controllers, memory_bytes, processes)


# Controllers


def _controllers(folder: str) -> tuple[str, ...]:
    """Those that groups in this folder have, after we switched on what is ours to switch on."""
    control = f"{folder}/cgroup.subtree_control"
    offered = read_text(f"{folder}/cgroup.controllers").split()
    missing = [name for name in WANTED if name in offered and name not in read_text(control).split()]
    if missing and _may_switch_on(folder):
        for name in missing:
            with contextlib.suppress(OSError):
                write_text(control, f"+{name}")
    enabled = read_text(control).split()
    return tuple(name for name in WANTED if name in enabled)


def _may_switch_on(folder: str) -> bool:
    """Whether controllers of this group are ours to hand down; moves ourselves out of the way if need be.

    Only the root of all groups may have processes and hand down controllers. Any other group must be
    delegated, and hold nobody but us and our own children.
    """
    if not os.path.exists(f"{folder}/cgroup.type"):  # noqa: PTH110 - no Path is needed in here
        return True
    ours = tree.descendants({os.getpid()}, tree.all_tasks())
    members = {int(word) for word in read_text(f"{folder}/cgroup.procs").split()}
    if not is_delegated(folder) or not members <= ours:
        return False
    leaf = f"{folder}/{_name(_OURSELVES)}"
    try:
        os.mkdir(leaf)  # noqa: PTH102
        for pid in members:
            write_text(f"{leaf}/cgroup.procs", str(pid))
    except OSError:
        return False
    return True


def is_delegated(folder: str) -> bool:
    """Whether the service manager says that this group is its owner's, or it is all that a container has."""
    for name in ("user.delegate", "trusted.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return "0::/" in read_text("/proc/self/cgroup").splitlines()


def _try_out(base: Base) -> None:
    """Start something in a group, freeze it, end it; raises OSError when anything is not as it should be."""
    group = _group(base, 1 << 30, 16)
    try:
        with entered(group) as entry:
            assert entry is not None
            try:
                popen = subprocess.Popen(["sleep", "60"], preexec_fn=entry.step_in, env={"PATH": os.defpath})  # noqa: PLW1509 - as in the module process
            except subprocess.SubprocessError:
                raise OSError("no process can be started in it") from None
            entry.hand_over(popen)
        try:
            inside = read_text(f"{group.folder}/cgroup.procs").split() == [str(popen.pid)]
            if not (inside and group.freeze() and group.cpu_ns() >= 0):
                raise OSError("it does not hold what is started in it")
            write_text(f"{group.folder}/cgroup.kill", "1")
            popen.wait(PROBE_S)
        except subprocess.TimeoutExpired:
            raise OSError("what is in it cannot be ended") from None
        finally:
            popen.kill()
            group.freeze(frozen=False)
            popen.wait()
    finally:
        group.remove()


# Names, and what is left behind


def _name(number: int) -> str:
    """The name of a group of ours. It says whose it is: process ids mean something in one namespace only."""
    me = tree.read_task(os.getpid())
    return f"arena-{_namespace()}-{os.getpid()}-{me.started if me else 0}-{number}"


def _namespace() -> int:
    return os.stat("/proc/self/ns/pid").st_ino  # noqa: PTH116


def sweep() -> None:
    """End and remove what a killed worker has left behind, if groups were ever looked for."""
    if found.cache_info().currsize and (base := found().base) is not None:
        _sweep(base.folder)


def _sweep(folder: str) -> None:
    for name in os.listdir(folder):  # noqa: PTH208
        match = _NAME.fullmatch(name)
        if match is None or int(match[1]) != _namespace():
            continue
        owner = tree.read_task(int(match[2]))
        if owner is not None and owner.started == int(match[3]) and owner.state not in "ZX":
            continue
        if int(match[4]) != _OURSELVES:
            _clear(f"{folder}/{name}")
        else:  # what an arena started for its user, a browser perhaps, may live on in it
            with contextlib.suppress(OSError):
                os.rmdir(f"{folder}/{name}")  # noqa: PTH106


def _clear(folder: str) -> None:
    """End all in a group and remove it, with the groups that a bot may have made in its own."""
    deadline = time.monotonic() + SWEEP_S
    with contextlib.suppress(OSError):
        write_text(f"{folder}/cgroup.kill", "1")
    while time.monotonic() < deadline:
        try:
            for place, _, _ in os.walk(folder, topdown=False):
                os.rmdir(place)  # noqa: PTH106
            return
        except OSError as error:
            if error.errno != errno.EBUSY:
                return
        time.sleep(0.001)
