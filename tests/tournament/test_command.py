"""`arena tournament` as a real command: interrupted, killed, resumed, and read with the other commands."""

import contextlib
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from arena.store import Store

from .conftest import running, without_times

pytestmark = pytest.mark.processes

PATIENCE_S = 60


def arena(club, *words, **extra):
    """Run a command in the club's folder; the finished process."""
    return subprocess.run(
        [sys.executable, "-m", "arena", *words],
        check=False,
        cwd=club.results.parent,
        env=os.environ | {"ARENA_HOME": str(club.results.parent)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        **extra,
    )


def start(club, *words):
    """Start a tournament in a session of its own, as a terminal would, and wait until matches are stored."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "tournament", *words],
        cwd=club.results.parent,
        env=os.environ | {"ARENA_HOME": str(club.results.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(lambda: played(club) >= 3 or process.poll() is not None)
    assert played(club) >= 3, process.communicate()
    return process


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def played(club):
    if not (club.results / "arena.db").is_file():
        return 0
    try:
        return len(club.rows())
    except Exception:  # the first moments of a store
        return 0


def words_for(club, *extra, slow=0.03, rounds=3):
    bots = ",".join(club.seeded("a", "b", "c", slow=slow))
    return (
        "--game",
        "blockade",
        "--bots",
        bots,
        "--rounds",
        str(rounds),
        "--seed",
        "9",
        "--name",
        "cup",
        *extra,
    )


def expected(club):
    """What an undisturbed tournament gives."""
    done = arena(club, "tournament", *words_for(club, "--results", "calm"), "--quiet")
    assert done.returncode == 0, done.stderr
    with Store(club.results.parent / "calm", create=False) as store:
        return store.jobs("cup"), list(store.rows("cup"))


def same_matches(club, rows):
    return without_times(rows) == without_times(club.rows())


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_stops_with_a_report_and_the_command_to_go_on(club, presses):
    process = start(club, *words_for(club))
    for _ in range(presses):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.1)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "Rating" in out
    assert (club.results / "cup" / "report.html").is_file()
    resume = re.search(r"arena (tournament --resume cup)", err)
    assert resume, err
    before = club.rows()
    assert 3 <= len(before) < 18
    assert running(club.marker) == []
    again = arena(club, *resume[1].split(), "--quiet")
    assert again.returncode == 0, again.stderr
    assert len(club.rows()) == 18
    assert set(before) <= set(club.rows())


def test_kill_9_of_the_parent_loses_at_most_the_matches_in_flight(club):
    jobs, rows = expected(club)
    process = start(club, *words_for(club))
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE_S)
    wait_until(lambda: running(club.marker) == [])
    before = club.rows()
    assert before
    again = arena(club, "tournament", "--resume", "--quiet")
    assert again.returncode == 0, again.stderr
    with Store(club.results, create=False) as store:
        resumed = store.jobs("cup")
    assert resumed == jobs
    assert set(before) <= set(club.rows()), "what was stored stays as it was"
    assert same_matches(club, rows)


def test_kill_9_of_workers_while_they_write_hangs_nobody(club):
    _, rows = expected(club)
    process = start(club, *words_for(club, "--workers", "3"))
    for _ in range(5):
        for pid in _children(process.pid):
            if process.poll() is None:
                _kill(pid)
        time.sleep(0.05)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode in (0, 3), err
    if process.returncode == 3:  # one match was hit three times: it says so, and can be played later
        assert arena(club, "tournament", "--resume", "--quiet").returncode == 0
    assert same_matches(club, rows)


def _children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:  # noqa: PTH123
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def played_cup(club):
    done = arena(club, "tournament", *words_for(club, slow=0.0, rounds=1))
    assert done.returncode == 0, done.stderr
    club.said = done
    return club


def test_a_finished_tournament_shows_standings_and_the_report(played_cup):
    done = played_cup.said
    assert "Rating" in done.stdout
    assert str(played_cup.results / "cup" / "report.html") in done.stderr
    names = {path.name for path in (played_cup.results / "cup").iterdir()}
    assert names == {
        "arena.log",
        "matches.csv",
        "report.html",
        "report.md",
        "standings.csv",
        "standings.json",
    }


def test_json_is_all_that_is_printed(club):
    done = arena(club, "tournament", *words_for(club, slow=0.0, rounds=1), "--json")
    (cup,) = json.loads(done.stdout)
    assert (cup["id"], cup["state"], cup["matches"], cup["seed"], cup["resume"]) == (
        "cup",
        "complete",
        6,
        9,
        None,
    )
    assert len(cup["standings"]) == 3


def test_tournaments_lists_them(played_cup):
    assert re.search(r"cup\s+blockade\s+6 of 6\s+complete", arena(played_cup, "tournaments").stdout)
    (one,) = json.loads(arena(played_cup, "tournaments", "--json").stdout)
    assert one["matches"] == one["jobs"] == 6


def test_show_prints_a_record_that_the_judge_accepts(played_cup):
    record = arena(played_cup, "show", "3").stdout
    assert '[Match "3"]' in record
    judged = arena(played_cup, "judge", "blockade", input=record)
    assert judged.returncode == 0, judged.stdout
    watched = arena(played_cup, "show", "cup:3", "--watch", "--delay", "0").stdout
    assert watched.count("(1,1)[") == record.count("> ") + 1
    assert json.loads(arena(played_cup, "show", "3", "--json").stdout)["game"] == "blockade"


def test_export_gives_tables_to_other_programs(played_cup):
    import pandas as pd

    text = arena(played_cup, "export", "--what", "matches", "--output", "-").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["number"] for row in rows] == [str(n) for n in range(1, 7)]
    for form, read in (("json", pd.read_json), ("parquet", pd.read_parquet)):
        done = arena(played_cup, "export", "cup", "--format", form)
        assert done.returncode == 0, done.stderr
        assert len(read(played_cup.results / "cup" / f"matches.{form}")) == 6
        assert len(read(played_cup.results / "cup" / f"standings.{form}")) == 3


def test_report_makes_it_again(played_cup):
    page = played_cup.results / "cup" / "report.html"
    page.unlink()
    assert arena(played_cup, "report").returncode == 0
    assert page.is_file()


def test_all_games_in_one_go(club):
    bots = ",".join(club.seeded("a", "b"))
    done = arena(club, "tournament", "--game", "all", "--bots", bots, "--rounds", "1", "--name", "every")
    assert done.returncode == 0, done.stderr
    table = list(csv.DictReader((club.results / "every" / "overall.csv").read_text().splitlines()))
    assert {"gridlock", "snatchers", "blockade", "runner-walls", "runner-barriers"} <= set(table[0])
    assert len(table) == 2


def test_a_champion_needs_no_other_word_and_gets_a_verdict(club):
    words = ("--game", "blockade", "--bots", *club.seeded("a"), "--champion", "random", "--rounds", "2")
    done = arena(club, "tournament", *words)
    assert done.returncode == 0, done.stderr
    assert "4 matches of a gauntlet among 2 bots" in done.stdout
    assert re.search(r"random against \S+ \d.\d, [\d.]+ % \(95 %: ", " ".join(done.stdout.split()))


MISTAKES = {
    "no game": ((), "name a game"),
    "unknown game": (("--game", "gridlok"), "did you mean 'gridlock'"),
    "unknown bot": (("--game", "gridlock", "--bots", "nobody-i-know,nor-him"), "nobody-i-know"),
    "one bot": (("--game", "gridlock", "--bots", "{a}"), "two bots"),
    "unknown option": (("--game", "gridlock", "--bots", "{a},{b}", "-o", "wrp=on"), "wrap"),
    "bad time": (("--game", "gridlock", "--bots", "{a},{b}", "--turn-time", "soon"), "duration"),
    "no champion": (("--game", "gridlock", "--bots", "{a},{b}", "--format", "gauntlet"), "--champion"),
    "wrong champion": (
        ("--game", "gridlock", "--bots", "{a},{b}", "--format", "gauntlet", "--champion", "x"),
        "there is no bot",
    ),
    "excluded champion": (
        ("--game", "gridlock", "--bots", "{a},{b}", "--champion", "random", "--exclude", "random"),
        "excluded",
    ),
    "nothing to resume": (("--resume",), "no results"),
    "resume with a game": (("--resume", "x", "--game", "gridlock"), "--resume"),
    "excluded nobody": (("--game", "gridlock", "--bots", "{a},{b}", "--exclude", "zorro"), "zorro"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_one_sentence(club, mistake):
    words, sentence = MISTAKES[mistake]
    a, b = club.seeded("a", "b")
    done = arena(club, "tournament", *(word.format(a=a, b=b) for word in words))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 2


def test_resuming_needs_the_same_bots(club, tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(
        "import sys\nfor line in sys.stdin:\n"
        "    line.startswith('?') and print(line.split(' | ')[1].strip(), flush=True)\n"
    )
    other = tmp_path / "other.py"
    other.write_text(script.read_text() + "# other\n")
    words = ("--game", "blockade", "--bots", f"{script},{other}", "--rounds", "1", "--name", "cup", "--quiet")
    assert arena(club, "tournament", *words).returncode == 0
    script.write_text(script.read_text() + "# changed\n")
    again = arena(club, "tournament", "--resume", "cup")
    assert again.returncode == 2
    assert "has changed since cup began" in again.stderr
