"""Grids: how cells are read, how refused text is quoted. Paths are tested with the runner games."""

import pytest

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
