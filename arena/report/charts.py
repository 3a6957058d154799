"""Geometry of the page's charts: plain values that the template draws as SVG.

Places along an axis are percentages, so that a chart fits any width without its text being scaled.
"""

import math
from typing import NamedTuple

from arena.standings import Standings

_LINES = 12
"""Bots that get a line of their own in the chart of moving ratings; more would be a thicket."""


class Axis(NamedTuple):
    """A numeric axis: where numbers lie on it, in percent."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """The place of a number, held within the axis."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 2)


def axis(low: float, high: float, wanted: int = 6) -> Axis:
    """An axis with round numbers at its ticks that holds the given range."""
    if high <= low:
        low, high = low - 1, high + 1
    rough = (high - low) / wanted
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = tuple(round(number * step, 10) for number in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks)


class ErrorBar(NamedTuple):
    """One bot in the rating plot, in percent of the axis."""

    low: float
    high: float
    mu: float
    conservative: float
    order_low: float
    order_high: float


def rating_plot(tables: Standings) -> tuple[Axis, list[ErrorBar]]:
    """The rating of every bot, its interval, the spread of the order alone, and the conservative rating."""
    bots = tables.records()
    if not bots:
        return axis(0, 50), []
    scale = axis(min(bot["conservative"] for bot in bots), max(bot["high"] for bot in bots))
    bars = [
        ErrorBar(
            scale.at(bot["low"]),
            scale.at(bot["high"]),
            scale.at(bot["rating"]),
            scale.at(bot["conservative"]),
            scale.at(bot["rating"] - bot["order_spread"]),
            scale.at(bot["rating"] + bot["order_spread"]),
        )
        for bot in bots
    ]
    return scale, bars


class Line(NamedTuple):
    """How one bot's rating moved: the points of an SVG polyline in a box of 100 by 100."""

    place: int
    points: str


def history_plot(tables: Standings) -> tuple[Axis, Axis, list[Line]]:
    """Ratings over matches, in order of play; the best bots only when there are many."""
    history = tables.history
    shown = range(min(len(tables.labels), _LINES))
    levels = [skills[bot][0] for skills in history.skills for bot in shown] or [25.0]
    across = axis(0, max(history.after[-1], 1), 5)
    across = Axis(0, max(history.after[-1], 1), tuple(t for t in across.ticks if t <= history.after[-1]))
    up = axis(min(levels), max(levels), 5)
    lines = [
        Line(bot, " ".join(f"{across.at(n)},{100 - up.at(s[bot][0])}" for n, s in zip(*history, strict=True)))
        for bot in shown
    ]
    return across, up, lines


def log_share(microseconds: float, slowest: float) -> float:
    """Place of a time on a logarithmic scale from 10 µs to the slowest turn, in percent."""
    if microseconds <= 10 or slowest <= 10:
        return 1.0
    return round(max(1.0, 100 * math.log(microseconds / 10) / math.log(slowest / 10)), 1)
