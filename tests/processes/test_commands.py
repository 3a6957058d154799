"""`arena match`, `arena check` and `arena reproduce` as a user runs them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena import record as records
from arena.bot import Bot
from arena.check import Check
from arena.match import VoidMatch
from arena.sandbox import Basic

pytestmark = pytest.mark.processes

HERE = Path(__file__).parent
GOOD, BAD = HERE / "good_bots", HERE / "bad_bots"
FIRST, LAST = str(GOOD / "first_reply.py"), str(GOOD / "last_reply.py")


def arena(folder: Path, *words: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "arena", str(words[0]), "--sandbox", "basic", *map(str, words[1:])],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(HERE.parent.parent), "ARENA_HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_a_match_is_told_in_words(tmp_path: Path) -> None:
    out = arena(tmp_path, "match", "blockade", FIRST, LAST, "--seed", 3, "--watch").stdout
    assert "(1,1)[X]" in out
    assert "beats" in out
    assert "blocked after" in out
    assert "seed 3" in out


def test_json_record_and_traffic_of_a_match(tmp_path: Path) -> None:
    files = ("--record", "m.txt", "--traffic", "t.txt")
    out = arena(tmp_path, "match", "gridlock", FIRST, LAST, "--option", "size=4", "--json", *files).stdout
    found = json.loads(out)
    assert found["winner"] in ("P1", "P2")
    assert found["options"] == {"size": "4"}
    assert found["times"]["P1"]["wall_ms"] > 0
    assert found["fault"] is None
    record = records.read(found["record"])
    assert (tmp_path / "m.txt").read_text() == found["record"]
    assert record.seed == found["seed"]
    assert len(record.plies) == found["plies"]
    traffic = (tmp_path / "t.txt").read_text()
    assert " P1 > ? ready | ready\n" in traffic
    end = f"> end {found['winner']} {found['reason']}\n"
    assert traffic.count(f" P1 {end}") == traffic.count(f" P2 {end}") == 1, "to the last line"
    arena_judge = subprocess.run(
        [sys.executable, "-m", "arena", "judge", "gridlock", "m.txt", "--option", "size=4"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(HERE.parent.parent)},
        capture_output=True,
        check=False,
    )
    assert arena_judge.returncode == 0


def test_the_time_that_a_bot_lost_by_is_told(tmp_path: Path) -> None:
    words = ("match", "blockade", BAD / "half_line_then_hang.py", FIRST, "--turn-time", "300ms", "--json")
    found = json.loads(arena(tmp_path, *words).stdout)
    assert found["reason"] == "timeout"
    assert found["times"]["P1"]["slowest_ms"] >= 300
    again = arena(tmp_path, "reproduce", found["capsule"], "--bot", BAD / "half_line_then_hang.py", status=1)
    assert "silent: only `1 1` came, without the end of a line" in again.stdout
    assert "nothing came then" in again.stdout


def test_a_spectator_who_leaves_voids_nothing(tmp_path: Path) -> None:
    """`arena match … --watch | head -1`: an end without a word, as of any program in a pipe."""
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "arena",
                "match",
                "blockade",
                FIRST,
                LAST,
                "--watch",
                "--sandbox",
                "basic",
            ],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(HERE.parent.parent), "PYTHONUNBUFFERED": "1"},
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        os.close(write)
    assert "void" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode != 3


def test_a_forfeit_leaves_a_capsule_that_can_be_played_again(tmp_path: Path) -> None:
    bad = BAD / "exits_mid_match.py"
    found = json.loads(arena(tmp_path, "match", "gridlock", bad, FIRST, "--json").stdout)
    assert (found["winner"], found["reason"], found["fault"]["exit_status"]) == ("P2", "crash", "exit 1")
    capsule = Path(found["capsule"])
    assert capsule.parent == tmp_path / "results" / "capsules"
    assert capsule.name.startswith("gridlock-exits_mid_match-crash-")

    out = arena(tmp_path, "reproduce", capsule, "--bot", bad, status=1).stdout
    assert "ended: exit 1" in out
    assert "ValueError: no idea what to play" in out
    again = json.loads(arena(tmp_path, "reproduce", capsule, "--bot", bad, "--json", status=1).stdout)
    assert again["wrong_again"] is True
    assert [step["verdict"] for step in again["steps"]] == ["same", "same", "ended"]
    assert again["steps"][1]["now"] == ["0 1"]

    mended = json.loads(arena(tmp_path, "reproduce", capsule, "--bot", FIRST, "--json").stdout)
    assert mended["wrong_again"] is False
    assert arena(tmp_path, "reproduce", capsule, status=2).stderr.count("hint: say where it is now") == 1


@pytest.mark.parametrize(
    "bot", ["prints_debugging", "illegal_forever", "closes_stdout", "huge_line", "segfaults"]
)
def test_each_kind_of_fault_is_reproduced(bot: str, tmp_path: Path) -> None:
    bad = BAD / f"{bot}.py"
    found = json.loads(arena(tmp_path, "match", "blockade", FIRST, bad, "--json").stdout)
    assert found["fault"]["seat"] == "P2"
    arena(tmp_path, "reproduce", found["capsule"], "--bot", bad, status=1)


def test_capsules_never_overwrite_each_other(tmp_path: Path) -> None:
    words = ("match", "blockade", BAD / "illegal_forever.py", FIRST, "--seed", 5, "--json")
    paths = {json.loads(arena(tmp_path, *words).stdout)["capsule"] for _ in range(2)}
    assert len(paths) == 2
    assert {path.name for path in (tmp_path / "results" / "capsules").iterdir()} == {
        Path(p).name for p in paths
    }


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("blockade", "nobody-there", FIRST), 2, "there is no bot 'nobody-there'"),
        (("no-game", FIRST, FIRST), 2, "there is no game"),
        (("blockade", FIRST), 2, "Missing argument"),
        (("blockade", FIRST, LAST, "--turn-time", "0s"), 2, "1ms or more"),
        (("blockade", FIRST, LAST, "--turn-time", "soon"), 2, "is not a duration"),
        (("blockade", FIRST, LAST, "--option", "size=99"), 2, "is not valid"),
        (("blockade", FIRST, LAST, "--record", "no/such/folder/x"), 2, "there is no folder"),
        (("blockade", FIRST, LAST, "--record", "/dev/full"), 3, "the match is void"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(
    words: tuple[str, ...], status: int, said: str, tmp_path: Path
) -> None:
    assert said in arena(tmp_path, "match", *words, status=status).stderr


def test_a_bot_that_cannot_run_voids_the_match(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF nonsense")
    broken.chmod(0o755)
    done = arena(tmp_path, "match", "blockade", broken, FIRST, "--json", status=3)
    assert "void" in done.stderr
    assert json.loads(done.stdout)["winner"] is None


@pytest.mark.parametrize("bot", ["four_lines", "exits_after_end", "stderr_noise"])
def test_a_decent_bot_passes_every_check(bot: str, tmp_path: Path) -> None:
    found = json.loads(arena(tmp_path, "check", GOOD / f"{bot}.py", "--json").stdout)
    assert found["passed"] is True
    verdicts = {finding["name"]: finding for finding in found["findings"]}
    assert {
        "starts and flushes",
        "next match",
        "one reply left",
        "unknown words",
        "CRLF",
        "replies",
        "speed",
    } <= set(verdicts)
    assert ("started afresh" in verdicts["next match"]["seen"]) is (bot == "exits_after_end")
    assert verdicts["stderr"]["verdict"] == ("note" if bot == "stderr_noise" else "pass")


def test_a_check_plays_and_measures_in_the_sandbox_that_is_the_default(tmp_path: Path) -> None:
    bot = GOOD / "four_lines.py"
    found = json.loads(
        arena(tmp_path, "check", bot, "--game", "blockade", "--sandbox", "auto", "--json").stdout
    )
    speed = next(f["seen"] for f in found["findings"] if f["name"] == "speed")
    measured = re.fullmatch(r"p50 \d+\.\d+ ms, p99 \d+\.\d+ ms, limit 1000 ms, over (\d+) replies", speed)
    assert measured is not None, speed
    assert int(measured[1]) > 30, "whole matches were played"


def test_a_check_proves_nothing_when_its_own_opponent_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = Bot("random", "0" * 12, (sys.executable, "-c", "raise SystemExit(4)"), Path("/"))
    monkeypatch.setattr("arena.check._OPPONENT", absent)
    bot = Bot("first", "0" * 12, (sys.executable, "-S", FIRST), GOOD)
    with pytest.raises(VoidMatch, match=r"opponent .* failed: .*exit 4"):
        list(Check(bot, ["blockade"], Basic()).findings())


@pytest.mark.parametrize(
    ("bot", "failing", "advice"),
    [
        ("forks_daemon", "plays blockade as P1", "arena rules blockade"),
        ("prints_debugging", "plays blockade as P1", "arena rules blockade"),
        ("never_flushes_ready", "starts and flushes", "flush"),
        ("exits_at_once", "starts and flushes", "ready"),
        ("illegal_forever", "replies", "one of the listed replies"),
        ("knows_every_word", "unknown words as P1", "ignore"),
        ("trips_over_crlf", "CRLF as P1", "strip"),
        ("one_match_only", "next match as P1", "after `end`"),
        ("retries_often", "replies", "once for each prompt"),
        ("needs_a_choice", "one reply left", "single reply"),
    ],
)
def test_a_check_that_fails_says_what_to_do(bot: str, failing: str, advice: str, tmp_path: Path) -> None:
    path = next(HERE.glob(f"*/{bot}.py"))
    words = ("check", path, "--game", "blockade", "--start-time", "1.5s", "--turn-time", "500ms")
    found = json.loads(arena(tmp_path, *words, "--json", status=1).stdout)
    failed = {f["name"]: f["advice"] for f in found["findings"] if f["verdict"] == "fail"}
    matching = [name for name in failed if name.startswith(failing)]
    assert matching, failed
    assert advice in failed[matching[0]]


def test_the_table_of_a_check_reads_well(tmp_path: Path) -> None:
    out = arena(
        tmp_path, "check", HERE / "flawed_bots" / "retries_often.py", "--game", "blockade", status=1
    ).stdout
    lines = out.splitlines()
    assert any(line.startswith("✓ plays blockade") for line in lines)
    failed = next(number for number, line in enumerate(lines) if line.startswith("✗ replies"))
    assert "→ send one of the listed replies" in lines[failed + 1]
    assert lines[-1].endswith("1 of 10 checks failed")
