"""Bradley-Terry: closed-form cases, the seat term, and intervals that cover the truth."""

import math

import numpy as np
import pytest

from arena.bradley_terry import ELO, PRIOR_SD, fit, wilson


def _wins(bots: int) -> np.ndarray:
    return np.zeros((bots, bots))


def test_two_bots_have_the_logit_of_their_score() -> None:
    as_p1, as_p2 = _wins(2), _wins(2)
    as_p1[0, 1] = as_p2[0, 1] = 7500
    as_p1[1, 0] = as_p2[1, 0] = 2500
    found = fit(as_p1, as_p2)
    assert found.strengths[0].value - found.strengths[1].value == pytest.approx(math.log(3), abs=1e-4)
    assert found.elo(0).value == pytest.approx(ELO * math.log(3) / 2, abs=0.05)
    assert found.advantage.value == pytest.approx(0, abs=1e-9)


def test_the_first_seat_has_its_own_term() -> None:
    as_p1, as_p2 = _wins(2), _wins(2)
    as_p1[:] = [[0, 6000], [6000, 0]]
    as_p2[:] = [[0, 4000], [4000, 0]]
    found = fit(as_p1, as_p2)
    assert found.first_seat_score().value == pytest.approx(0.6, abs=1e-4)
    assert found.first_seat_score().low == pytest.approx(wilson(12000, 20000).low, abs=1e-3)
    assert [s.value for s in found.strengths] == pytest.approx([0, 0], abs=1e-9)


def test_at_the_solution_expected_and_real_wins_agree() -> None:
    """The first-order condition, written out without the solver's own derivatives."""
    source = np.random.default_rng(0)
    as_p1, as_p2 = (
        source.integers(0, 9, (6, 6)) * (1 - np.eye(6)),
        source.integers(0, 9, (6, 6)) * (1 - np.eye(6)),
    )
    found = fit(as_p1, as_p2)
    strengths = [s.value for s in found.strengths]
    for bot in range(6):
        expected = 0.0
        for other in range(6):
            edge = strengths[bot] - strengths[other]
            as_first = as_p1[bot, other] + as_p2[other, bot]
            as_second = as_p2[bot, other] + as_p1[other, bot]
            expected += as_first / (1 + math.exp(-edge - found.advantage.value))
            expected += as_second / (1 + math.exp(-edge + found.advantage.value))
        real = as_p1[bot].sum() + as_p2[bot].sum()
        assert real - expected == pytest.approx(strengths[bot] / PRIOR_SD**2, abs=1e-6)


@pytest.mark.parametrize("matches", [1, 20, 100_000])
def test_a_bot_that_never_won_is_finite_and_last(matches: int) -> None:
    as_p1, as_p2 = _wins(3), _wins(3)
    as_p1[0, 1] = as_p1[1, 0] = as_p2[0, 1] = as_p2[1, 0] = matches
    as_p1[:2, 2] = as_p2[:2, 2] = matches
    found = fit(as_p1, as_p2)
    strengths = [s.value for s in found.strengths]
    assert strengths[0] == pytest.approx(strengths[1])
    assert strengths[2] < strengths[0] - 0.3
    assert all(math.isfinite(x) for s in found.strengths for x in s)


def test_the_prior_is_weak() -> None:
    """With forty matches a pair it moves a strength by less than a tenth of its interval."""
    as_p1, as_p2 = _wins(3), _wins(3)
    as_p1[0, 1] = as_p2[0, 1] = 14
    as_p1[1, 0] = as_p2[1, 0] = 6
    found = fit(as_p1, as_p2)
    half = (found.strengths[0].high - found.strengths[0].low) / 2
    gap = found.strengths[0].value - found.strengths[1].value
    assert abs(gap - math.log(14 / 6)) < 0.1 * half


def test_nothing_played_and_nobody_there() -> None:
    found = fit(_wins(2), _wins(2))
    assert [s.value for s in found.strengths] == [0, 0]
    assert found.strengths[0].high > 3
    assert fit(_wins(0), _wins(0)).strengths == ()


@pytest.mark.slow
def test_intervals_cover_the_truth() -> None:
    source = np.random.default_rng(8)
    bots, covered, seats = 8, [], []
    for _ in range(150):
        truth = source.normal(0, 1, bots)
        truth -= truth.mean()
        chance = 1 / (1 + np.exp(-(truth[:, None] - truth[None, :] + 0.4)))
        first = source.binomial(10, chance) * (1 - np.eye(bots))
        found = fit(first, (10 * (1 - np.eye(bots)) - first).T)
        covered += [s.low < t < s.high for s, t in zip(found.strengths, truth, strict=True)]
        seats.append(found.advantage.low < 0.4 < found.advantage.high)
    assert 0.93 <= np.mean(covered) <= 0.97
    assert 0.90 <= np.mean(seats) <= 0.99


def test_wilson() -> None:
    assert wilson(5, 10) == pytest.approx((0.5, 0.2366, 0.7634), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0, 0, 0.2775), abs=1e-4)
    assert wilson(0, 0) == (0.5, 0.0, 1.0)
