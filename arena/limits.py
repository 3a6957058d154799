"""What a bot is allowed in a match: time, strikes and output. Pure values and their text forms."""

import re
from dataclasses import dataclass

_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(us|ms|s|m|min|h)?")
_NANOSECONDS = {
    "us": 1_000,
    "ms": 1_000_000,
    "s": 10**9,
    "m": 60 * 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
}


def duration_ns(text: str) -> int:
    """Nanoseconds of `50ms`, `1s`, `0.5s`, `2m`; a bare number is seconds. ValueError with a hint otherwise."""
    found = _DURATION.fullmatch(text.strip().lower())
    if found is None:
        raise ValueError(f"{text[:40]!r} is not a duration: write 50ms, 1s or 2m")
    return round(float(found[1]) * _NANOSECONDS[found[2] or "s"])


@dataclass(frozen=True)
class Clock:
    """A budget for all the turns of a seat in one match, and what each completed turn adds to it."""

    budget_ns: int
    increment_ns: int = 0


def clock(text: str) -> Clock:
    """Read `60s+0.5s` or `60s`; ValueError with a hint otherwise."""
    budget, _, increment = text.partition("+")
    return Clock(duration_ns(budget), duration_ns(increment) if increment else 0)


@dataclass(frozen=True)
class Limits:
    """Limits of one match. Times are nanoseconds of wall time."""

    start_ns: int = 10 * 10**9
    turn_ns: int = 10**9
    clock: Clock | None = None
    margin_ns: int = 10 * 10**6
    """Added to every deadline: the machine's own delay is not the bot's fault."""
    strikes: int = 3
    """Refused replies and words out of turn in one match before the next one forfeits... see `protocol/`."""
    line_bytes: int = 1024
    """A line longer than this is never a reply of any game."""
    lines_per_prompt: int = 64
    """Remarks included; more than this at one prompt is a flood."""
    stderr_bytes: int = 16 * 1024
    """The last bytes of stderr that are kept; the rest is drained and counted."""
