"""Tools for tests that run for every game there is, with random options and random matches."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena.game import Game, OptionError, Position
from arena.games import game_ids, load_game

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
GAMES = game_ids()
OF_THE_BOOKS = ("blockade", "gridlock", "runner-barriers", "runner-walls", "snatchers")
"""Games held to a rule book by a naive twin, perft counts and transcripts; others may have them too."""

every_game = pytest.mark.parametrize("game_id", GAMES)


def file_name(game_id: str) -> str:
    return game_id.replace("-", "_")


TWINNED = tuple(
    game_id
    for game_id in GAMES
    if game_id in OF_THE_BOOKS or (HERE / "naive" / f"{file_name(game_id)}.py").is_file()
)


def refused_option(game: Game, options: dict[str, str]) -> str | None:
    try:
        game.settings(options)
    except OptionError as error:
        return str(error)
    return None


def option_values(option) -> st.SearchStrategy[str]:
    """Values of an option as its own help names them; small numbers, so that matches stay short."""
    numbers = re.match(r"([0-9]+)\.\.([0-9]+)", option.values)
    if numbers:
        low, high = int(numbers[1]), int(numbers[2])
        found = [str(n) for n in range(low, min(high, low + 9) + 1)]
        return st.sampled_from([option.default, *found, *(["off"] if "off" in option.values else [])])
    words = option.values.split("|")
    return st.sampled_from(words) if option.default in words else st.just(option.default)


@st.composite
def playable_options(draw, game: Game) -> dict[str, str]:
    """Some options of a game that can be played together."""
    keys = draw(st.sets(st.sampled_from([o.key for o in game.options]))) if game.options else set()
    given_options = {o.key: draw(option_values(o)) for o in game.options if o.key in keys}
    if given_options.get("repetition") == "allowed" and given_options.get("turn-limit", "off") == "off":
        given_options["turn-limit"] = "30"
    assume(refused_option(game, given_options) is None)
    return given_options


@st.composite
def matches(draw, game: Game) -> tuple[dict[str, str], int, list[Position], list[str]]:
    """Options, seed, every position of one random match and the replies between them."""
    given_options = draw(playable_options(game))
    seed = draw(st.integers(0, 2**32))
    choose = random.Random(draw(st.integers(0, 2**32)))
    position = game.start(given_options, seed)
    positions, replies = [position], []
    bound = game.turn_bound(game.settings(given_options))
    while position.outcome is None:
        assert position.turns < bound, f"{game.id} {given_options} goes on after {bound} turns"
        reply = choose.choice(position.available())
        position = position.apply(reply)
        positions.append(position)
        replies.append(reply)
    return given_options, seed, positions, replies


def random_matches(examples: int, games: tuple[str, ...] = GAMES):
    """Decorate a test of (game, match, data) to run for all these games, with so many random matches."""

    def decorate(test):
        @pytest.mark.parametrize("game_id", games)
        @settings(max_examples=examples, deadline=None)
        @given(data=st.data())
        def run(game_id, data):
            game = load_game(game_id)
            test(game, data.draw(matches(game)), data)

        run.__name__ = test.__name__
        return run

    return decorate
