"""What holds for the positions of every game there is: each test runs for every game that is discovered."""

import json
import pickle
import random
import re
from itertools import pairwise

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from arena.game import Malformed, Position, ReplyError
from arena.games import load_game

from .every_game import every_game, random_matches


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
