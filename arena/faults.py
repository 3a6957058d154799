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
    "exit 0": "it left as if the match were over; read until `end` before you leave, "
    "and start another program with exec, not beside you",
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
    starved_ns: int | None = None
    """Time in this turn that it was ready to run and had no processor; None when that is not known."""
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
    earlier: str = ""
    """The first line that was refused at the same prompt, as it is shown, if that was another one."""


def explain(seen: Seen, evidence: Evidence) -> Fault:
    """The fault as the record keeps it."""
    cpu_ns = seen.cpu_ns if evidence.cpu_ns is None else evidence.cpu_ns
    doubt = is_doubtful(seen, cpu_ns, evidence)
    sentence = _SENTENCES[seen.code](seen, evidence, cpu_ns)
    hint = _stderr_hint(evidence.stderr)
    if hint and seen.code is not Code.OUTPUT_LIMIT:
        sentence = _and(sentence, hint)
    if doubt:
        sentence = _and(sentence, f"{_busy_machine(seen, evidence)}, so this time loss is in doubt")
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


STARVED_SHARE = 4
"""A time loss is in doubt when one part in so many of the turn was lost to the machine."""
PUNCTUAL_NS = 5 * 10**6
"""We look at the clock within a millisecond or two of a deadline, unless the machine keeps us from it."""


def is_doubtful(seen: Seen, cpu_ns: int, evidence: Evidence) -> bool:
    """Whether a time loss may be the machine's fault.

    It may when a large share of the turn passed while the bot was ready to run and had no processor, or while
    we ourselves did not wake up to look at the clock. A bot that had most of a processor all the same, with
    many threads or processes of its own in each other's way, has no excuse; nor has one that slept.
    """
    if seen.code not in (Code.TIMEOUT, Code.START_TIMEOUT):
        return False
    if seen.received is not None and _overslept_ns(seen) > PUNCTUAL_NS:
        return True  # it may have come in time: nobody was there to see
    lost = STARVED_SHARE * _lost_ns(seen, evidence) >= seen.wall_ns
    if lost or evidence.starved_ns is not None:
        return lost and cpu_ns + seen.wall_ns // STARVED_SHARE <= seen.wall_ns
    # All there is to go by: little of the processor, and no slip of its author in sight.
    return 2 * cpu_ns < seen.wall_ns and not evidence.waiting and not evidence.partial


def _overslept_ns(seen: Seen) -> int:
    """How long after the deadline we came to look: a machine that stands still keeps us waiting, too."""
    return max(0, seen.wall_ns - seen.limit_ns)


def _lost_ns(seen: Seen, evidence: Evidence) -> int:
    return (evidence.starved_ns or 0) + _overslept_ns(seen)


def _busy_machine(seen: Seen, evidence: Evidence) -> str:
    lost_ns = _lost_ns(seen, evidence)
    if seen.received is not None and _overslept_ns(seen) > PUNCTUAL_NS:
        return f"the machine was too busy to look whether it came in the {_seconds(seen.limit_ns)} allowed"
    if STARVED_SHARE * lost_ns < seen.wall_ns:
        return "the machine may have been too busy"
    return f"the machine was too busy to let it run for {_seconds(lost_ns)} of that"


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
        newline = "finish each reply with a newline and flush"
        if evidence.partial.endswith(b"\r"):
            newline = "a carriage return alone ends no line, write a newline (\\n)"
        return (
            f"only `{wire.shown(evidence.partial)}` arrived in {took}, without the end of a line: {newline}"
        )
    nothing = f"no complete line arrived in {took} at {asked}; the process used {used} of CPU"
    if evidence.waiting:
        return f"{nothing} and is waiting for input: did you forget to flush?"
    if 2 * cpu_ns >= seen.wall_ns:
        return f"{nothing} and was still busy: stop thinking in time, the `time` line says how long you have"
    if is_doubtful(seen, cpu_ns, evidence):
        return nothing
    return f"{nothing} and was not waiting for input: did it sleep, or wait for something else?"


def _refused(seen: Seen, evidence: Evidence, cpu_ns: int) -> str:
    del evidence, cpu_ns
    received = seen.received or b""
    count = "the first refused line forfeits" if seen.strikes == 1 else f"strike {seen.strikes} forfeits"
    tell_first = seen.earlier and seen.code is Code.MALFORMED
    first = f"; the first line refused here was `{seen.earlier}`" if tell_first else ""
    return (
        f"received `{wire.shown(received)}` where a reply was expected: "
        f"{_slip(seen, received)}{first} ({count})"
    )


def _slip(seen: Seen, received: bytes) -> str:
    """The most likely reason for a line that is no reply, and what to do about it."""
    if EARLY in seen.why:
        return f"{EARLY}; print exactly one line for each prompt, and debugging to stderr"
    if seen.code is Code.ILLEGAL:
        return f"{seen.why}; {_choices(seen.available)}"
    try:
        text = wire.decode(received).strip()
    except wire.WireError:
        return _no_text(received)
    if not text:
        return "it is an empty line; print each reply once, with one newline"
    if text.startswith("?") or wire.BETWEEN.strip() in text:
        return f"it looks like the prompt itself; {_choices(seen.available)}"
    if text.lower().startswith(wire.RESIGN):
        return f"`{wire.RESIGN}` stands alone on its line"
    if wire.is_known(text):
        return f"it looks like a line of the referee, written back; {_choices(seen.available)}"
    meant = _meant(text, seen.available)
    if meant is not None:
        return f"did you mean `{meant}`? {seen.why}"
    if not _looks_like(text, seen.available):
        return f"print debugging to stderr, or start the line with #; {_choices(seen.available)}"
    return f"{seen.why}; {_choices(seen.available)}"


def _no_text(received: bytes) -> str:
    """What kind of bytes these are, as far as one can tell."""
    if received.startswith(b"\xef\xbb\xbf"):
        return "it begins with a byte order mark; write plain ASCII, without one"
    if b"\0" in received:
        return "it holds NUL bytes; write plain ASCII, neither UTF-16 nor the end of a C string"
    return "it holds bytes that are not ASCII text; is something else printed to stdout?"


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
