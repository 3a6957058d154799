"""Whole tournaments with real bots: the same whatever the workers, and nothing lost whoever dies."""

import logging
import multiprocessing
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from arena.limits import Limits
from arena.sandbox import cgroup
from arena.store import Store
from arena.tournament import StopRequest
from arena.tournament_log import TournamentLog

from .conftest import command, without_times

pytestmark = pytest.mark.processes


def records(club, name):
    """The records of a tournament without what the clock wrote into them."""
    with Store(club.results, create=False) as store:
        texts = [store.record(name, row.number) for row in store.rows(name)]
    return [re.sub(r'wall=\d+ cpu=\d+|\[(Date|Tournament|CPU) ".*"\]', "", text or "") for text in texts]


def test_the_same_matches_whatever_the_number_of_workers(club):
    bots = club.seeded("a", "b", "c", "d")
    for name, workers in (("one", 1), ("three", 3)):
        club.set_up(bots, name)
        assert club.play(name, workers=workers).state == "complete"
    one, three = club.rows("one"), club.rows("three")
    assert len(one) == 4 * 3 // 2 * 2 * 2
    assert without_times(one) == without_times(three)
    assert records(club, "one") == records(club, "three")


def test_an_encounter_swaps_seats_on_the_same_seed_and_opening(club):
    club.set_up(club.seeded("a", "b"), game="runner-walls", rounds=3)
    club.play()
    rows = club.rows()
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        assert (first.p1, first.p2) == (second.p2, second.p1)
        assert first.seed == second.seed
        assert first.encounter == second.encounter
    assert len({row.seed for row in rows}) == 3


def test_every_line_of_every_worker_is_in_the_log(club):
    club.set_up(club.seeded("a", "b", "c"), rounds=10)
    club.play(workers=3)
    lines = club.log()
    form = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (INFO|WARNING) \S+ \S.*")
    assert [line for line in lines if not form.fullmatch(line)] == []
    results = Counter(
        int(found[1]) for line in lines if (found := re.search(r"match (\d+): .* wins by", line))
    )
    assert results == Counter(range(1, 61))
    assert lines[-1].endswith("tournament cup is complete")


def test_a_record_of_several_lines_can_be_read_line_by_line(tmp_path):
    log = TournamentLog(tmp_path / "arena.log")
    logging.getLogger("arena.test").warning("one\ntwo %s", "MainProcess")
    log.close()
    first, second = log.path.read_text().splitlines()
    assert first.endswith(" WARNING MainProcess one")
    assert second == first.removesuffix("one") + "two MainProcess"


def kill_workers(count):
    """A progress callback that kills a worker -9 `count` times, a few results apart."""
    left = count

    def on_progress(progress):
        nonlocal left
        workers = multiprocessing.active_children()
        if left and workers and progress.done >= 5 * (count - left):
            left -= 1
            workers[left % len(workers)].kill()

    return on_progress


def groups():
    base = cgroup.found().base
    folders = [] if base is None else Path(base.folder).glob("arena-*")
    return {path for path in folders if not Path("/proc", path.name.split("-")[2]).exists()}


def left_groups(before):
    """Groups of dead processes that stay; those of tests beside this one are swept in a moment."""
    deadline = time.monotonic() + 20
    while (left := groups() - before) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


@pytest.mark.parametrize("slow", [0, 0.003], ids=["reports held back", "every report sent at once"])
def test_killed_workers_cost_at_most_the_matches_in_flight(club, slow):
    bots = club.seeded("a", "b", "c", slow=slow)
    club.set_up(bots, "calm", rounds=6)
    club.play("calm")
    club.set_up(bots, "stormy", rounds=6)
    before = groups()
    state = club.play("stormy", on_progress=kill_workers(6)).state
    assert not left_groups(before), "control groups of killed workers are left"
    if state == "stopped":  # workers start more slowly than they are killed: one match was hit three times
        state = club.play("stormy").state
    assert state == "complete"
    assert without_times(club.rows("stormy")) == without_times(club.rows("calm"))
    with Store(club.results) as store:
        voids = store.incidents("stormy", "void")
    assert all("the worker died" in reason for _, reason in voids)
    assert any("died with exit code -9" in line for line in club.log("stormy"))


def test_a_match_that_ends_its_worker_is_the_only_one_to_blame(club, tmp_path):
    """Also when matches before it had been played and were not reported yet."""
    seed = tmp_path / "seed"
    club.set_up([command("kills_its_referee", seed, club.marker), *club.seeded("a")], rounds=40)
    with Store(club.results) as store:
        jobs, given = store.jobs("cup"), store.entrants("cup")
    bad = next(job for job in jobs[50:] if "kills_its_referee" in given[job.bots[0]])
    seed.write_text(str(bad.seed))
    assert club.play(workers=1).state == "stopped"
    with Store(club.results) as store:
        voids = [number for number, _ in store.incidents("cup", "void")]
    assert voids == [bad.number] * 3
    assert {row.number for row in club.rows()} == {job.number for job in jobs} - {bad.number}


def test_short_matches_are_reported_together_and_stored_in_the_order_of_each_worker(club):
    club.set_up(club.seeded("a", "b"), rounds=100)
    seen = []
    club.play(workers=1, on_progress=lambda progress: seen.append(progress.done))
    assert seen == sorted(set(seen))
    assert seen[-1] == 200
    assert len(seen) < 200, "the parent was woken for every match"


def test_a_tournament_that_was_stopped_goes_on_where_it_was(club):
    bots = club.seeded("a", "b", "c", slow=0.003)  # so slow that every match is reported at once
    club.set_up(bots, "whole", rounds=5)
    club.play("whole")
    club.set_up(bots, "parts", rounds=5)
    for level in (1, 2):
        stop = StopRequest()

        def enough(progress, stop=stop, at=level * 7, level=level):
            if progress.done >= at and not stop.level:
                for _ in range(level):
                    stop.raise_level()

        assert club.play("parts", stop, enough).state == "stopped"
        assert 0 < len(club.rows("parts")) < 30
    before = without_times(club.rows("parts"))
    assert club.play("parts").state == "complete"
    assert without_times(club.rows("parts")) == without_times(club.rows("whole"))
    assert [row for row in without_times(club.rows("parts")) if row in before] == before


@pytest.mark.parametrize("workers", [1, 3])
def test_a_bot_that_faults_again_and_again_is_withdrawn(club, workers):
    club.set_up([*club.seeded("a", "b", "c"), command("crashes")], rounds=3)
    info = club.play(workers=workers, faults=4)
    assert info.state == "complete"
    (crasher,) = info.withdrawn
    assert "crashes" in club.given(crasher)
    rows = [row for row in club.rows() if crasher in (row.p1, row.p2)]
    assert len(rows) == 18
    assert all(row.winner_label != crasher for row in rows)
    assert [row.withdrawn for row in rows] == [False] * 4 + [True] * 14
    assert {row.forfeit for row in rows[:4]} == {"crash"}
    assert {row.reason for row in rows[4:]} == {"withdrawn"}


def test_no_bot_is_withdrawn_when_the_organiser_does_not_want_it(club):
    club.set_up([*club.seeded("a"), command("crashes")], rounds=4)
    info = club.play(faults=0)
    assert info.withdrawn == ()
    assert {row.forfeit for row in club.rows()} == {"crash"}


@pytest.fixture
def busy_core():
    """Four programs that never rest on the core of the first worker, in sessions of their own."""
    code = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nwhile True: pass"
    others = [subprocess.Popen([sys.executable, "-S", "-c", code], start_new_session=True) for _ in range(4)]
    yield
    for other in others:
        other.kill()
        other.wait()


@pytest.mark.parametrize("replay", [True, False])
def test_a_doubtful_time_loss_is_played_again_once(club, tmp_path, busy_core, replay):
    thinker = command("thinks_for_ever_once", tmp_path / "thought")
    club.set_up([*club.seeded("a"), thinker], rounds=1)
    club.play(workers=1, replay_doubtful=replay, limits=Limits(start_ns=60 * 10**9, turn_ns=10**9))
    rows = club.rows()
    with Store(club.results) as store:
        again = store.incidents("cup", "doubtful")
    if replay:
        assert [row.forfeit for row in rows] == ["", ""]
        assert again == [(1, "timeout")]
    else:
        assert [row.forfeit for row in rows] == ["timeout", ""]
        assert [row.doubtful for row in rows] == [True, False]
        assert again == []


def test_a_bot_that_cannot_be_started_leaves_its_matches_without_a_result(club, tmp_path):
    program = tmp_path / "gone"
    shutil.copy(shutil.which("true"), program)
    club.set_up([*club.seeded("a"), str(program)], rounds=1)
    program.unlink()
    info = club.play()
    assert info.state == "stopped"
    assert club.rows() == []
    assert info.voids == 6, "each of two matches was tried three times"
