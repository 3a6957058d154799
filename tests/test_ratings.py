"""TrueSkill: the closed form is the package's, averages forget the order, and known truth is found again."""

import math
import random
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import ratings
from arena.bradley_terry import fit
from arena.ratings import (
    Z95,
    by_formula,
    by_package,
    environment,
    history,
    rate,
    shared_ranks,
    shuffled_passes,
)

SKILLS = st.tuples(st.floats(0, 50), st.floats(0.4, 25 / 3))


@given(SKILLS, SKILLS)
def test_the_closed_form_is_the_package(winner: tuple[float, float], loser: tuple[float, float]) -> None:
    assert by_formula(winner, loser) == (
        pytest.approx(by_package(winner, loser)[0], abs=1e-9),
        pytest.approx(by_package(winner, loser)[1], abs=1e-9),
    )


def _matches(bots: int, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    source = np.random.default_rng(seed)
    winners = source.integers(0, bots, count)
    return winners, (winners + source.integers(1, bots, count)) % bots


def test_the_vectorised_pass_is_the_package_match_by_match() -> None:
    """One shuffle is one pass: the package is led through the same order and arrives at the same place."""
    winners, losers = _matches(bots=7, count=400, seed=3)
    mu, variance = shuffled_passes(winners, losers, 7, seed=11, shuffles=2)
    source = np.random.default_rng(11)
    for shuffle in range(2):
        skills = [(25.0, 25 / 3)] * 7
        for match in source.permutation(400):
            won, lost = winners[match], losers[match]
            skills[won], skills[lost] = by_package(skills[won], skills[lost])
        assert mu[shuffle] == pytest.approx([skill[0] for skill in skills], abs=1e-9)
        assert np.sqrt(variance[shuffle]) == pytest.approx([skill[1] for skill in skills], abs=1e-9)


def test_the_interpolated_factor_is_the_formula() -> None:
    points = np.concatenate([np.linspace(-39, 9.9, 50_001), np.array([-400.0, 60.0])])
    normal = NormalDist()
    exact = [normal.pdf(t) / (0.5 * math.erfc(-t / math.sqrt(2))) for t in points[:-2] if t > -36]
    inside = points[:-2] > -36
    assert np.abs(ratings.correction(points[:-2][inside]) - exact).max() < 1e-11
    assert ratings.correction(np.array([-38.5]))[0] == pytest.approx(38.5 + 1 / 38.5, rel=1e-4)
    assert np.isfinite(ratings.correction(points)).all(), "nothing that can be given breaks it"


def test_the_environment_has_no_draws_and_no_drift() -> None:
    env = environment()
    assert (env.mu, env.sigma, env.beta, env.tau, env.draw_probability) == (25, 25 / 3, 25 / 6, 0, 0)
    assert ratings.Rating(30.0, 2.0, 0, 0, 1).conservative == pytest.approx(24.0)


def test_ratings_are_the_same_for_the_same_seed_and_nearly_so_for_any_order() -> None:
    winners, losers = _matches(bots=6, count=600, seed=1)
    rated = rate(winners, losers, 6, seed=5)
    assert rate(winners, losers, 6, seed=5) == rated
    order = np.random.default_rng(2).permutation(600)
    again = rate(winners[order], losers[order], 6, seed=6)
    for one, other in zip(rated, again, strict=True):
        assert abs(one.mu - other.mu) < 0.75 * one.order_spread, (
            "the average moves less than a single pass does"
        )
        assert one.order_range > one.order_spread > 0
        assert (
            one.matches
            == other.matches
            == int((winners == rated.index(one)).sum()) + int((losers == rated.index(one)).sum())
        )


def test_without_a_match_everybody_has_the_prior() -> None:
    for rating in rate([], [], 3):
        assert (rating.mu, rating.matches, rating.order_spread) == (25.0, 0, 0.0)
        assert rating.sigma == pytest.approx(25 / 3)
    assert rate([], [], 0) == []


def test_history_goes_from_the_prior_to_a_single_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    winners, losers = _matches(bots=4, count=150, seed=9)
    moved = history(winners, losers, 4, points=10)
    assert moved.after == tuple(range(0, 151, 15))
    assert moved.skills[0] == ((25.0, 25 / 3),) * 4
    monkeypatch.setattr(ratings, "PACKAGE_MATCHES", 0)
    formula = history(winners, losers, 4, points=10)
    assert np.array(formula.skills) == pytest.approx(np.array(moved.skills), abs=1e-9)
    assert history([], [], 2).after == (0,)
    assert history([0], [1], 2).after == (0, 1)


@pytest.mark.parametrize(
    ("intervals", "ranks"),
    [
        ([], []),
        ([(20, 30)], [1]),
        ([(28, 32), (20, 24), (10, 14)], [1, 2, 3]),
        ([(28, 32), (26, 30), (10, 14)], [1, 1, 3]),
        # The third overlaps the second and not the first, who opened the rank: it has a rank of its own.
        ([(28, 32), (25, 29), (22, 26)], [1, 1, 3]),
        ([(28, 32), (25, 28), (10, 14)], [1, 1, 3]),  # touching does not separate
        # A wide interval further down never lifts a bot above one that was separated.
        ([(28, 32), (20, 21), (0, 40)], [1, 2, 2]),
    ],
)
def test_bots_that_the_intervals_do_not_separate_share_a_rank(
    intervals: list[tuple[float, float]], ranks: list[int]
) -> None:
    assert shared_ranks(intervals) == ranks


def _kendall(one: np.ndarray, other: np.ndarray) -> float:
    above = np.triu_indices(len(one), 1)
    signs = [np.sign(x[:, None] - x[None, :])[above] for x in (one, other)]
    return float((signs[0] * signs[1]).mean())


@pytest.mark.slow
def test_known_truth_is_found_again() -> None:
    """12 bots, 20 matches a pair, 60 tournaments: order as good as Bradley-Terry's, honest intervals.

    Strengths have a standard deviation of 5. The same simulation covers about 98 % in a narrow field
    (2) and about 91 % in a very wide one (8.3), where most matches say little.
    """
    source = np.random.default_rng(20)
    bots, per_pair, beta = 12, 20, environment().beta
    cdf = np.vectorize(NormalDist().cdf)
    seats = [(a, b) if n % 2 else (b, a) for a in range(bots) for b in range(a) for n in range(per_pair)]
    p1, p2 = np.array(seats).T
    covered, by_trueskill, by_bradley_terry = [], [], []
    for tournament in range(60):
        truth = source.normal(25, 5, bots)
        first = source.random(len(p1)) < cdf((truth[p1] - truth[p2]) / (math.sqrt(2) * beta))
        rated = rate(np.where(first, p1, p2), np.where(first, p2, p1), bots, seed=tournament)
        mu, sigma = np.array([r.mu for r in rated]), np.array([r.sigma for r in rated])
        # Matches say nothing about the level of the whole field: only differences can be found.
        covered.append(np.abs((mu - mu.mean()) - (truth - truth.mean())) < Z95 * sigma)
        as_p1, as_p2 = np.zeros((bots, bots)), np.zeros((bots, bots))
        np.add.at(as_p1, (p1[first], p2[first]), 1)
        np.add.at(as_p2, (p2[~first], p1[~first]), 1)
        strengths = np.array([s.value for s in fit(as_p1, as_p2).strengths])
        by_trueskill.append(_kendall(mu, truth))
        by_bradley_terry.append(_kendall(strengths, truth))
    assert 0.93 <= np.mean(covered) <= 0.97
    assert abs(np.mean(by_trueskill) - np.mean(by_bradley_terry)) < 0.01
    assert np.mean(by_trueskill) > 0.9


def test_many_matches_narrow_the_interval() -> None:
    source = random.Random(4)
    few = [source.random() < 0.7 for _ in range(20)]
    many = [source.random() < 0.7 for _ in range(2000)]
    widths = [
        rate([0 if won else 1 for won in results], [1 if won else 0 for won in results], 2)[0]
        for results in (few, many)
    ]
    assert widths[1].high - widths[1].low < 0.3 * (widths[0].high - widths[0].low)
