"""A crash capsule played again: the same bytes are sent, and the bot's lines set beside its old ones."""

import select
import time
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from arena import limits as limits_text
from arena.bot import Bot
from arena.capsule import Capsule, Line
from arena.channel import Channel
from arena.limits import Limits
from arena.process import BotProcess
from arena.sandbox import Sandbox
from arena.wire import LineTooLong, shown


class Now(StrEnum):
    """What became of one prompt when it was sent again."""

    SAME = "same"
    DIFFERENT = "different"
    SILENT = "silent"
    """No complete line within the limit."""
    ENDED = "ended"
    """The process ended or closed its output."""
    TOO_LONG = "too-long"


class Step(NamedTuple):
    """What was sent in one go, the lines that came back then, and those that come now."""

    sent: bytes
    then: tuple[bytes, ...]
    now: tuple[bytes, ...]
    verdict: Now
    then_us: int
    """Microseconds from the last byte sent to the last line that came back then; 0 when none did."""
    now_us: int
    detail: str = ""


class Ending(NamedTuple):
    """How it looks after the last step."""

    exit_status: str | None
    stderr: str


def stretches(lines: tuple[Line, ...]) -> Iterator[tuple[Line, tuple[Line, ...]]]:
    """The conversation as pairs: what was sent in one go, and the lines that followed."""
    sent: Line | None = None
    heard: list[Line] = []
    for line in lines:
        if not line.sent:
            heard.append(line)
            continue
        if sent is not None and heard:
            yield sent, tuple(heard)
            sent, heard = None, []
        sent = line if sent is None else Line(line.at_us, True, sent.data + line.data)
    if sent is not None:
        yield sent, tuple(heard)


class Reproduction:
    """Feeds the bytes of a capsule to a freshly started bot: take all `steps()`, then see the `ending`."""

    def __init__(self, capsule: Capsule, bot: Bot, sandbox: Sandbox) -> None:
        self._capsule = capsule
        try:
            self._limits = limits_text.limits(capsule.limits)
        except ValueError:
            self._limits = Limits()
        self._bot = bot
        self._sandbox = sandbox
        self.ending = Ending(None, "")

    def steps(self) -> Iterator[Step]:
        """Every stretch as it happens; stops where the bot no longer answers. OSError when it cannot start.

        A bot that chooses at random answers differently and is then out of step with the bytes that follow:
        the first difference is where to look.
        """
        process = BotProcess(self._sandbox.prepare(self._bot), stderr_kept=self._limits.stderr_bytes)
        channel = Channel(self._bot, process, self._limits.line_bytes)
        try:
            channel.poll.register(channel.stdout, select.POLLIN)
            channel.poll.register(process.stderr, select.POLLIN)
            for number, (sent, heard) in enumerate(stretches(self._capsule.lines)):
                limit_ns = self._limits.margin_ns
                limit_ns += self._limits.turn_ns if number else self._limits.start_ns
                step = self._step(channel, sent, heard, limit_ns)
                yield step
                if step.verdict in (Now.SILENT, Now.ENDED, Now.TOO_LONG):
                    break
            status = process.exit_status()
            stderr = process.stderr_tail().decode("utf-8", "replace")
        finally:
            process.end()
        self.ending = Ending(status, stderr)

    def _step(self, channel: Channel, sent: Line, heard: tuple[Line, ...], limit_ns: int) -> Step:
        """Send once, and wait for as many lines as came then; for one where none came."""
        start = time.monotonic_ns()
        channel.process.send(sent.data)
        wanted = tuple(line.data for line in heard)
        got: list[bytes] = []
        verdict, detail = None, ""
        while verdict is None and len(got) < max(1, len(wanted)):
            verdict, detail = self._more(channel, got, start + limit_ns)
        now_us = (time.monotonic_ns() - start) // 1000
        if verdict is None:
            verdict = Now.SAME if tuple(got) == wanted else Now.DIFFERENT
        then_us = heard[-1].at_us - sent.at_us if heard else 0
        return Step(sent.data, wanted, tuple(got), verdict, then_us, now_us, detail)

    @staticmethod
    def _more(channel: Channel, got: list[bytes], deadline: int) -> tuple[Now | None, str]:
        """Wait for one more line; a verdict when none can come."""
        process = channel.process
        try:
            raw = channel.lines.line()
            if raw is not None:
                got.append(raw)
                return None, ""
            left_ms = (deadline - time.monotonic_ns()) // 1_000_000
            if left_ms < 0:
                if channel.lines.partial:
                    return (
                        Now.SILENT,
                        f"only `{shown(channel.lines.partial)}` came, without the end of a line",
                    )
                waits = "it waits for input" if process.waits_for_input() else "it does not wait for input"
                return Now.SILENT, f"no line came, and {waits}"
            if process.pending:
                process.send_pending()
                left_ms = min(left_ms, 10)
            ready = {fd for fd, _ in channel.poll.poll(left_ms + 1)}
            if process.stderr in ready and not process.drain_stderr():
                channel.poll.unregister(process.stderr)
            if channel.stdout in ready and not channel.hear():
                return Now.ENDED, channel.exit_text() or "its output was closed"
        except LineTooLong as error:
            return Now.TOO_LONG, str(error)
        return None, ""
