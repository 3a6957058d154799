"""Schedules: complete, balanced, interleaved, and a function of the seed alone."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule import FaultStreaks, Job, Plan, gauntlet, round_robin

LABELS = [f"bot{n}@{n:012x}" for n in range(9)]
PLAN = Plan("gridlock", seed=7, options=(("wrap", "on"),), rounds=3, opening=2)


@given(count=st.integers(2, 9), rounds=st.integers(1, 4), seed=st.integers(0, 2**32))
def test_every_pairing_has_its_encounters_with_the_seats_swapped(count: int, rounds: int, seed: int) -> None:
    jobs = list(round_robin(LABELS[:count], PLAN._replace(seed=seed, rounds=rounds)))
    assert [job.number for job in jobs] == list(range(1, len(jobs) + 1))
    seats = Counter(job.bots for job in jobs)
    assert seats == {(a, b): rounds for a in LABELS[:count] for b in LABELS[:count] if a != b}
    for first, second in zip(jobs[::2], jobs[1::2], strict=True):
        assert second == first._replace(number=first.number + 1, bots=first.bots[::-1])
        assert first.encounter == (first.number + 1) // 2
        assert (first.opens_encounter, second.opens_encounter) == (True, False)


def test_a_job_carries_the_plan() -> None:
    job = next(round_robin(LABELS, PLAN))
    assert (job.game, job.options, job.opening) == ("gridlock", (("wrap", "on"),), 2)


def test_the_jobs_depend_on_the_seed_and_not_on_the_order_of_the_bots() -> None:
    jobs = list(round_robin(LABELS, PLAN))
    shuffled = LABELS[:]
    random.Random(1).shuffle(shuffled)
    assert list(round_robin(shuffled + LABELS[:2], PLAN)) == jobs
    assert list(round_robin(LABELS, PLAN._replace(seed=8))) != jobs


def test_the_jobs_of_a_seed_stay_the_same_from_release_to_release() -> None:
    """A stored tournament is resumed by generating its jobs again."""
    jobs = list(round_robin(["a@1", "b@2", "c@3"], Plan("blockade", seed=1)))
    assert [(job.bots, job.seed) for job in jobs] == GOLDEN


def test_encounters_have_different_seeds() -> None:
    jobs = list(round_robin(LABELS, PLAN))
    seeds = {job.encounter: job.seed for job in jobs}
    assert len(set(seeds.values())) == len(seeds) == len(jobs) // 2
    assert all(0 <= seed < 2**31 for seed in seeds.values())


def test_another_bot_or_a_new_version_leaves_the_other_seeds_as_they_were() -> None:
    def seeds(bots: list[str]) -> set[tuple[str, str, int]]:
        return {(*(b.split("@")[0] for b in job.bots), job.seed) for job in round_robin(bots, PLAN)}

    assert seeds(LABELS[:5]) < seeds(LABELS[:6])
    assert seeds([*LABELS[:4], "bot4@other"]) == seeds(LABELS[:5])


@pytest.mark.parametrize("count", [4, 5, 8, 9])
def test_at_any_moment_all_have_played_nearly_equally_often(count: int) -> None:
    """Within a round of encounters nobody is more than one circle ahead, an odd bot's bye included."""
    played: Counter[str] = Counter(dict.fromkeys(LABELS[:count], 0))
    for job in round_robin(LABELS[:count], PLAN):
        played.update(job.bots)
        assert max(played.values()) - min(played.values()) <= 4


def test_the_first_match_of_an_encounter_changes_its_first_seat_from_round_to_round() -> None:
    firsts: dict[frozenset[str], list[str]] = {}
    for job in round_robin(LABELS, PLAN):
        if job.number % 2:
            firsts.setdefault(frozenset(job.bots), []).append(job.bots[0])
    for one, two, three in firsts.values():
        assert one == three != two


def test_in_a_gauntlet_the_champion_meets_everybody_and_nobody_else_meets() -> None:
    jobs = list(gauntlet(LABELS[3], LABELS, PLAN))
    assert len(jobs) == 8 * 3 * 2
    assert all(LABELS[3] in job.bots for job in jobs)
    assert set(Counter(job.bots for job in jobs).values()) == {3}
    assert len({frozenset(job.bots) for job in jobs[:16]}) == 8, "every challenger is met in the first round"


def test_too_few_bots_are_refused() -> None:
    with pytest.raises(ValueError, match="there is one"):
        list(round_robin(["a@1", "a@1"], PLAN))
    with pytest.raises(ValueError, match="there is none"):
        list(round_robin([], PLAN))
    with pytest.raises(ValueError, match="challenger"):
        list(gauntlet("a@1", ["a@1"], PLAN))


def test_a_large_schedule_is_generated_lazily() -> None:
    jobs = round_robin((f"b{n}@1" for n in range(300)), PLAN._replace(rounds=10**6))
    assert next(jobs).number == 1


def _line(bot: str, count: int) -> list[Job]:
    return [Job(n, n, "blockade", (), 0, 0, (bot, f"other{n}@1")) for n in range(1, count + 1)]


def test_a_bot_is_withdrawn_when_its_faults_in_a_row_reach_the_limit() -> None:
    jobs = _line("bad@1", 8)
    streaks = FaultStreaks(jobs, limit=3)
    withdrawn = [
        streaks.finished(job, f) for job, f in zip(jobs, ["bad@1", None, *["bad@1"] * 6], strict=True)
    ]
    assert withdrawn == [(), (), (), (), ("bad@1",), (), (), ()]
    assert [streaks.is_walkover(job) for job in jobs] == [False] * 5 + [True] * 3


@given(st.permutations(range(8)), st.lists(st.booleans(), min_size=8, max_size=8), st.integers(1, 4))
def test_the_order_in_which_workers_finish_does_not_change_who_is_withdrawn(
    order: list[int], faults: list[bool], limit: int
) -> None:
    jobs = _line("bad@1", 8)
    expected, actual = FaultStreaks(jobs, limit), FaultStreaks(jobs, limit)
    for n in range(8):
        expected.finished(jobs[n], "bad@1" if faults[n] else None)
    for n in order:
        actual.finished(jobs[n], "bad@1" if faults[n] else None)
    assert actual.withdrawn_after == expected.withdrawn_after


def test_no_limit_withdraws_nobody_and_a_walkover_leaves_the_streak_of_the_opponent() -> None:
    jobs = _line("bad@1", 5)
    never = FaultStreaks(jobs, limit=0)
    assert all(never.finished(job, "bad@1") == () for job in jobs)
    met = [Job(n, n, "blockade", (), 0, 0, pair) for n, pair in enumerate(MEETINGS, 1)]
    streaks = FaultStreaks(met, limit=2)
    for job in met:
        streaks.finished(job, None if streaks.is_walkover(job) else job.bots[0])
    assert streaks.withdrawn_after == {"a@1": 2, "b@1": 5}


MEETINGS = [("a@1", "c@1"), ("a@1", "d@1"), ("b@1", "c@1"), ("a@1", "b@1"), ("b@1", "d@1")]
GOLDEN = [
    (("b@2", "c@3"), 1607402607),
    (("c@3", "b@2"), 1607402607),
    (("c@3", "a@1"), 957759177),
    (("a@1", "c@3"), 957759177),
    (("b@2", "a@1"), 1832730930),
    (("a@1", "b@2"), 1832730930),
]
