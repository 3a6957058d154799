"""A started bot at the table: its process, what it said and nobody heard yet, and the clock of its turn."""

import os
import select
from collections.abc import Iterator

from arena.bot import Bot
from arena.process import EXIT_PATIENCE_S, READ_BYTES, BotProcess
from arena.wire import LineBuffer

STALE_BYTES = 1 << 20
"""What a kept bot may say between two matches; it is dropped, and a bot that says more is started afresh."""
KEPT_CPU_NS = 1800 * 10**9
"""A kept process that has used this much CPU time is started afresh, long before its limit would stop it."""


class Channel:
    """One bot that was started. `fresh` until it has been through a match."""

    __slots__ = (
        "bot",
        "cpu_rested_ns",
        "cpu_start_ns",
        "delay_start_ns",
        "ended_because",
        "failed",
        "fresh",
        "lines",
        "others_cpu_ns",
        "poll",
        "process",
        "start_ns",
        "stderr_open",
        "stdout",
    )

    def __init__(self, bot: Bot, process: BotProcess, line_bytes: int) -> None:
        self.bot = bot
        self.process = process
        self.stdout = process.stdout
        self.lines = LineBuffer(line_bytes)
        self.poll = select.poll()
        """What to wait for while this bot is asked; the table adds what else must not be forgotten."""
        self.start_ns = 0
        """When the clock of its turn started, on the monotonic clock."""
        self.cpu_start_ns = 0
        self.delay_start_ns: int | None = None
        """How long it had stood in line for a processor when it was first looked at in this turn."""
        self.cpu_rested_ns = 0
        """CPU time that its tree had used when its last match ended."""
        self.others_cpu_ns: int | None = None
        """CPU time that the rest of its tree had used when that was last looked at in this turn."""
        self.fresh = True
        self.failed = False
        """Its part in this match is over by a fault, so it is not kept."""
        self.stderr_open = True
        self.ended_because = ""
        """Set when we ended it ourselves in the middle of a match, with the reason."""

    def hear(self) -> bool:
        """Read once what is there; False at the end of its output. Raises LineTooLong."""
        try:
            data = os.read(self.stdout, READ_BYTES)
        except BlockingIOError:
            return True
        self.lines.feed(data)
        return bool(data)

    def match_cpu_ns(self, *, whole_tree: bool) -> int:
        """CPU time used since this was last asked: its own process, or with all that it has started."""
        total = self.process.tree_cpu_ns() if whole_tree else self.process.cpu_ns()
        used = max(0, total - self.cpu_rested_ns)
        self.cpu_rested_ns = total
        return used

    def starved_ns(self) -> int | None:
        """Time in this turn that it was ready to run and had no processor; None when that is not known."""
        now = None if self.delay_start_ns is None else self.process.run_delay_ns()
        return None if now is None or self.delay_start_ns is None else max(0, now - self.delay_start_ns)

    def is_gone(self) -> bool:
        """Whether its process has ended and all that it said is read, though a child may hold its output."""
        if self.process.exit_status() is None:
            return False
        return all(fd != self.stdout for fd, _ in self.poll.poll(0))

    def waiting_lines(self) -> Iterator[bytes]:
        """Complete lines that are there without waiting; raises LineTooLong."""
        readable = select.poll()
        readable.register(self.stdout, select.POLLIN)
        while True:
            while (raw := self.lines.line()) is not None:
                yield raw
            if not any(event & select.POLLIN for _, event in readable.poll(0)):
                return
            self.hear()

    def ready_for_another(self) -> bool:
        """Whether a kept process can take the next match; drops what it has said since the last one."""
        process = self.process
        if process.pending or self.cpu_rested_ns > KEPT_CPU_NS:
            return False
        if not self.poll.poll(0):  # nothing to read and not at its end: so it is nearly always
            self.lines.clear()
            return True
        dropped = 0
        try:
            while dropped < STALE_BYTES:
                data = os.read(self.stdout, READ_BYTES)
                if not data:
                    return False
                dropped += len(data)
        except BlockingIOError:
            self.lines.clear()
            return True
        return False

    def end_for_memory(self) -> None:
        """End the bot for holding too much memory; that shows as the end of its output, in its own turn."""
        if not self.ended_because:
            self._note_memory()
            self.process.kill()

    def _note_memory(self) -> None:
        self.ended_because = f"it held more than {(self.process.memory_bytes or 0) >> 20} MiB of memory"

    def exit_text(self) -> str | None:
        """How the process ended, or None if it did not within a moment; for a bot whose output is closed."""
        status = self.process.exit_status(EXIT_PATIENCE_S)
        if status and not self.ended_because and self.process.ended_for_memory():
            self._note_memory()
        if status and self.ended_because:
            return f"{status} ({self.ended_because})"
        return status
