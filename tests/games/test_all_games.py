"""What holds for every game there is: each test below runs for every module that `arena.games` discovers."""

import importlib.util
import json
import pickle
import random
import re
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import arena.games
from arena.game import Game, Malformed, OptionError, Position, ReplyError
from arena.games import game_ids, load_game

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
GAMES = game_ids()

every_game = pytest.mark.parametrize("game_id", GAMES)


def file_name(game_id: str) -> str:
    return game_id.replace("-", "_")


def naive_twin(game_id: str) -> ModuleType:
    path = HERE / "naive" / f"{file_name(game_id)}.py"
    spec = importlib.util.spec_from_file_location(f"naive_{file_name(game_id)}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# -------------------- one match at a time


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


def random_matches(examples: int):
    """Decorate a test of (game, match) so that it runs for every game with this many random matches."""

    def decorate(test):
        @every_game
        @settings(max_examples=examples, deadline=None)
        @given(data=st.data())
        def run(game_id, data):
            game = load_game(game_id)
            test(game, data.draw(matches(game)), data)

        run.__name__ = test.__name__
        return run

    return decorate


@random_matches(20)
def test_every_available_reply_applies_and_is_its_own_canonical_form(game, match, data):
    _, _, positions, _ = match
    for position in positions:
        replies = position.available()
        assert len(set(replies)) == len(replies)
        for reply in replies:
            assert position.parse(reply) == reply
            assert position.parse(f"  {reply.swapcase()}\t") == reply
            assert position.parse(reply.replace(" ", "  \t ")) == reply
            after = position.apply(reply)
            assert after.turns - position.turns in {0, 1}
            assert after != position


@random_matches(20)
def test_seat_prompt_and_replies_are_there_exactly_while_the_match_goes_on(game, match, data):
    _, _, positions, replies = match
    prompts = {prompt.name for prompt in game.prompts}
    for position in positions[:-1]:
        assert position.outcome is None
        assert position.seat is not None
        assert position.prompt in prompts
        assert position.available()
        assert position.automatic is None or position.available() == (position.automatic,)
    last = positions[-1]
    assert last.outcome is not None
    assert (last.seat, last.prompt, last.automatic, last.available()) == (None, None, None, ())
    for text in ("", "resign", *game.symbols, *(prompt.example for prompt in game.prompts), *replies[:3]):
        with pytest.raises(ReplyError):
            last.parse(text)
        with pytest.raises(ReplyError):
            last.apply(text)


@random_matches(20)
def test_a_match_ends_within_its_bound_and_its_turns_alternate(game, match, data):
    _, _, positions, _ = match  # drawing it has checked the bound
    for before, after in pairwise(positions[:-1]):
        assert before.seat is not None
        assert after.turns - before.turns == (after.seat is before.seat.other)
    assert positions[-1].turns - positions[-2].turns == 1


@random_matches(40)
def test_no_board_comes_back_unless_it_may(game, match, data):
    options, _, positions, replies = match
    assume(options.get("repetition") != "allowed")
    boards = [positions[0].board()]
    for before, after, reply in zip(positions[:-1], positions[1:], replies, strict=True):
        if after.turns > before.turns and reply != before.automatic:
            boards.append(after.board())
    assert len(set(boards)) == len(boards)


@random_matches(20)
def test_positions_are_values(game, match, data):
    options, seed, positions, replies = match
    faces = [(hash(p), repr(p), p.board(), p.available()) for p in positions]
    again = game.start(options, seed)
    for position, reply in zip(positions, [*replies, None], strict=True):
        assert again == position
        assert hash(again) == hash(position)
        assert pickle.loads(pickle.dumps(position)) == position
        if reply is not None:
            again = again.apply(reply)
    assert len(set(positions)) == len(positions)
    assert faces == [(hash(p), repr(p), p.board(), p.available()) for p in positions]


@random_matches(20)
def test_board_diagram_and_data_say_the_same(game, match, data):
    _, _, positions, _ = match
    for position in positions:
        board, shown = position.board(), position.data()
        assert set(board) - {"/"} <= set(game.symbols)
        assert shown["cells"] == board.split("/")
        assert len(shown["rows"]) == len(shown["cells"])
        assert {len(row) for row in shown["cells"]} == {len(shown["columns"])}
        assert (shown["seat"], shown["prompt"], shown["turns"]) == (
            position.seat,
            position.prompt,
            position.turns,
        )
        assert (shown["winner"], shown["reason"]) == (position.outcome or (None, None))
        assert json.loads(json.dumps(shown)) == shown
        assert all(isinstance(value, str) and value.isascii() for value in position.state().values())
        assert position.diagram().replace("\n", "").isprintable()
    pairs = {(position.board(), position.diagram()) for position in positions}
    assert len(pairs) == len({board for board, _ in pairs}) == len({diagram for _, diagram in pairs})


# -------------------- bad replies

NUMBERS = st.integers(-2, 12) | st.integers()
REPLY_LIKE = st.one_of(
    st.text(),
    st.text("0123456789 ,()-+.\t"),
    st.builds("{} {}".format, NUMBERS, NUMBERS),
    st.builds("({},{})".format, NUMBERS, NUMBERS),
    st.builds(
        "{} {}{}".format, st.sampled_from(["MOVE", "barrier", "move"]), st.sampled_from("AEFaz"), NUMBERS
    ),
    st.sampled_from(
        ["up", "down", "left", "right", "up 2", "pass", "ready", "resign", "?", "0", "1", "2", "²"]
    ),
)


def assert_played_or_refused(position: Position, text: str) -> None:
    try:
        canonical = position.parse(text)
    except ReplyError as error:
        sentence = str(error)
        assert 5 < len(sentence) < 300
        assert sentence.isprintable()
        with pytest.raises(type(error), match=re.escape(sentence)):
            position.apply(text)
    else:
        assert canonical in position.available()
        assert position.apply(text) == position.apply(canonical)


@random_matches(20)
def test_any_other_text_is_refused_with_a_reason(game, match, data):
    _, _, positions, replies = match
    texts = [*data.draw(st.lists(REPLY_LIKE, min_size=5, max_size=20)), *replies]
    texts += [reply[:-1] for reply in replies] + [f"{reply} x" for reply in replies]
    choose = random.Random(len(positions))
    for position in choose.sample(positions, min(5, len(positions))):
        for text in choose.sample(texts, min(25, len(texts))):
            assert_played_or_refused(position, text)


@every_game
@pytest.mark.parametrize(
    "text",
    [
        " " * 1_000_000,
        "1" * 1_000_000,
        "1" + " " * 1_000_000 + "x",
        "(" * 1_000_000,
        "( " * 500_000 + "1,1",
        "1 1" + " " * 1_000_000 + "\x00",
        "MOVE" + "\t" * 1_000_000 + "!",
        "\U0001f600" * 500_000,
        "\ud800",
        "\u0663 \u0663",
        "\uff11 \uff11",
    ],
    ids=lambda text: ascii(text[:4]) + str(len(text)),
)
def test_huge_and_foreign_text_is_malformed(game_id, text):
    position = load_game(game_id).start()
    with pytest.raises(Malformed) as refused:
        position.parse(text)
    assert len(str(refused.value)) < 300
    str(refused.value).encode("ascii")


@random_matches(10)
def test_what_a_prompt_gives_as_an_example_is_well_formed(game, match, data):
    examples = {prompt.name: prompt.example for prompt in game.prompts}
    for position in match[2][:-1]:
        if position.automatic is None:
            try:
                position.parse(examples[position.prompt])
            except Malformed as error:
                pytest.fail(f"{position.prompt}: {error}")
            except ReplyError:
                pass  # off a smaller board, or not possible here


# -------------------- what a game says of itself


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


def refused_option(game: Game, options: dict[str, str]) -> str | None:
    try:
        game.settings(options)
    except OptionError as error:
        return str(error)
    return None


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
        HERE / "naive" / f"{file_name(game_id)}.py",
        HERE / "perft" / f"{game_id}.txt",
    ]
    missing = [str(path.relative_to(ROOT)) for path in needed if not path.is_file()]
    assert not missing, f"{game_id} lacks {', '.join(missing)}"
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


@every_game
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


@random_matches(15)
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
