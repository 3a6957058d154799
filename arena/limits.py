"""What a bot is allowed in a match: time, strikes and output. Pure values and their text forms."""

import re
from dataclasses import dataclass

_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(us|ms|s|m|min|h)?")
MILLISECOND_NS = 10**6
_NANOSECONDS = {
    "us": 1_000,
    "ms": 1_000_000,
    "s": 10**9,
    "m": 60 * 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
}


def duration_ns(text: str) -> int:
    """Nanoseconds of `50ms`, `1s`, `0.5s`, `2m`; a bare number is seconds. ValueError with a hint if not."""
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
    """Limits of one match. Times are nanoseconds of wall time; ValueError when one makes no sense."""

    start_ns: int = 10 * 10**9
    turn_ns: int = 10**9
    clock: Clock | None = None
    margin_ns: int = 10 * 10**6
    """Added to every deadline: the machine's own delay is not the bot's fault."""
    strikes: int = 3
    """The refused reply or line out of turn with this number, counted over the match, forfeits it."""
    line_bytes: int = 1024
    """A line longer than this is never a reply of any game."""
    lines_per_prompt: int = 64
    """Remarks included; more than this at one prompt is a flood."""
    stderr_bytes: int = 16 * 1024
    """The last bytes of stderr that are kept; the rest is drained and counted."""

    def __post_init__(self) -> None:
        """Refuse what could not be told on the wire in whole milliseconds, or played at all."""
        if min(self.start_ns, self.turn_ns) < MILLISECOND_NS:
            raise ValueError("a time limit must be 1ms or more")
        if self.clock is not None and (self.clock.budget_ns < MILLISECOND_NS or self.clock.increment_ns < 0):
            raise ValueError("a match clock must be 1ms or more")
        if min(self.strikes, self.line_bytes, self.lines_per_prompt) < 1 or self.margin_ns < 0:
            raise ValueError("strikes and output bounds must be 1 or more, and a margin 0 or more")

    def text(self) -> str:
        """`start=10000 turn=1000 strikes=3`, in milliseconds, as bots are told and records keep it."""
        words = (
            f"start={milliseconds(self.start_ns)} turn={milliseconds(self.turn_ns)} strikes={self.strikes}"
        )
        if self.clock is not None:
            words += f" clock={milliseconds(self.clock.budget_ns)}"
            words += f" increment={milliseconds(self.clock.increment_ns)}"
        return words


def milliseconds(duration: int) -> int:
    """Whole milliseconds of nanoseconds, rounded down: a bot is never promised more than it has."""
    return duration // MILLISECOND_NS


def limits(text: str) -> Limits:
    """Read what `Limits.text` wrote, ignoring unknown words; ValueError with a hint otherwise."""
    values = dict(word.split("=", 1) for word in text.split() if "=" in word)
    try:
        numbers = {key: int(value) for key, value in values.items() if key in _WORDS}
        budget = numbers.get("clock")
        return Limits(
            start_ns=numbers["start"] * MILLISECOND_NS,
            turn_ns=numbers["turn"] * MILLISECOND_NS,
            strikes=numbers["strikes"],
            clock=None
            if budget is None
            else Clock(budget * MILLISECOND_NS, numbers.get("increment", 0) * MILLISECOND_NS),
        )
    except (KeyError, ValueError):
        raise ValueError(f"{text[:60]!r} are not limits: write start=10000 turn=1000 strikes=3") from None


_WORDS = ("start", "turn", "strikes", "clock", "increment")
