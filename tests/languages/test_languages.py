"""Starter kits and lone files as real processes, in every language that this machine has."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bot import Source
from arena.games import game_ids
from arena.limits import Limits
from arena.match import Table
from arena.referee import Setup
from arena.roster import find_bot
from arena.sandbox import Basic, Caps, bare_environment
from arena.sandbox.building import step_runner
from arena.sandbox.choice import choose, landlock_problem
from arena.starters import find_starter, list_starters, write_starter
from arena.submit import conformance, submit
from arena.toolchains import missing_tool

pytestmark = pytest.mark.processes

KITS = [starter.id for starter in list_starters()]
PATIENT = Limits(start_ns=120 * 10**9, turn_ns=60 * 10**9)
TOLD = """arena 1
game gridlock wrap=on
seat P1
limits start=10000 turn=1000 strikes=3
seed {seed}
? ready | ready
weather sunny | with | bars

board 1........./.........2
state barriers=3 other=2
time 1000 clock=5
? move | 0 1
error illegal no way
? move | 0 1
played P2 move 8 9
played P2 lock 9 9
board 1........./.........2
time 900
? lock | BARRIER C3
end P1 immobilised
arena 1
game snatchers
seat P2
limits start=10000 turn=1000 strikes=3
seed 7
? ready | ready
board ..
time 1000
? direction | up
end P2 capture
"""
ANSWERS = ["ready", "0 1", "0 1", "BARRIER C3", "ready", "up"]


@pytest.fixture(scope="module")
def homes(tmp_path_factory):
    """One workspace for all languages, and what was submitted to it so far: each kit is built once."""
    return tmp_path_factory.mktemp("home"), {}


def submitted(language, homes, tmp_path_factory):
    home, known = homes
    if language not in known:
        starter = find_starter(language)
        if starter.missing:
            pytest.skip(f"NOT PLAYED: {language}: {starter.missing}")
        folder = tmp_path_factory.mktemp("kit") / f"my-{language}"
        write_starter(starter, f"my-{language}", folder)
        known[language] = submit(folder, home=home, checker=conformance(Basic(), PATIENT.turn_ns)).bot
    return home, known[language]


@pytest.mark.parametrize("language", KITS)
def test_kit_is_submitted_checked_and_played(language, homes, tmp_path_factory, played):
    home, bot = submitted(language, homes, tmp_path_factory)
    found = find_bot(f"my-{language}", home)
    assert found == bot
    assert (found.source, found.name) == (Source.SUBMITTED, f"my-{language}")
    opponent = find_bot(str(Path(__file__).with_name("any_reply.py")))
    with Table(choose("auto", Caps()).sandbox) as table:
        for number, game in enumerate(game_ids()):
            seats = (found, opponent) if number % 2 else (opponent, found)
            record = table.play(Setup(game, seed=number, limits=PATIENT), *seats).record
            assert record.fault is None, record.fault
            assert record.winner is not None
    played(found.language)


@pytest.mark.parametrize("language", KITS)
def test_kit_is_built_and_plays_behind_landlock(language, tmp_path):
    """The sandbox where bubblewrap cannot run."""
    if problem := landlock_problem():
        pytest.skip(f"NOT PLAYED: {language}: landlock: {problem}")
    starter = find_starter(language)
    if starter.missing:
        pytest.skip(f"NOT PLAYED: {language}: {starter.missing}")
    sandbox = choose("landlock", Caps()).sandbox
    write_starter(starter, "kit", tmp_path / "kit")
    runner, checker = step_runner(sandbox), conformance(sandbox, PATIENT.turn_ns)
    bot = submit(tmp_path / "kit", home=tmp_path / "home", runner=runner, checker=checker).bot
    with Table(sandbox) as table:
        record = table.play(Setup("blockade", seed=1, limits=PATIENT), bot, bot).record
    assert record.fault is None, record.fault
    assert record.sandbox.startswith("landlock(files, net, ")


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("seed", ["0", "18446744073709551615", "0009"])
@pytest.mark.parametrize("language", [kit for kit in KITS if kit != "python-sdk"])
def test_kit_reads_everything_the_referee_may_say(language, seed, end, homes, tmp_path_factory):
    _, bot = submitted(language, homes, tmp_path_factory)
    said = TOLD.format(seed=seed).replace("\n", end).encode()
    done = subprocess.run(
        bot.command,
        cwd=bot.folder,
        env=dict(bare_environment(bot)),
        input=said,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.decode().splitlines() == ANSWERS
    assert done.stderr.decode().splitlines()[-1:] == ["refused: illegal no way"]
    assert done.returncode == 0


def sources(starter):
    """The programs of a kit; pip leaves compiled ones beside those it installs."""
    return sorted(path for path in starter.folder.iterdir() if path.is_file() and path.name != "bot.toml")


@pytest.mark.parametrize("language", KITS)
def test_kit_has_one_marked_place_and_is_short(language):
    (source,) = sources(find_starter(language))
    text = source.read_text(encoding="utf-8")
    assert text.count("YOUR IDEA HERE") == 1
    assert len(text.splitlines()) < 120


LONE_FILES = {
    path.name: starter.id
    for starter in list_starters()
    for path in sources(starter)
    if starter.id != "python-sdk"
}


@pytest.mark.parametrize("name", LONE_FILES)
def test_lone_file_needs_no_manifest(name, tmp_path):
    starter = find_starter(LONE_FILES[name])
    if starter.missing:
        pytest.skip(f"NOT PLAYED: {starter.id}: {starter.missing}")
    file = tmp_path / name
    file.write_bytes((starter.folder / name).read_bytes())
    bot = find_bot(str(file))
    assert bot.language == starter.id
    with Table() as table:
        record = table.play(Setup("blockade", seed=3, limits=PATIENT), bot, bot).record
    assert record.fault is None, record.fault
    assert [path.name for path in tmp_path.iterdir()] == [name], "nothing is built beside the source"


def test_java_file_whose_class_has_another_name(tmp_path):
    if missing_tool(("java",), tmp_path):
        pytest.skip("NOT PLAYED: java is missing")
    source = (find_starter("java").folder / "Bot.java").read_text(encoding="utf-8")
    (tmp_path / "mine.java").write_text(source.replace("public class Bot", "class Other"), encoding="utf-8")
    bot = find_bot(str(tmp_path / "mine.java"))
    with Table() as table:
        assert table.play(Setup("blockade", limits=PATIENT), bot, replace(bot, name="b")).record.fault is None
