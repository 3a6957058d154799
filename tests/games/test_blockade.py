"""Blockade: single rulings as tables, the symmetries of the board, and who wins with best play."""

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import P1, P2, Illegal, Malformed, OptionError, Outcome
from arena.games.blockade import GAME
from arena.grid import bits


def after(*replies, **options):
    position = GAME.start({key: str(value) for key, value in options.items()})
    for reply in replies:
        position = position.apply(reply)
    return position


EXAMPLE = ("3 3", "1 1", "2 5", "5 2", "4 4")

BOARDS = [
    # replies, board, to place, available
    (
        ("3 3",),
        "...../...../..X../...../.....",
        P2,
        "1 1|1 2|1 3|1 4|1 5|2 1|2 5|3 1|3 5|4 1|4 5|5 1|5 2|5 3|5 4|5 5",
    ),
    (EXAMPLE, "O..../....X/..X../...X./.O...", P2, "1 2|1 3|2 1|3 1|4 1|5 1"),
    (("1 1", "5 5", "1 2"), "XX.../...../...../...../....O", P2, None),
]


@pytest.mark.parametrize(("replies", "board", "seat", "available"), BOARDS)
def test_boards(replies, board, seat, available):
    position = after(*replies)
    assert position.board() == board
    assert position.seat == seat
    if available is not None:
        assert "|".join(position.available()) == available


REFUSED = [
    ("2 2", Illegal, "2 2 is next to the opponent's token on 3 3"),
    ("(4,4)", Illegal, "4 4 is next to the opponent's token on 3 3"),
    ("3 3", Illegal, "3 3 is already taken by the opponent's token"),
    ("1 1", Illegal, "1 1 is already taken by your own token"),
    ("0 3", Illegal, "0 3 is off the board: rows and columns go from 1 to 5"),
    ("3 6", Illegal, "3 6 is off the board: rows and columns go from 1 to 5"),
    ("999999999 1", Illegal, "999999999 1 is off the board"),
    ("", Malformed, "'' is not a cell: type row and column, such as"),
    ("33", Malformed, "'33' is not a cell"),
    ("3 -3", Malformed, "'3 -3' is not a cell"),
    ("(3,3", Malformed, "'(3,3' is not a cell"),
    ("3,,3", Malformed, "'3,,3' is not a cell"),
    ("3 3 3", Malformed, "'3 3 3' is not a cell"),
    ("C3", Malformed, "'C3' is not a cell"),
    ("3\u00e93", Malformed, r"'3\xe93' is not a cell"),
]


@pytest.mark.parametrize(("text", "verdict", "sentence"), REFUSED)
def test_refusals_say_why(text, verdict, sentence):
    position = after("3 3", "1 1", "5 5")
    with pytest.raises(verdict) as refused:
        position.parse(text)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("text", ["1 2", "1,2", "(1,2)", "( 1 , 2 )", " 1\t 2 ", "(1 2)", "01 02"])
def test_spellings_of_a_cell(text):
    assert after("3 3").parse(text) == "1 2"


def test_whoever_cannot_place_loses():
    position = after("2 2", size=3)
    assert position.outcome == Outcome(P1, "blocked")
    assert position.turns == 1
    with pytest.raises(Illegal, match="the match is over"):
        position.parse("1 1")
    assert after("1 1", "3 3", "1 2", "3 2", "1 3", "3 1", size=3).outcome == Outcome(P2, "blocked")


def test_diagram_shows_every_cell_with_its_coordinates():
    assert after("1 1", "3 3", size=3).diagram().splitlines() == [
        "(1,1)[X] (1,2)[ ] (1,3)[ ]",
        "(2,1)[ ] (2,2)[ ] (2,3)[ ]",
        "(3,1)[ ] (3,2)[ ] (3,3)[O]",
    ]


@pytest.mark.parametrize("size", ["0", "16", "-5", "five", "", "5.0", "\u0665"])
def test_sizes_that_do_not_exist(size):
    with pytest.raises(OptionError, match="whole number 1"):
        GAME.start({"size": size})


@given(turns=st.integers(0, 3), flip=st.booleans(), size=st.integers(1, 7), choose=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_the_eight_symmetries_of_the_board(turns, flip, size, choose):
    def image(reply):
        row, column = map(int, reply.split())
        if flip:
            row, column = column, row
        for _ in range(turns):
            row, column = column, size + 1 - row
        return f"{row} {column}"

    rng = random.Random(choose)
    position, mirrored = after(size=size), after(size=size)
    while position.outcome is None:
        assert sorted(mirrored.available()) == sorted(map(image, position.available()))
        reply = rng.choice(position.available())
        position, mirrored = position.apply(reply), mirrored.apply(image(reply))
    assert mirrored.outcome == position.outcome


def test_only_the_centre_wins_for_the_first_player():
    around = [0] * 25
    for cell in range(25):
        first = GAME.start().apply(GAME.start().on.names[cell])
        around[cell] = ~(first.open | 1 << cell) & (1 << 25) - 1

    @cache
    def wins(mine: int, theirs: int) -> bool:
        """Whether the player to place wins; where both may place is all that matters for the rest."""
        # Cells that take most from the other first: a win is found sooner.
        order = sorted(bits(mine), key=lambda cell: -(theirs & around[cell]).bit_count())
        return any(not wins(theirs & ~(around[c] | 1 << c), mine & ~(1 << c)) for c in order)

    winning = []
    for reply in GAME.start().available():
        position = GAME.start().apply(reply)
        if not wins(position.open, position.other_open):
            winning.append(reply)
    assert winning == ["3 3"]
