"""Every benchmark runs in small and prints its rows; nothing here says how fast this machine is."""

import json
import os
import shutil

import pytest
from click.testing import CliRunner

from arena.bench import bench_names
from arena.bench._programs import NO_COMPILER, compiled
from arena.bench._uci import plies, uci_matches
from arena.cli import cli
from arena.games import game_ids

pytestmark = pytest.mark.processes
compiler = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler")


def rows_of(name, *words):
    result = CliRunner().invoke(cli, ["bench", name, "--repetitions", "1", "--json", *words])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["bench"] == name
    for item in found["rows"]:
        assert 0 < item["low"] <= item["median"] <= item["high"], item
        assert all(value > 0 for value in item["details"].values()), item
    return {item["subject"]: item for item in found["rows"]}, found["notes"]


def test_these_are_all():
    assert {"referee", "reports", "rules", "startup", "tournament"} <= set(bench_names())
    assert not any(name.startswith("_") for name in bench_names())


@compiler
def test_the_referee_is_timed_in_every_way():
    rows, notes = rows_of("referee", "--game", "blockade", "--seconds", "0.01", "--rounds", "20")
    cores = len(os.sched_getaffinity(0))
    ways = ["", " unpinned", " restarted", " no ponder", " sandbox basic"]
    ways += [f" {cores} workers"] if cores > 1 else []
    assert {"ping-pong C and C, one core", "ping-pong Python and C, one core"} <= set(rows)
    assert {f"blockade{way}" for way in ways} <= set(rows)
    assert "blockade sandbox bwrap" in rows or any("bwrap is left out" in note for note in notes)
    assert {"CPU µs", "x raw CPU", "x raw", "replies/s", "matches/s"} <= set(rows["blockade"]["details"])
    if cores > 1:
        assert "x one worker" in rows[f"blockade {cores} workers"]["details"]


@compiler
@pytest.mark.parametrize("game", game_ids())
def test_the_c_bot_plays_every_game(game):
    rows, _ = rows_of("referee", "--game", game, "--seconds", "0.001", "--rounds", "5")
    assert rows[game]["details"]["matches/s"] > 0


@compiler
def test_a_tournament_is_timed_part_by_part():
    rows, _ = rows_of("tournament", "--matches", "12", "--workers", "1", "--seconds", "0.01")
    parts = ("played", "share of the bare", "schedule and jobs", "parent: store and log", "report")
    assert set(rows) == {"bare referee", *(f"12 matches: {part}" for part in (*parts, "peak of the parent"))}


def test_reports_by_size():
    rows, _ = rows_of("reports", "--matches", "30")
    parts = ("ratings and tables", "the same and all files", "peak of memory")
    assert set(rows) == {f"30 matches: {part}" for part in parts}


def test_startup():
    rows, _ = rows_of("startup")
    assert {"arena --help", "bot with the SDK, to the end of input", "python -c pass"} <= set(rows)
    assert all("CPU ms" in item["details"] for item in rows.values())


def test_without_a_compiler_it_says_so(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with compiled() as programs:
        assert programs is None
    for name in ("referee", "tournament"):
        rows, notes = rows_of(name)
        assert rows == {}
        assert NO_COMPILER in notes


@pytest.mark.parametrize(("name", "option"), [("c-chess-cli", "-pgn"), ("fastchess", "-pgnout")])
def test_other_referees_are_measured_where_they_are(tmp_path, monkeypatch, name, option):
    engine = tmp_path / "engine"
    engine.touch()
    assert uci_matches(engine) == {} or shutil.which("c-chess-cli") or shutil.which("fastchess")
    stand_in = tmp_path / name
    stand_in.write_text(
        "#!/bin/sh\n"
        f'while [ "$1" != {option} ]; do shift; done\n'
        "sleep 0.1\n"  # the time of a file is some milliseconds coarse
        'printf \'[PlyCount "77"]\\n\\n1. e4 e5\\n\\n[PlyCount "3"]\\n\' > "${2#file=}"\n'
    )
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    tally = uci_matches(engine, games=4)[f"{name}, pinned"](1)
    assert (tally.replies, tally.matches) == (80, 4)
    assert tally.wall_ns > 0


def test_plies_of_a_pgn():
    assert plies('[PlyCount "12"]\n\n1. e4 {[PlyCount "9"]}\n[PlyCount "1"]\n') == 13
