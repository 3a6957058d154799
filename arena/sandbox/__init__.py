"""How a bot's program is wrapped before it is started: the interface of all sandboxes, and the plain ones.

A sandbox turns a `Bot` into a `Launch`. What no sandbox can switch off (own session, scrubbed environment, no
inherited descriptors, the whole tree ended) lives in `arena/process.py`.
"""

import os
import resource
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from arena.bot import Bot
from arena.sandbox import cgroup


@dataclass(frozen=True)
class Caps:
    """What an organiser lets one bot take of the machine; each sandbox enforces what it can."""

    memory_bytes: int = 1 << 30
    """Of the whole tree. Generous by default: a Java or node bot needs a few hundred MiB to be at ease."""
    processes: int = 64
    tmp_bytes: int = 16 << 20
    open_files: int = 256
    file_bytes: int = 64 << 20
    """Size of the largest file a bot may write where nothing stops it from writing."""
    cpu_s: int = 3600
    """CPU seconds of one process. A kept process that nears it is started afresh: it stops runaways only."""


@dataclass(frozen=True)
class Launch:
    """Everything needed to start one process; made anew for each start, since descriptors are used up."""

    argv: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    cwd: Path
    pass_fds: tuple[int, ...] = ()
    """Descriptors the child inherits; closed on our side as soon as it was started."""
    info_fd: int | None = None
    """Our end of a pipe on which a wrapper reports `{"child-pid": N}`, the first process of the sandbox;
    the bot is the first child of that. Closed after reading."""
    stdout_at: int | None = None
    """Index in `argv` of a word that becomes the number of the descriptor for output. Standard output itself
    leads nowhere then, so that no wrapper holds the bot's output open."""
    before_exec: Callable[[], None] | None = None
    """Called in the new process right before it becomes the program."""
    rlimits: tuple[tuple[int, int], ...] = ()
    """Pairs of a `resource.RLIMIT_…` and its value, soft and hard alike."""
    memory_bytes: int | None = None
    """The tree is ended when it holds more than this: by the kernel, in a group of its own, or by a watch."""
    processes: int | None = None
    """Most processes of the tree, the wrapper's included, where the kernel can count them."""
    private_folders: tuple[str, ...] = ()
    """File systems in memory that only the bot has; what it keeps there counts as its memory."""


class Sandbox(Protocol):
    """One way to confine bots, the same for all bots of a table."""

    @property
    def description(self) -> str:
        """What is in force, as records and reports say it: `off`, `basic`, `bwrap …`."""

    def prepare(self, bot: Bot) -> Launch:
        """How to start this bot; called for every start. An OSError is our own fault and voids the match."""


def bare_environment(bot: Bot) -> tuple[tuple[str, str], ...]:
    """All that a bot sees of our environment: where programs are, and UTF-8. Its own settings come last.

    Unbuffered Python output spares authors the commonest mistake; no bytecode is written, because a bot's
    folder is not its own to change.
    """
    return (
        ("PATH", os.environ.get("PATH") or os.defpath),
        ("HOME", "/nonexistent"),
        ("LANG", "C.UTF-8"),
        ("PYTHONUNBUFFERED", "1"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        *bot.environment,
    )


def resource_limits(caps: Caps) -> tuple[tuple[int, int], ...]:
    """Limits of each process that need no privilege.

    The address space is not limited, because Java, node and Go reserve far more of it than they use. The data
    segment is what a single process can really fill; the watch sees to the sum over the tree.
    """
    return (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, caps.open_files),
        (resource.RLIMIT_FSIZE, caps.file_bytes),
        (resource.RLIMIT_DATA, caps.memory_bytes),
        (resource.RLIMIT_CPU, caps.cpu_s),
    )


@dataclass(frozen=True)
class Off:
    """No limit but those of the process layer: for one's own bots and for debuggers."""

    description: str = "off"

    def prepare(self, bot: Bot) -> Launch:
        """Start the bot's command as it is."""
        return Launch(bot.command, bare_environment(bot), bot.folder, rlimits=((resource.RLIMIT_CORE, 0),))


@dataclass(frozen=True)
class Basic:
    """Resource limits and a watch on memory: needs no privilege, holds on every Linux."""

    caps: Caps = field(default_factory=Caps)

    @property
    def description(self) -> str:
        """`basic`, or `basic(cgroup kill freeze)`."""
        group = cgroup.description()
        return f"basic({group})" if group else "basic"

    def prepare(self, bot: Bot) -> Launch:
        """Start the bot's command as it is, with limits."""
        return Launch(
            bot.command,
            bare_environment(bot),
            bot.folder,
            rlimits=resource_limits(self.caps),
            memory_bytes=self.caps.memory_bytes,
            processes=self.caps.processes,
        )
