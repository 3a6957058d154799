"""Faults in plain words: what was seen of a bot's fault, explained as a friend would. Pure text."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from arena import wire
from arena.game import Seat
from arena.record import Fault


class Code(StrEnum):
    """Every way to forfeit; also the reason in the record and on the `end` line."""

    TIMEOUT = "timeout"
    START_TIMEOUT = "start-timeout"
    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    CRASH = "crash"
    CLOSED_OUTPUT = "closed-output"
    OUTPUT_LIMIT = "output-limit"


@dataclass(frozen=True)
class Evidence:
    """What only the edge can see of a bot that failed; every field may be left out."""

    stderr: str = ""
    """The last text on stderr."""
    partial: bytes = b""
    """Bytes that came without a LF."""
    waiting: bool | None = None
    """Whether the process is waiting for input; None when that is not known."""
    cpu_ns: int | None = None
    """CPU time of the whole process tree in this turn; None when only the process itself was measured."""
    exit_status: str | None = None
    """`exit 1` or `signal SIGSEGV`; None while it lives."""


class Seen(NamedTuple):
    """What the referee saw: the prompt, the times since the turn's clock started, and the last words."""

    seat: Seat
    code: Code
    prompt: str
    available: tuple[str, ...]
    wall_ns: int
    cpu_ns: int
    limit_ns: int
    strikes: int = 0
    received: bytes | None = None
    """The line that was refused last, or too long."""
    why: str = ""
    """Why that line was refused, or which bound was passed."""


def explain(seen: Seen, evidence: Evidence) -> Fault:
    """The fault as the record keeps it."""
    cpu_ns = seen.cpu_ns if evidence.cpu_ns is None else evidence.cpu_ns
    return Fault(
        seat=seen.seat,
        code=seen.code,
        sentence=f"{seen.code}: {seen.why}",
        received=None if seen.received is None else wire.shown(seen.received),
        stderr=evidence.stderr,
        exit_status=evidence.exit_status,
        doubtful=doubtful(seen.code, seen.wall_ns, cpu_ns, evidence.waiting),
    )


def doubtful(code: Code, wall_ns: int, cpu_ns: int, waiting: bool | None) -> bool:
    """Whether a time loss may be the machine's: little CPU time, and not because the bot waits for input."""
    return code in (Code.TIMEOUT, Code.START_TIMEOUT) and 2 * cpu_ns < wall_ns and waiting is not True
