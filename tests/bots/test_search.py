"""Searchers: they see what is forced, keep to their budget, and repeat themselves for the same seed."""

import random
import time

import pytest

from arena.games import game_ids, load_game
from arena.openings import draw
from arena.search.alphabeta import AlphaBeta
from arena.search.budget import Budget, Exhausted
from arena.search.greedy import Greedy, Pathfinder
from arena.search.mcts import Mcts
from arena.search.model import WIN, model_for
from arena.search.perfect import BlockadeSolver, perfect

FOREVER = float("inf")
RUN = [f"MOVE {cell}" for cell in ("B1", "E4", "C1", "E3", "D1", "E2", "E1")]
SEARCHERS = [Greedy, Pathfinder, AlphaBeta, Mcts, perfect]


def state_after(game, *replies, options=None):
    rules = load_game(game)
    model = model_for(game, rules.settings(options))
    position = rules.start(options)
    for reply in replies:
        position = position.apply(reply)
    return model, model.load(position)


def chosen(searcher, model, state, nodes=300, seed=1):
    move = searcher(model).choose(state, Budget(FOREVER, nodes), random.Random(seed))
    return model.replies(state, move)


@pytest.mark.parametrize("searcher", SEARCHERS)
@pytest.mark.parametrize(
    ("game", "options", "replies", "expected"),
    [
        ("snatchers", {}, ("up", "2", "left", "2", "right", "2"), ("up", "2")),
        ("runner-barriers", {}, RUN, ("MOVE E1",)),
        ("runner-walls", {"walls": "0"}, ("1", "5", *("right", "up") * 3), ("right",)),
        ("gridlock", {"size": "3"}, ("0 1", "0 0", "1 2", "2 2", "0 2", "0 1", "1 1", "1 2"), None),
    ],
)  # fmt: skip
def test_takes_a_win_that_is_there(searcher, game, options, replies, expected):
    model, state = state_after(game, *replies, options=options)
    turns = {model.replies(state, move) for move in model.moves(state)}
    if expected is None:  # P1 cannot move any more: nothing is asked
        assert not turns
        return
    assert chosen(searcher, model, state) == expected


@pytest.mark.parametrize("searcher", [Pathfinder, AlphaBeta, Mcts, perfect])
def test_never_steps_beside_a_runner_that_would_catch_it(searcher):
    model, state = state_after(
        "runner-barriers", "MOVE B1", "MOVE D5", "MOVE C1", "MOVE C5", "MOVE C2", "MOVE C4"
    )
    for seed in range(10):
        assert chosen(searcher, model, state, seed=seed) != ("MOVE C3",)


def test_alphabeta_knows_how_blockade_ends():
    model, state = state_after("blockade", "3 3")
    search = AlphaBeta(model)
    search.choose(state, Budget(FOREVER, 200_000), random.Random(0))
    assert search.score < -WIN + 100  # only 3 3 wins as a first move, and it does
    for opening in ("1 3", "2 3"):
        model, state = state_after("blockade", opening)
        search = AlphaBeta(model)
        search.choose(state, Budget(FOREVER, 200_000), random.Random(0))
        assert search.score > WIN - 100


def test_the_solver_of_blockade_agrees_that_only_the_centre_wins():
    model, state = state_after("blockade")
    solver = BlockadeSolver(model)
    assert solver.wins(state)
    winning = [move for move in model.moves(state) if not solver.wins(model.play(state, move))]
    assert [model.names[move] for move in winning] == ["3 3"]
    assert isinstance(perfect(model), BlockadeSolver)
    assert isinstance(perfect(state_after("blockade", options={"size": "8"})[0]), AlphaBeta)


@pytest.mark.parametrize("game", game_ids())
@pytest.mark.parametrize("searcher", [AlphaBeta, Mcts])
def test_a_number_of_states_makes_play_repeatable(game, searcher):
    rules = load_game(game)
    model = model_for(game, rules.settings())
    state = model.load(draw(rules.start(seed=5), 3, 5).position)
    first = [chosen(searcher, model, state, 120, seed) for seed in range(4)]
    assert first == [chosen(searcher, model, state, 120, seed) for seed in range(4)]


@pytest.mark.parametrize("game", game_ids())
@pytest.mark.parametrize("searcher", [AlphaBeta, Mcts])
@pytest.mark.parametrize("nodes", [1, 2, 50])
def test_keeps_to_its_budget_and_still_plays(game, searcher, nodes):
    rules = load_game(game)
    model = model_for(game, rules.settings())
    state = model.load(rules.start(seed=1))
    budget = Budget(FOREVER, nodes)
    assert searcher(model).choose(state, budget, random.Random(1)) in list(model.moves(state))
    assert budget.spent <= nodes + 1


@pytest.mark.parametrize("searcher", [AlphaBeta, Mcts])
def test_a_deadline_that_has_passed_leaves_a_move(searcher):
    model, state = state_after("gridlock")
    budget = Budget(time.monotonic() - 1)
    assert searcher(model).choose(state, budget, random.Random(1)) in list(model.moves(state))
    assert budget.spent <= Budget.STRIDE + 1


def test_budget_reads_the_clock_only_without_a_number_of_states(monkeypatch):
    monkeypatch.setattr(time, "monotonic", lambda: pytest.fail("the clock was read"))
    budget = Budget(0.0, nodes=3)
    for _ in range(3):
        budget.spend()
    for _ in range(2):
        with pytest.raises(Exhausted):
            budget.spend()


def test_tree_search_keeps_the_tree_that_the_match_reaches():
    model, state = state_after("blockade", "1 1")
    search = Mcts(model)
    move = search.choose(state, Budget(FOREVER, 400), random.Random(2))
    after = model.play(state, move)
    reply = model.moves(after)[0]
    kept = search._kept(model.play(after, reply))
    assert kept is not None
    assert kept.visits > 0
    assert search._kept(state) is None
