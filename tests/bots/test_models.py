"""The fast models of the games against the games themselves: same turns, same states, same ends."""

import random

import pytest

from arena.games import load_game
from arena.search.model import Model, PositionModel, model_for

RULES = PositionModel()

CASES = [
    ("blockade", {}, 12),
    ("blockade", {"size": "7"}, 4),
    ("gridlock", {}, 4),
    ("gridlock", {"size": "5"}, 15),
    ("gridlock", {"size": "5", "wrap": "on"}, 15),
    ("gridlock", {"size": "5", "corner-locks": "off"}, 15),
    ("runner-barriers", {}, 12),
    ("runner-barriers", {"enclosure": "cell"}, 6),
    ("runner-barriers", {"adjacent-barriers": "allowed"}, 6),
    ("runner-barriers", {"repetition": "allowed", "turn-limit": "60"}, 4),
    ("runner-walls", {}, 25),
    ("runner-walls", {"repetition": "allowed", "turn-limit": "60"}, 6),
    ("snatchers", {}, 8),
    ("snatchers", {"up": "screen"}, 4),
    ("snatchers", {"repetition": "allowed", "turn-limit": "60"}, 4),
]


def wins_at_once(position, turn):
    outcome = RULES.play(position, turn).outcome
    return outcome is not None and outcome.winner is position.seat


def check_turns(model: Model, position, state):
    """A model may leave out turns only beside one that wins, or when they lose to the next turn."""
    known = {model.replies(state, move): move for move in model.moves(state)}
    legal = set(RULES.moves(position))
    assert set(known) <= legal
    left_out = legal - set(known)
    if left_out and not wins_at_once(position, next(iter(known))):
        for turn in left_out:
            after = RULES.play(position, turn)
            assert any(wins_at_once(after, reply) for reply in RULES.moves(after))
    return known, sorted(legal)


@pytest.mark.parametrize(("game", "options", "matches"), CASES)
def test_model_and_rules_agree(game, options, matches):
    rules = load_game(game)
    model = model_for(game, rules.settings(options))
    assert not isinstance(model, PositionModel)
    for seed in range(matches):
        source, position = random.Random(seed), rules.start(options, seed)
        while position.outcome is None:
            state = model.load(position)
            known, legal = check_turns(model, position, state)
            assert isinstance(model.value(state), int)
            turn = source.choice(legal)
            position = RULES.play(position, turn)
            if turn in known:
                after = model.play(state, known[turn])
                limited = position.outcome and position.outcome.reason == "adjudicated"
                assert limited or bool(model.moves(after)) == (position.outcome is None)
                assert position.outcome or model.load(position) == after


def test_a_game_without_a_model_is_played_by_its_rules():
    rules = load_game("runner-barriers")
    model = model_for("runner-barriers", rules.settings({"capture": "off"}))
    assert isinstance(model, PositionModel)
    position = rules.start({"capture": "off"})
    assert model.replies(position, ("MOVE B1",)) == ("MOVE B1",)
    assert {turn[0] for turn in model.moves(position)} == set(position.available())
    assert isinstance(model_for("chess", {}), PositionModel)


def test_the_middle_of_a_turn_is_no_state():
    gridlock = load_game("gridlock")
    assert model_for("gridlock", gridlock.settings()).load(gridlock.start().apply("0 1")) is None
    snatchers = load_game("snatchers")
    assert model_for("snatchers", snatchers.settings()).load(snatchers.start().apply("up")) is None


def test_territory_on_a_board_without_edges():
    """In the corner of a wrapped board every cursor has four neighbours, and both reach as much."""
    rules = load_game("gridlock")
    for options in ({"size": "4", "wrap": "on"}, {"size": "5", "wrap": "on"}):
        model = model_for("gridlock", rules.settings(options))
        around = model.around
        for cell, near in enumerate(around):
            assert model._wrapped(1 << cell) == near
