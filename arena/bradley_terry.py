"""Bradley-Terry with a seat-advantage term: a cross-check of the ratings that no order can touch.

P(the bot in P1 wins) = 1 / (1 + exp(-(strength of P1 - strength of P2 + advantage))).
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings import Z95

Floats = NDArray[np.float64]

PRIOR_SD = 5.0
"""Standard deviation of the prior on each strength, in logits: weak enough to leave the data alone, and
enough to keep a bot without a win, or without a loss, finite."""

ELO = 400 / math.log(10)
"""Elo points in one logit."""

_STEPS = 100
_TOLERANCE = 1e-10


class Estimate(NamedTuple):
    """A number with the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def map(self, scale: float, shift: float = 0.0) -> "Estimate":
        """The same estimate on another scale."""
        return Estimate(*(shift + scale * x for x in self))


class Fit(NamedTuple):
    """Strengths in logits, each relative to the mean of all bots, and the advantage of P1."""

    strengths: tuple[Estimate, ...]
    advantage: Estimate
    covariance: Floats
    """Of the strengths, relative to their mean."""

    def elo(self, bot: int) -> Estimate:
        """A bot's strength in Elo points above the mean of all bots."""
        return self.strengths[bot].map(ELO)

    def first_seat_score(self) -> Estimate:
        """How often P1 wins between two equal bots."""
        return Estimate(*(1 / (1 + math.exp(-x)) for x in self.advantage))


def fit(wins_as_p1: NDArray[Any], wins_as_p2: NDArray[Any]) -> Fit:
    """Newton's method on the counts: `wins_as_p1[a, b]` is how often a in P1 beat b in P2; likewise P2.

    The cost does not depend on the number of matches.
    """
    bots = len(wins_as_p1)
    p1_wins, p2_wins = np.asarray(wins_as_p1, float), np.asarray(wins_as_p2, float).T
    played = p1_wins + p2_wins  # row: the bot in P1, column: the bot in P2
    precision = np.diag(np.append(np.full(bots, PRIOR_SD**-2), PRIOR_SD**-2))
    at = np.zeros(bots + 1)
    objective = _log_posterior(at, p1_wins, p2_wins, precision)
    for _ in range(_STEPS):
        gradient, information = _derivatives(at, p1_wins, played, precision)
        step = np.linalg.solve(information, gradient)
        size = 1.0
        while (better := _log_posterior(at + size * step, p1_wins, p2_wins, precision)) < objective - 1e-12:
            size /= 2  # the posterior is concave: a short enough step always climbs
        at, objective = at + size * step, better
        if np.abs(size * step).max() < _TOLERANCE:
            break
    covariance = np.linalg.inv(_derivatives(at, p1_wins, played, precision)[1])
    return _fit_at(at, covariance.astype(np.float64))


def _fit_at(at: Floats, covariance: Floats) -> Fit:
    bots = len(at) - 1
    centre = np.eye(bots) - 1 / max(bots, 1)
    strengths = centre @ at[:-1]
    spread = centre @ covariance[:-1, :-1] @ centre
    return Fit(
        tuple(_estimate(value, spread[bot, bot]) for bot, value in enumerate(strengths)),
        _estimate(at[-1], covariance[-1, -1]),
        spread,
    )


def _estimate(value: float, variance: float) -> Estimate:
    half = Z95 * math.sqrt(max(variance, 0.0))
    return Estimate(float(value), float(value) - half, float(value) + half)


def _margins(at: Floats) -> Floats:
    strengths = at[:-1]
    margins: Floats = strengths[:, None] - strengths[None, :] + at[-1]
    return margins


def _log_posterior(at: Floats, p1_wins: Floats, p2_wins: Floats, precision: Floats) -> float:
    margins = _margins(at)
    likelihood = p1_wins * -np.logaddexp(0, -margins) + p2_wins * -np.logaddexp(0, margins)
    return float(likelihood.sum() - 0.5 * at @ precision @ at)


def _derivatives(at: Floats, p1_wins: Floats, played: Floats, precision: Floats) -> tuple[Floats, Floats]:
    """Gradient of the log posterior, and the information (minus its second derivative)."""
    share = 1 / (1 + np.exp(-_margins(at)))
    surprise = p1_wins - played * share
    weight = played * share * (1 - share)
    gradient = np.append(surprise.sum(axis=1) - surprise.sum(axis=0), surprise.sum()) - precision @ at
    both = weight + weight.T
    information = precision.copy()
    information[:-1, :-1] += np.diag(both.sum(axis=1)) - both
    seat = weight.sum(axis=1) - weight.sum(axis=0)
    information[:-1, -1] += seat
    information[-1, :-1] += seat
    information[-1, -1] += weight.sum()
    return gradient, information


def wilson(won: int, played: int) -> Estimate:
    """A share of wins with Wilson's 95 % interval; 0 to 1 when nothing was played."""
    if not played:
        return Estimate(0.5, 0.0, 1.0)
    share, z2 = won / played, Z95**2
    centre = (share + z2 / (2 * played)) / (1 + z2 / played)
    half = Z95 / (1 + z2 / played) * math.sqrt(share * (1 - share) / played + z2 / (4 * played**2))
    return Estimate(share, max(0.0, centre - half), min(1.0, centre + half))
