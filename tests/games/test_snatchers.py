"""Grid Snatchers: single rulings as tables, rotation, and best play without the repetition rule."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import P1, P2, Illegal, Malformed, OptionError, Outcome
from arena.games.snatchers import BOARDS, CELLS, GAME
from arena.grid import bits


def start(**options):
    return GAME.start({key.replace("_", "-"): str(value) for key, value in options.items()})


def play(position, turns):
    """Play turns such as `up 2, left 1`."""
    for turn in turns.split(","):
        for reply in turn.split():
            position = position.apply(reply)
    return position


def cell(position, seat):
    cells = divmod(position.board_number, 25)
    row, column = divmod(cells[0] if seat is P1 else cells[1], 5)
    return column + 1, row + 1


TURNS = [
    # options, turns, P1, P2
    ({}, "up 2", (1, 3), (5, 5)),
    ({}, "up 2, left 2", (1, 3), (3, 5)),
    ({}, "up 2, left 2, right 2", (3, 3), (3, 5)),
    ({}, "right 1, up 2", (2, 1), (5, 3)),
    ({}, "up 2, up 2, down 1, down 1", (1, 2), (5, 4)),
    ({"up": "screen"}, "down 2, up 2", (1, 3), (5, 3)),
    ({"up": "screen"}, "down 2, up 2, up 1, down 1", (1, 2), (5, 4)),
]


@pytest.mark.parametrize(("options", "turns", "first", "second"), TURNS)
def test_where_a_turn_leads(options, turns, first, second):
    position = play(start(**options), turns)
    assert (cell(position, P1), cell(position, P2)) == (first, second)
    assert position.turns == len(turns.split(","))
    assert position.outcome is None


def test_the_first_board():
    position = start()
    assert position.board() == "1..../...../...../...../....2"
    assert (position.seat, position.prompt, position.available()) == (P1, "direction", ("up", "right"))
    asked = position.apply("right")
    assert (asked.seat, asked.prompt, asked.available()) == (P1, "spaces", ("1", "2"))
    assert asked.turns == 0
    assert asked.state() == {"direction": "right"}
    assert asked.board() == position.board()
    assert start(up="screen").available() == ("down", "right")


def test_landing_on_the_other_token_wins_and_takes_it_off_the_board():
    position = play(start(), "up 2, left 2, right 2, up 2")
    assert position.outcome == Outcome(P2, "capture")
    assert position.board() == "...../...../..2../...../....."
    assert position.turns == 4
    won = play(start(), "up 2, up 2, right 2, left 1, right 1")
    assert won.outcome == Outcome(P1, "capture")
    assert won.board() == "...../...../...1./...../....."


def test_a_token_never_passes_through_the_other():
    position = play(start(), "up 2, up 2, right 2, left 1")  # P1 on (3,3), P2 on (4,3)
    assert "right" in position.available()
    assert position.apply("right").available() == ("1",)
    with pytest.raises(Illegal, match="right 2 would pass through the other token"):
        position.apply("right").parse("2")


def test_near_an_edge_only_one_space_is_there():
    assert play(start(), "up 1, up 1").apply("up").available() == ("1", "2")
    position = play(start(), "up 2, up 1, up 1, up 1")
    assert position.apply("up").available() == ("1",)


def test_no_board_comes_back():
    # P2 stepping back would bring back the first board.
    turns = "up 1, up 1, down 1"
    position = play(start(), turns)
    assert position.available() == ("up", "left")
    why = "down 1 would repeat a board of this match, and down 2 would leave the board"
    with pytest.raises(Illegal, match=why):
        position.parse("down")
    free = play(start(repetition="allowed", turn_limit=100), turns)
    assert free.available() == ("up", "down", "left")


def test_a_board_is_the_same_whoever_is_to_move():
    position = play(start(), "up 2, up 1, down 1, down 1")
    assert (cell(position, P1), cell(position, P2), position.seat) == ((1, 2), (5, 5), P1)
    assert "down" not in position.available()  # it would be the first board, with P2 to move


def test_a_direction_is_there_while_one_number_of_spaces_is():
    # P1 on (1,2) and P2 on (5,4) were there after the third turn.
    position = play(start(), "up 2, up 1, down 1, left 1, up 1, up 1, up 1, right 1, down 2")
    assert (cell(position, P1), cell(position, P2), position.seat) == ((1, 2), (5, 3), P2)
    asked = position.apply("down")
    assert asked.available() == ("2",)
    with pytest.raises(Illegal, match="down 1 would repeat a board of this match"):
        asked.parse("1")


def test_moves_but_only_to_boards_that_were_there_is_a_loss():
    first = start()
    landings = [first.apply(way).apply(n) for way in first.available() for n in first.apply(way).available()]
    everything = (1 << BOARDS) - 1
    stuck = play(first._replace(seen=everything & ~landings[0].seen), "up 1")
    assert stuck.outcome == Outcome(P1, "repetition")
    assert stuck.available() == ()
    assert stuck.board() == landings[0].board()


def test_a_capture_is_never_a_repetition():
    position = play(start(), "up 2, left 2, right 2")
    boards_with_two_tokens = sum(1 << n for n in range(BOARDS) if n % (CELLS + 1))
    hunted = position._replace(seen=boards_with_two_tokens, open=position.open & ~boards_with_two_tokens)
    assert hunted.available() == ("up",)
    assert hunted.apply("up").available() == ("2",)
    assert play(hunted, "up 2").outcome == Outcome(P2, "capture")


@pytest.mark.parametrize("repetition", ["forbidden", "allowed"])
def test_the_turn_limit_gives_the_match_to_the_second_player(repetition):
    position = play(start(repetition=repetition, turn_limit=3), "up 1, up 1")
    assert position.outcome is None
    ended = play(position, "up 1")
    assert ended.outcome == Outcome(P2, "adjudicated")
    assert ended.turns == 3
    assert play(start(turn_limit=4), "up 2, left 2, right 2, up 2").outcome == Outcome(P2, "capture")
    assert play(start(turn_limit=5), "up 2, up 2, right 2, left 1, right 1").outcome == Outcome(P1, "capture")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"repetition": "allowed"}, "turn-limit=200"),
        ({"turn-limit": "0"}, "whole number 1"),
        ({"up": "sideways"}, "forward or screen"),
        ({"size": "6"}, "no option 'size'"),
    ],
)
def test_options_that_cannot_be_played(options, sentence):
    with pytest.raises(OptionError, match=sentence):
        GAME.start(options)


REFUSED = [
    ("direction", "left", Illegal, "left would leave the board"),
    ("direction", "north", Malformed, "'north' is not a direction: type up, down, left or right"),
    ("direction", "up 2", Malformed, "alone: the number of spaces is asked next"),
    ("direction", "2", Malformed, "'2' is not a direction"),
    ("direction", "LEFT2", Malformed, "alone: the number of spaces is asked next"),
    ("direction", "", Malformed, "'' is not a direction"),
    ("spaces", "2", Illegal, "up 2 would leave the board"),
    ("spaces", "3", Malformed, "'3' is not a number of spaces: type 1 or 2"),
    ("spaces", "0", Malformed, "'0' is not a number of spaces"),
    ("spaces", "up", Malformed, "'up' is not a number of spaces"),
    ("spaces", "two", Malformed, "'two' is not a number of spaces"),
]


@pytest.mark.parametrize(("prompt", "text", "verdict", "sentence"), REFUSED)
def test_refusals_say_why(prompt, text, verdict, sentence):
    position = play(start(), "up 2, up 1, up 1, up 1")  # P1 on (1,4)
    if prompt == "spaces":
        position = position.apply("up")
    with pytest.raises(verdict) as refused:
        position.parse(text)
    assert sentence in str(refused.value)


def test_only_a_number_of_spaces_is_told_to_come_later():
    with pytest.raises(Malformed, match=r"left or right$"):
        start().parse("upwards")


def test_the_diagram_shows_x_to_the_right_and_y_downwards():
    assert play(start(), "up 2, left 2").diagram().splitlines() == [
        "   1  2  3  4  5",
        "1  .  .  .  .  .",
        "2  .  .  .  .  .",
        "3 P1  .  .  .  .",
        "4  .  .  .  .  .",
        "5  .  . P2  .  .",
    ]


# -------------------- symmetry


def rotated_board(number):
    first, second = divmod(number, CELLS)
    return (CELLS - 1 - second) * CELLS + CELLS - 1 - first


def rotated(position):
    """The same position seen from across the table: the board turned by half, and the seats exchanged."""

    def boards(cells):
        return sum(1 << rotated_board(number) for number in bits(cells))

    outcome = position.outcome
    return position._replace(
        board_number=rotated_board(position.board_number),
        seen=boards(position.seen),
        open=boards(position.open),
        direction=position.direction and ACROSS[position.direction],
        turns=position.turns + 1,
        outcome=outcome and outcome._replace(winner=outcome.winner.other),
    )


ACROSS = {"up": "up", "down": "down", "left": "right", "right": "left", "1": "1", "2": "2"}


@given(choose=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_both_seats_have_the_same_game(choose):
    rng = random.Random(choose)
    position = start()
    while position.outcome is None:
        reply = rng.choice(position.available())
        after = position.apply(reply)
        assert rotated(position).apply(ACROSS[reply]) == rotated(after)
        position = after


# -------------------- best play


def states_with_repetition_allowed():
    """Every board and player to move that can come about, each with what one turn leads to."""
    first = start(repetition="allowed", turn_limit=1_000_000)
    successors = {}
    waiting = [first]
    while waiting:
        position = waiting.pop()
        key = (position.board_number, position.seat)
        if key in successors:
            continue
        after = [
            position.apply(direction).apply(spaces)
            for direction in position.available()
            for spaces in position.apply(direction).available()
        ]
        successors[key] = [(p.board_number, p.seat) if p.outcome is None else "captured" for p in after]
        waiting += [p for p in after if p.outcome is None]
    return successors


def test_no_forced_win_is_longer_than_one_move_when_boards_may_come_back():
    successors = states_with_repetition_allowed()
    assert len(successors) == 1200
    won = {state for state, after in successors.items() if "captured" in after}
    lost = {state for state, after in successors.items() if state not in won and won.issuperset(after)}
    # Nobody can be driven to where every turn lets itself be captured, so no win is longer than the capture.
    assert not lost
    assert 0 < len(won) < 1200
