"""Faults in plain words: what was seen of a bot's fault, explained as a friend would. Pure text."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from arena import wire
from arena.game import Seat
from arena.record import Fault

EARLY = "a line came before the prompt and was dropped"
"""Why a line out of turn is refused."""
CHOICES_SHOWN = 4
"""Available replies named in a sentence; the record has the board for the rest."""
STDERR_SHOWN = 120

_WORD = re.compile(r"[a-z0-9]+")
_EXCEPTION = re.compile(
    r"(Exception in thread|thread .* panicked|panic:|(\w+[.:]+)*\w*(Error|Exception|Interrupt)\b)"
)
_STATUSES = {
    "exit 0": "it left as if the match were over; read until `end` before you leave",
    "exit 126": "its command could not be run: is the file executable?",
    "exit 127": "its command was not found",
    "signal SIGSEGV": "it used memory that was not its own",
    "signal SIGABRT": "it gave up by itself, as a failed assertion does",
    "signal SIGFPE": "it divided by zero, or the like",
    "signal SIGILL": "it ran into an instruction that this machine does not have",
    "signal SIGKILL": "it was killed; too much memory is the usual cause",
    "signal SIGXCPU": "it used up its CPU time",
    "signal SIGXFSZ": "it wrote a file that was too large",
    "signal SIGSYS": "it called what the sandbox does not allow",
}
"""What an exit status usually means, by how it begins."""


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
    doubt = is_doubtful(seen, cpu_ns, evidence)
    sentence = _SENTENCES[seen.code](seen, evidence, cpu_ns)
    hint = _stderr_hint(evidence.stderr)
    if hint and seen.code is not Code.OUTPUT_LIMIT:
        sentence = _and(sentence, hint)
    if doubt:
        sentence = _and(sentence, "the machine may have been too busy, so this time loss is in doubt")
    received = seen.received if seen.received is not None else evidence.partial or None
    return Fault(
        seat=seen.seat,
        code=seen.code.value,
        sentence=sentence,
        received=None if received is None else wire.shown(received),
        stderr=evidence.stderr,
        exit_status=evidence.exit_status or (seen.why if seen.code is Code.CRASH else None),
        doubtful=doubt,
    )


def _and(sentence: str, more: str) -> str:
    """Two statements in one line, or a question and then a statement."""
    return f"{sentence} {more[0].upper()}{more[1:]}" if sentence.endswith("?") else f"{sentence}; {more}"


def is_doubtful(seen: Seen, cpu_ns: int, evidence: Evidence) -> bool:
    """Whether a time loss may be the machine's fault.

    It may when the bot had the processor for less than half of its time, unless it was waiting for input or
    had begun a line and not ended it: those are slips of its author.
    """
    timed_out = seen.code in (Code.TIMEOUT, Code.START_TIMEOUT)
    return timed_out and 2 * cpu_ns < seen.wall_ns and not evidence.waiting and not evidence.partial


def _seconds(duration_ns: int) -> str:
    return f"{duration_ns / 1e9:.2f} s"


def _too_slow(seen: Seen, evidence: Evidence, cpu_ns: int) -> str:
    took, used = _seconds(seen.wall_ns), _seconds(cpu_ns)
    asked = "the handshake" if seen.code is Code.START_TIMEOUT else f"the prompt `{seen.prompt}`"
    if seen.received is not None:
        return (
            f"`{wire.shown(seen.received)}` came after {took}, too late for {asked}, with {used} of CPU used"
        )
    if evidence.partial:
        return (
            f"only `{wire.shown(evidence.partial)}` arrived in {took}, without the end of a line: "
            "finish each reply with a newline and flush"
        )
    nothing = f"no complete line arrived in {took} at {asked}; the process used {used} of CPU"
    if evidence.waiting:
        return f"{nothing} and is waiting for input: did you forget to flush?"
    if 2 * cpu_ns >= seen.wall_ns:
        return f"{nothing} and was still busy: stop thinking in time, the `time` line says how long you have"
    return f"{nothing} and was not waiting for input: did it sleep, or wait for something else?"


def _refused(seen: Seen, evidence: Evidence, cpu_ns: int) -> str:
    del evidence, cpu_ns
    received = seen.received or b""
    count = "the first refused line forfeits" if seen.strikes == 1 else f"strike {seen.strikes} forfeits"
    return f"received `{wire.shown(received)}` where a reply was expected: {_slip(seen, received)} ({count})"


def _slip(seen: Seen, received: bytes) -> str:
    """The most likely reason for a line that is no reply, and what to do about it."""
    if EARLY in seen.why:
        return f"{EARLY}; print exactly one line for each prompt, and debugging to stderr"
    if seen.code is Code.ILLEGAL:
        return f"{seen.why}; {_choices(seen.available)}"
    try:
        text = wire.decode(received).strip()
    except wire.WireError:
        return "it holds bytes that are not ASCII text; is something else printed to stdout?"
    if not text:
        return "it is an empty line; print each reply once, with one newline"
    if text.startswith("?") or wire.BETWEEN.strip() in text:
        return f"it looks like the prompt itself; {_choices(seen.available)}"
    meant = _meant(text, seen.available)
    if meant is not None:
        return f"did you mean `{meant}`? {seen.why}"
    if not _looks_like(text, seen.available):
        return f"print debugging to stderr, or start the line with #; {_choices(seen.available)}"
    return f"{seen.why}; {_choices(seen.available)}"


def _choices(available: tuple[str, ...]) -> str:
    first = ", ".join(f"`{reply}`" for reply in available[:CHOICES_SHOWN])
    if len(available) == 1:
        return f"only {first} can be played"
    return f"one of {first}{', ...' if len(available) > CHOICES_SHOWN else ''} can be played"


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _meant(text: str, available: tuple[str, ...]) -> str | None:
    """The available reply with the same words in other dress: `[1, 0]`, `"up"`, `move: B2`."""
    words = _words(text)
    same = [reply for reply in available if _words(reply) == words]
    return same[0] if same else None


def _looks_like(text: str, available: tuple[str, ...]) -> bool:
    """Whether a text has the shape of the replies: as many words, each a number or not as theirs are."""
    shapes = {tuple(word.isdigit() for word in _words(reply)) for reply in available}
    return tuple(word.isdigit() for word in _words(text)) in shapes and "..." not in text


def _crashed(seen: Seen, evidence: Evidence, cpu_ns: int) -> str:
    del cpu_ns
    status = evidence.exit_status or seen.why
    when = "before it said ready" if seen.prompt == wire.READY else f"when it was asked for `{seen.prompt}`"
    meaning = next((text for known, text in _STATUSES.items() if status.startswith(known)), "")
    begun = f", after `{wire.shown(evidence.partial)}` without the end of a line" if evidence.partial else ""
    return f"the process ended {when} ({status}){begun}" + (f": {meaning}" if meaning else "")


def _closed(seen: Seen, evidence: Evidence, cpu_ns: int) -> str:
    del evidence, cpu_ns
    asked = "handshake" if seen.prompt == wire.READY else f"prompt `{seen.prompt}`"
    return f"it closed its output at the {asked} but still runs: without stdout there is no way to reply"


def _too_much(seen: Seen, evidence: Evidence, cpu_ns: int) -> str:
    del evidence, cpu_ns
    begins = f", beginning `{wire.shown(seen.received, 40)}`" if seen.received else ""
    return f"{seen.why} arrived{begins}: a reply is one short line, and debugging belongs on stderr"


_SENTENCES: dict[Code, Callable[[Seen, Evidence, int], str]] = {
    Code.TIMEOUT: _too_slow,
    Code.START_TIMEOUT: _too_slow,
    Code.ILLEGAL: _refused,
    Code.MALFORMED: _refused,
    Code.CRASH: _crashed,
    Code.CLOSED_OUTPUT: _closed,
    Code.OUTPUT_LIMIT: _too_much,
}


def _stderr_hint(stderr: str) -> str:
    """The line of stderr that says most: an exception's own line if there is one, else the last."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    if not lines:
        return ""
    telling = [line for line in lines if _EXCEPTION.match(line)]
    if telling:
        return f"stderr says `{wire.shown(telling[-1].encode(), STDERR_SHOWN)}`"
    return f"stderr ends with `{wire.shown(lines[-1].encode(), STDERR_SHOWN)}`"
