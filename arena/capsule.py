"""Crash capsules: one small file for each forfeit by fault, with all that is needed to see it happen again.

The text is JSON. `lines` holds what passed between the referee and the bot that failed, in order: the
microseconds since the match began, `>` for the referee's bytes or `<` for a line of the bot without its LF,
and the bytes, one character a byte. A long match keeps its head and its tail: `omitted` entries are left out
before number `gap`.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

from arena.game import Seat
from arena.record import Record

VERSION = 1
HEAD_BYTES = TAIL_BYTES = 64 * 1024
"""Most matches fit into either; what is cut is the middle of a very long one."""
STDERR_CHARACTERS = 16 * 1024
TEXT_BYTES = 8 * 1024 * 1024
"""A text longer than this is not a capsule, and is not even looked at."""


class CapsuleError(ValueError):
    """A text that is not a capsule; the message is a sentence."""


class Said(NamedTuple):
    """Bytes that passed between the referee and a seat; `at_ns` counts from the beginning of the match."""

    at_ns: int
    seat: Seat
    sent: bool
    """True for the referee's bytes, False for a line of the bot, which is without its LF."""
    data: bytes


class Line(NamedTuple):
    """One entry of a capsule: the same as `Said`, for the one bot that it is about."""

    at_us: int
    sent: bool
    data: bytes


@dataclass(frozen=True)
class Capsule:
    """A fault with its circumstances. `bot` and `opponent` are labels `name@version`."""

    bot: str
    opponent: str
    seat: Seat
    code: str
    sentence: str
    game: str
    options: dict[str, str]
    seed: int
    limits: str
    opening: int
    date: str
    sandbox: str
    board: str
    received: str | None
    exit_status: str | None
    doubtful: bool
    stderr: str
    lines: tuple[Line, ...]
    gap: int = 0
    omitted: int = 0

    def sent(self) -> bytes:
        """All that the bot was sent, in order, as far as it was kept."""
        return b"".join(line.data for line in self.lines if line.sent)


def of(record: Record, traffic: Iterable[Said]) -> Capsule | None:
    """The capsule of a match, or None when it was not forfeited by a fault."""
    fault = record.fault
    if fault is None:
        return None
    mine, other = record.bots if fault.seat is Seat.P1 else record.bots[::-1]
    said = [Line(s.at_ns // 1000, s.sent, s.data) for s in traffic if s.seat is fault.seat]
    lines, gap = _bounded(said)
    return Capsule(
        bot=mine,
        opponent=other,
        seat=fault.seat,
        code=str(fault.code),
        sentence=fault.sentence,
        game=record.game,
        options=dict(record.options),
        seed=record.seed,
        limits=record.limits,
        opening=record.opening,
        date=record.date,
        sandbox=record.sandbox,
        board=record.board,
        received=fault.received,
        exit_status=fault.exit_status,
        doubtful=fault.doubtful,
        stderr=fault.stderr[-STDERR_CHARACTERS:],
        lines=lines,
        gap=gap,
        omitted=len(said) - len(lines),
    )


def _bounded(said: list[Line]) -> tuple[tuple[Line, ...], int]:
    """The head and the tail that fit, and where the gap between them is; 0 when nothing was left out."""
    head = _fitting(said, HEAD_BYTES)
    tail = _fitting(said[head:][::-1], TAIL_BYTES)
    if head + tail == len(said):
        return tuple(said), 0
    return tuple(said[:head] + said[len(said) - tail :]), head


def _fitting(said: list[Line], size: int) -> int:
    """How many entries from the start have at most `size` bytes together."""
    for count, line in enumerate(said):
        size -= len(line.data)
        if size < 0:
            return count
    return len(said)


def write(capsule: Capsule) -> str:
    """The text of a capsule, one line of traffic a line."""
    said = (
        json.dumps([at, ">" if sent else "<", data.decode("latin-1")]) for at, sent, data in capsule.lines
    )
    head = {"capsule": VERSION} | {k: v for k, v in asdict(capsule).items() if k != "lines"}
    opened = json.dumps(head, indent=1)[:-2]
    return f'{opened},\n "lines": [\n  ' + ",\n  ".join(said) + "\n ]\n}\n"


_TYPES: dict[str, Any] = {"seat": str, "received": (str, type(None)), "exit_status": (str, type(None))}
_TYPES |= {"options": dict, "lines": list, "doubtful": bool}
_TYPES |= dict.fromkeys(("seed", "opening", "gap", "omitted"), int)


def read(text: str) -> Capsule:
    """The capsule that a text holds; raises CapsuleError. Fields that it does not know are ignored."""
    if len(text) > TEXT_BYTES:
        raise CapsuleError(f"a capsule is never longer than {TEXT_BYTES >> 20} MiB")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise CapsuleError("this is not a crash capsule: it is not JSON") from None
    if not isinstance(found, dict) or found.get("capsule") != VERSION:
        raise CapsuleError(f"this is not a crash capsule of version {VERSION}")
    values = {}
    for field in fields(Capsule):
        value = found.get(field.name)
        if not isinstance(value, _TYPES.get(field.name, str)):
            raise CapsuleError(f"the capsule is damaged: {field.name!r} is missing or not what it should be")
        values[field.name] = value
    try:
        values["seat"] = Seat(values["seat"])
        values["options"] = {str(key): str(value) for key, value in values["options"].items()}
        values["lines"] = tuple(_line(entry) for entry in values["lines"])
    except (ValueError, TypeError):
        raise CapsuleError("the capsule is damaged: its seat or its lines cannot be read") from None
    return Capsule(**values)


def _line(entry: object) -> Line:
    """Raises ValueError or TypeError for anything but [MICROSECONDS, ">" or "<", TEXT]."""
    if not isinstance(entry, list):
        raise TypeError(entry)
    at_us, way, text = entry
    if not isinstance(at_us, int) or way not in ("<", ">") or not isinstance(text, str):
        raise TypeError(entry)
    return Line(at_us, way == ">", text.encode("latin-1"))
