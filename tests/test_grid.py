"""Grids: how cells are read, how refused text is quoted. Paths are tested with the runner games."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import grid
from arena.game import Malformed


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("", "''"),
        ("boo", "'boo'"),
        ("x" * 40, f"'{'x' * 40}'"),
        ("x" * 41, f"'{'x' * 40}...'"),
        ("\x1b[2J", r"'\x1b[2J'"),
        ("é", r"'\xe9'"),
        ("\ufffd" * 7, "'" + r"\ufffd" * 6 + "...'"),
        ("a\ud800", r"'a\ud800'"),
    ],
)
def test_refused_text_is_quoted_in_whole_printable_pieces(text, quoted):
    assert grid.shown(text) == quoted


@pytest.mark.parametrize(
    "text", ["2 3", "2,3", "(2,3)", " ( 2 , 3 ) ", "02 3", "2\t\t3", "2 ,3", "(2 3)", "(2\t3)"]
)
def test_one_cell_in_many_spellings(text):
    assert grid.two_numbers(text, "a cell") == (2, 3)


@pytest.mark.parametrize(
    "text", ["", "2", "23", "2;3", "2 3 4", "-2 3", "2.0 3", "(2,3", "2,3)", "2,,3", "1" * 10 + " 1", "b2"]
)
def test_what_is_no_cell(text):
    with pytest.raises(Malformed, match="is not a cell"):
        grid.two_numbers(text, "a cell")


@pytest.mark.parametrize(
    ("under", "over", "board"),
    [(0, 8, "a../.../..b"), (5, 1, ".b./..a/..."), (3, 4, ".../ab./..."), (4, 4, ".../.b./...")],
)
def test_two_pieces_on_a_board_and_the_second_covers_the_first(under, over, board):
    assert grid.set_two(".../.../...", 3, under, "a", over, "b") == board


CELLS = st.integers(0, 24)


@given(
    cells=st.sets(CELLS, max_size=4), seen=st.sets(st.tuples(CELLS, CELLS)), other=CELLS, first=st.booleans()
)
def test_steps_to_boards_that_were_not_seen(cells, seen, other, first):
    """A set of boards has bit 25 * (cell of P1) + (cell of P2), as the runner games keep it."""
    boards = sum(1 << 25 * p1 + p2 for p1, p2 in seen)
    steps = grid.steps({f"to {cell}": cell for cell in sorted(cells)}, 25 if first else 1)
    found = steps.leading_to_new(boards >> (other if first else 25 * other))
    made = {cell: (cell, other) if first else (other, cell) for cell in sorted(cells)}
    assert found == tuple(f"to {cell}" for cell, board in made.items() if board not in seen)
