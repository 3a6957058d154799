"""Every bundled bot as a real process, in every game that it says it plays."""

import dataclasses

import pytest

from arena.bot import BotError
from arena.data import data_folder
from arena.game import P1, P2
from arena.games import game_ids
from arena.limits import Limits
from arena.match import Table
from arena.referee import Setup
from arena.roster import find_bot, list_bots

pytestmark = pytest.mark.processes

PATIENT = Limits(start_ns=60 * 10**9, turn_ns=30 * 10**9)
THINKERS = {"alphabeta": "60", "mcts": "60", "perfect": "120"}
NAMES = sorted([*THINKERS, "central-java", "greedy", "pathfinder", "random", "random-c", "stubborn-js"])


def bundled(name):
    """The bot, thinking in a small number of states; skips where its language is not installed."""
    try:
        bot = find_bot(name)
    except BotError as error:
        pytest.skip(str(error))
    if name not in THINKERS:
        return bot
    environment = {**dict(bot.environment), "ARENA_NODES": THINKERS[name]}
    return dataclasses.replace(bot, environment=tuple(environment.items()))


def moves_of(record):
    return [(ply.seat, ply.reply) for ply in record.plies]


@pytest.fixture
def table():
    with Table() as table:
        yield table


def test_the_list_is_complete(monkeypatch, tmp_path):
    monkeypatch.setenv("ARENA_HOME", str(tmp_path))
    assert [bot.name for bot in list_bots()] == NAMES
    assert sorted(form.parent.name for form in data_folder("bots").glob("*/bot.toml")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_plays_its_games_without_a_fault(name, table):
    bot, opponent = bundled(name), bundled("random")
    for game in bot.games or game_ids():
        first = table.play(Setup(game, seed=11, limits=PATIENT, opening=2), bot, opponent).record
        second = table.play(Setup(game, seed=12, limits=PATIENT), opponent, bot).record
        for record in (first, second):
            assert record.fault is None, record.fault
            assert all(not ply.refused for ply in record.plies)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("gridlock", {"wrap": "on", "size": "5", "corner-locks": "off"}),
        ("runner-barriers", {"capture": "off", "enclosure": "cell"}),
        ("runner-walls", {"repetition": "allowed", "turn-limit": "40"}),
        ("snatchers", {"up": "screen", "turn-limit": "30"}),
        ("blockade", {"size": "7"}),
    ],
)
def test_thinkers_play_variants_without_a_fault(game, options, table):
    for seed in range(2):
        setup = Setup(game, options, seed=seed, limits=PATIENT)
        record = table.play(setup, bundled("alphabeta"), bundled("mcts")).record
        assert record.fault is None, record.fault


@pytest.mark.parametrize("game", ["blockade", "gridlock", "runner-walls"])
def test_a_number_of_states_makes_whole_matches_repeatable(game):
    def match(seed):
        with Table(keep=0) as table:
            setup = Setup(game, seed=seed, limits=PATIENT, opening=1)
            return moves_of(table.play(setup, bundled("alphabeta"), bundled("mcts")).record)

    assert match(7) == match(7)
    assert match(7) != match(8)


def test_a_kept_process_plays_as_a_fresh_one(table):
    setup = Setup("blockade", seed=3, limits=PATIENT)
    matches = [moves_of(table.play(setup, bundled("mcts"), bundled("greedy")).record) for _ in range(3)]
    assert matches[0] == matches[1] == matches[2]


@pytest.mark.parametrize("opponent", ["random", "greedy", "alphabeta", "mcts"])
def test_perfect_never_loses_blockade_as_p1(opponent, table):
    first, second = bundled("perfect"), bundled(opponent)
    for seed in range(10):
        record = table.play(Setup("blockade", seed=seed, limits=PATIENT), first, second).record
        assert (record.winner, record.fault) == (P1, None)


def test_perfect_takes_every_blockade_that_is_won_after_an_opening(table):
    """With one ply played for P1, P2 has a won game unless that ply was the centre."""
    first, second = bundled("alphabeta"), bundled("perfect")
    for seed in range(10):
        record = table.play(Setup("blockade", seed=seed, opening=1, limits=PATIENT), first, second).record
        if record.plies[0].reply != "3 3":
            assert record.winner is P2


def test_the_ladder_bench_measures_a_step(monkeypatch):
    from arena.bench import Row, ladder

    monkeypatch.setitem(ladder.LADDERS, "blockade", ("random", "greedy"))
    rows = list(ladder.measure(1, ("blockade",), matches=20, seed=4))
    assert rows == list(ladder.measure(1, ("blockade",), matches=20, seed=4))
    step = rows[0]
    assert isinstance(step, Row)
    assert (step.subject, step.runs) == ("blockade: greedy over random", 20)
    assert step.low < step.median < step.high
    assert rows[-1] == "every step is clear"


@pytest.mark.parametrize(
    ("won", "played", "low", "high"),
    [(5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (120, 200, 0.5308, 0.6653)],
)
def test_wilson_interval(won, played, low, high):
    from arena.bench.ladder import wilson

    assert wilson(won, played) == pytest.approx((low, high), abs=1e-4)


def test_every_ladder_names_bots_that_play_the_game():
    from arena.bench.ladder import LADDERS

    assert sorted(LADDERS) == list(game_ids())
    by_name = {bot.name: bot for bot in list_bots()}
    for game, ladder in LADDERS.items():
        assert all(by_name[name].plays(game) for name in ladder)
