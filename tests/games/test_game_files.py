"""What every game says of itself, the files it comes with, and its naive twin; how a new game is found."""

import importlib.util
import re
import sys
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena.games
from arena.game import Position
from arena.games import game_ids, load_game

from .every_game import (
    GAMES,
    HERE,
    OF_THE_BOOKS,
    ROOT,
    TWINNED,
    every_game,
    file_name,
    playable_options,
    random_matches,
    refused_option,
)


@every_game
def test_the_worked_example_is_legal(game_id):
    game = load_game(game_id)
    position = game.start(game.example.options, game.example.seed)
    for line in game.example.lines:
        seat, _, text = line.partition("> ")
        assert seat == position.seat
        position = position.apply(position.parse(text))


@every_game
def test_ids_and_names(game_id):
    game = load_game(game_id)
    assert game.id == game_id
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", game.id)
    for names in (
        [ruling.id for ruling in game.rulings],
        [option.key for option in game.options],
        [prompt.name for prompt in game.prompts],
    ):
        assert len(set(names)) == len(names)
    assert all(len(symbol) == 1 and symbol.isascii() and symbol not in " /" for symbol in game.symbols)
    keys = {option.key for option in game.options}
    assert {ruling.option for ruling in game.rulings} - {None} <= keys


def test_a_ruling_id_means_one_thing_in_all_games():
    seen = {}
    for game in map(load_game, GAMES):
        for ruling in game.rulings:
            assert seen.setdefault(ruling.id, ruling) == ruling


@every_game
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_settings_are_complete_canonical_and_travel_as_what_differs(game_id, data):
    game = load_game(game_id)
    options = data.draw(playable_options(game))
    complete = game.settings(options)
    assert set(complete) == {option.key for option in game.options}
    assert game.settings(complete) == complete
    assert game.settings(game.chosen(complete)) == complete
    assert game.turn_bound(complete) > 0
    loud = {key: value.upper() for key, value in options.items()}
    assert game.settings(loud) == complete


@every_game
@settings(max_examples=30, deadline=None)
@given(value=st.text() | st.integers().map(str) | st.just("9" * 5000))
def test_a_bad_option_value_is_one_sentence(game_id, value):
    game = load_game(game_id)
    for option in game.options:
        sentence = refused_option(game, {option.key: value})
        assert sentence is None or (10 < len(sentence) < 400 and sentence.isprintable())
    sentence = refused_option(game, {f"colour{value}": "red"})
    assert sentence is not None
    assert f"{game_id} has no option" in sentence
    assert len(sentence) < 400
    assert sentence.isprintable()


# -------------------- the files of a game, and its naive twin


def naive_twin(game_id: str) -> ModuleType:
    path = HERE / "naive" / f"{file_name(game_id)}.py"
    spec = importlib.util.spec_from_file_location(f"naive_{file_name(game_id)}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def perft_lines(game_id: str) -> list[tuple[dict[str, str], int, dict[int, int]]]:
    """Options, seed and counts by depth of each line of a game's perft file."""
    path = HERE / "perft" / f"{game_id}.txt"
    found = []
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            options, seed, counts = (part.strip() for part in line.split("|"))
            pairs = [] if options == "-" else [pair.partition("=") for pair in options.split()]
            by_depth = {int(d): int(n) for d, n in (count.split(":") for count in counts.split())}
            found.append(({key: value for key, _, value in pairs}, int(seed), by_depth))
    return found


@every_game
def test_a_game_has_all_its_files(game_id):
    needed = [
        HERE / f"test_{file_name(game_id)}.py",
        ROOT / "protocol" / "games" / f"{game_id}.md",
    ]
    missing = [str(path.relative_to(ROOT)) for path in needed if not path.is_file()]
    assert not missing, f"{game_id} lacks {', '.join(missing)}"


@pytest.mark.parametrize("game_id", OF_THE_BOOKS)
def test_a_game_of_the_books_is_held_to_its_book(game_id):
    assert game_id in GAMES
    assert (HERE / "naive" / f"{file_name(game_id)}.py").is_file()
    assert (HERE / "perft" / f"{game_id}.txt").is_file()
    assert list((HERE / "transcripts").glob(f"{game_id}-*.txt")), f"{game_id} has no transcript"


@every_game
def test_the_notation_page_names_every_prompt_symbol_option_and_ruling(game_id):
    game = load_game(game_id)
    page = (ROOT / "protocol" / "games" / f"{game_id}.md").read_text()
    words = {ruling.id for ruling in game.rulings}
    words |= {f"`{prompt.name}`" for prompt in game.prompts} | {f"`{symbol}`" for symbol in game.symbols}
    words |= {f"`{option.key}" for option in game.options}
    assert not {word for word in words if word not in page}
    assert "```session\n" in page


@random_matches(40)
def test_the_notation_page_explains_every_ending(game, match, data):
    page = (ROOT / "protocol" / "games" / f"{game.id}.md").read_text()
    assert f"`{match[2][-1].outcome.reason}`" in page


@pytest.mark.parametrize("game_id", TWINNED)
def test_perft_counts_hold_for_the_rules_and_their_naive_twin(game_id):
    game, twin = load_game(game_id), naive_twin(game_id)
    lines = perft_lines(game_id)
    assert len({tuple(options.items()) for options, _, _ in lines}) >= 3
    for options, seed, expected in lines:
        counts = dict.fromkeys(range(1, max(expected) + 1), 0)
        state = twin.start(game.settings(options), seed)
        walk_together(twin, game.start(options, seed), state, 0, counts)
        assert {depth: counts[depth] for depth in expected} == expected, options


def walk_together(twin, position: Position, state, depth: int, counts: dict[int, int]) -> None:
    """Count the positions below by depth, and compare the rules with their naive twin in each of them."""
    if depth:
        counts[depth] += 1
    outcome = position.outcome
    assert twin.outcome(state) == (tuple(map(str, outcome)) if outcome else None)
    assert twin.seat(state) == position.seat
    replies = position.available()
    if outcome is None:
        assert sorted(twin.replies(state)) == sorted(replies)
    if depth + 1 in counts:
        for reply in replies:
            walk_together(twin, position.apply(reply), twin.play(state, reply), depth + 1, counts)


@random_matches(15, TWINNED)
def test_the_naive_twin_agrees_to_the_end_of_a_match(game, match, data):
    options, seed, positions, replies = match
    twin = naive_twin(game.id)
    state = twin.start(game.settings(options), seed)
    for position, reply in zip(positions, [*replies, None], strict=True):
        walk_together(twin, position, state, 0, {})
        if reply is not None:
            state = twin.play(state, reply)


# -------------------- a sixth game

COUNTDOWN = """
from typing import NamedTuple
from arena.game import P1, P2, Example, Game, Illegal, Outcome, Prompt, board_data

class Countdown(NamedTuple):
    turns: int = 0
    automatic = None
    seat = property(lambda self: None if self.outcome else (P2 if self.turns & 1 else P1))
    prompt = property(lambda self: None if self.outcome else "tick")
    outcome = property(lambda self: Outcome(P2, "zero") if self.turns == 4 else None)
    def available(self): return () if self.outcome else ("tick",)
    def parse(self, text):
        if text not in self.available(): raise Illegal("only tick is possible")
        return text
    def apply(self, reply): return Countdown(self.turns + (self.parse(reply) == "tick"))
    def board(self): return str(4 - self.turns)
    def state(self): return {}
    def diagram(self): return self.board()
    def data(self): return board_data(self, ["1"], ["1"])

GAME = Game(id="count-down", title="Countdown", goal="Tick last.", notation="tick", symbols={},
    prompts=(Prompt("tick", "a tick", "tick"),), options=(), rulings=(), example=Example(("P1> tick",)),
    turn_bound=lambda settings: 4, build=lambda settings, seed: Countdown())
"""


@pytest.fixture
def countdown(tmp_path, monkeypatch):
    (tmp_path / "count_down.py").write_text(COUNTDOWN)
    (tmp_path / "_private.py").write_text("raise AssertionError('not a game')")
    monkeypatch.setattr(arena.games, "__path__", [*arena.games.__path__, str(tmp_path)])
    yield "count-down"
    sys.modules.pop("arena.games.count_down", None)


def test_a_game_is_found_by_being_there(countdown):
    assert game_ids() == tuple(sorted((*GAMES, countdown)))
    position = load_game(countdown).start()
    while position.outcome is None:
        position = position.apply(position.available()[0])
    assert position.outcome == ("P2", "zero")


def test_a_game_without_its_files_fails_the_conformance_test(countdown):
    with pytest.raises(AssertionError, match=r"count-down lacks tests/games/test_count_down\.py, protocol/"):
        test_a_game_has_all_its_files(countdown)


def test_an_unknown_game_is_a_key_error():
    for name in ("chess", "", "../gridlock", "runner_walls", "_private", "__init__"):
        with pytest.raises(KeyError):
            load_game(name)
