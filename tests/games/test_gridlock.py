"""GridLock: single rulings as boards set up by hand, rotation, the longest match, and small boards solved."""

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import P1, P2, Illegal, Malformed, OptionError, Outcome
from arena.games.gridlock import GAME
from arena.grid import bits


def start(**options):
    return GAME.start({key.replace("_", "-"): str(value) for key, value in options.items()})


def diagram_without_cursors(rows):
    return "/".join(rows).replace("1", ".").replace("2", ".")


def set_up(diagram, seat=P1, **options):
    """A position with `seat` to move, from rows of `1 2 L .`."""
    rows = diagram.split()
    cells = "".join(rows)
    first = start(size=len(rows), **options)
    locks = sum(1 << cell for cell, symbol in enumerate(cells) if symbol == "L")
    own, other = (cells.index("1"), cells.index("2"))[:: 1 if seat is P1 else -1]
    return first._replace(
        locks=locks,
        ground=diagram_without_cursors(rows),
        cursor=own,
        other=other,
        open=first.on.around[own] & ~(locks | 1 << other),
        turns=10 if seat is P1 else 11,
    )


def play(position, *replies):
    for reply in replies:
        position = position.apply(reply)
    return position


def test_the_first_board():
    position = start()
    assert position.board() == "1........./" + "........../" * 8 + ".........2"
    assert (position.seat, position.prompt, position.turns) == (P1, "move", 0)
    assert position.available() == ("0 1", "1 0")


SCENARIO_1 = """
    .......... .......... ..1....... .....L.... ....L.....
    .......... ...L...... .......2.. ......L... ..........
"""


def test_the_first_scenario_of_the_book_with_all_four_moves():
    position = set_up(SCENARIO_1)
    assert position.available() == ("1 2", "2 1", "2 3", "3 2")
    moved = position.apply("2 3")
    assert (moved.seat, moved.prompt, moved.available()) == (P1, "lock", ("1 3", "2 2", "2 4", "3 3"))
    locked = moved.apply("3 3")
    assert (locked.seat, locked.prompt, locked.turns) == (P2, "move", position.turns + 1)
    assert locked.board().split("/")[2:4] == ["...1......", "...L.L...."]


def test_the_second_scenario_of_the_book_with_all_three_moves():
    position = set_up(".2........ " + ".......... " * 8 + "........1.")
    assert position.available() == ("8 8", "9 7", "9 9")
    assert position.apply("9 9").outcome == Outcome(P1, "arrival")


def test_the_third_scenario_of_the_book():
    position = set_up("""
        .......... .......... .......... .......... .....L....
        ....L2L... .......... ......1... .......... ..........
    """)
    assert play(position, "7 5", "7 4").available() == ("6 5",), "one side is still open"
    assert play(position, "7 5", "6 5").outcome == Outcome(P1, "immobilised")


IMMOBILISED = [
    # what stands around the loser, the board, who moves last, and its turn
    ("locks", "..... ..L.. .L2L. ..... .1...", P1, ("3 1", "3 2")),
    ("edges and locks", "2.... L.1.. ..... ..... .....", P1, ("1 1", "0 1")),
    ("edges, a lock and the other cursor", "..... ..... ..... ..L.L ..1.2", P1, ("4 3", "3 3")),
    ("edges, a lock and the other cursor", "1.2.. L.L.. ..... ..... .....", P2, ("0 1", "1 1")),
]


@pytest.mark.parametrize(("around", "diagram", "seat", "turn"), IMMOBILISED)
def test_a_player_without_a_move_loses_whatever_blocks(around, diagram, seat, turn):
    before = set_up(diagram, seat)
    after = play(before, *turn)
    assert after.outcome == Outcome(seat, "immobilised")
    assert after.turns == before.turns + 1
    assert (after.seat, after.prompt, after.available()) == (None, None, ())


def test_arrival_ends_before_the_lock_phase():
    position = set_up("..... ..... ..... 2.... ...1.")
    arrived = position.apply("4 4")
    assert arrived.outcome == Outcome(P1, "arrival")
    assert (arrived.prompt, arrived.available(), arrived.turns) == (None, (), 11)
    home = set_up(".2... ..... ..... ..... ..1..", P2).apply("0 0")
    assert home.outcome == Outcome(P2, "arrival")


def test_ones_own_corner_is_a_cell_like_any_other():
    position = set_up(".1... ..... ..... ..... ..2..").apply("0 0")
    assert position.outcome is None
    assert position.available() == ("0 1", "1 0")


def test_wrap_joins_opposite_edges_for_moves_and_locks():
    position = start(wrap="on")
    assert position.available() == ("0 1", "0 9", "1 0", "9 0")
    assert position.apply("0 9").available() == ("0 0", "0 8", "1 9")
    assert start(wrap="on", size=3).available() == ("0 1", "0 2", "1 0", "2 0")


def test_with_corner_locks_off_the_starting_corners_stay_free():
    assert start().apply("0 1").available() == ("0 0", "0 2", "1 1")
    moved = start(corner_locks="off").apply("0 1")
    assert moved.available() == ("0 2", "1 1")
    with pytest.raises(Illegal, match="0 0 is a starting corner, and corner-locks=off keeps those free"):
        moved.parse("0 0")


def test_a_lock_phase_without_a_cell_is_left_out():
    corner = "1.L.. LL... ..... ..... ..2.."
    position = set_up(corner, corner_locks="off").apply("0 1")
    assert (position.seat, position.prompt, position.turns, position.locks.bit_count()) == (P2, "move", 11, 3)
    assert set_up(corner).apply("0 1").available() == ("0 0",)


REFUSED = [
    ("move", "3 3", Illegal, "3 3 is a lock"),
    ("move", "4 4", Illegal, "4 4 is not next to your cursor on 2 3"),
    ("move", "2 4", Illegal, "2 4 is where the opponent's cursor stands"),
    ("move", "(2,3)", Illegal, "2 3 is where your own cursor stands"),
    ("move", "2 5", Illegal, "2 5 is off the board: rows and columns go from 0 to 4"),
    ("move", "1", Malformed, "'1' is not a cell: type row and column, such as 2 3"),
    ("move", "up", Malformed, "'up' is not a cell"),
    ("move", "-1 3", Malformed, "'-1 3' is not a cell"),
    ("lock", "1 3", Illegal, "1 3 is where your own cursor stands"),
    ("lock", "3 3", Illegal, "3 3 is a lock"),
    ("lock", "3 2", Illegal, "3 2 is not next to your cursor on 1 3"),
    ("lock", "2 4", Illegal, "2 4 is where the opponent's cursor stands"),
]


@pytest.mark.parametrize(("prompt", "text", "verdict", "sentence"), REFUSED)
def test_refusals_say_why(prompt, text, verdict, sentence):
    position = set_up("..... ..... ...12 ...L. .....")
    if prompt == "lock":
        position = position.apply("1 3")
    assert position.prompt == prompt
    with pytest.raises(verdict) as refused:
        position.parse(text)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("text", ["0 1", "0,1", "(0,1)", "(0, 1)", "  0   1 ", "( 0 1 )", "00 01"])
def test_spellings_of_a_cell(text):
    assert start().parse(text) == "0 1"


@pytest.mark.parametrize(
    "options", [{"size": "2"}, {"size": "21"}, {"wrap": "yes"}, {"corner-locks": ""}, {"corner_locks": "on"}]
)
def test_options_that_do_not_exist(options):
    with pytest.raises(OptionError):
        GAME.start(options)


def test_the_diagram_is_framed_and_numbered_as_in_the_book():
    assert play(start(size=3), "0 1", "1 1").diagram().splitlines() == [
        "   0 1 2",
        "  -------",
        "0| . 1 . |0",
        "1| . L . |1",
        "2| . . 2 |2",
        "  -------",
        "   0 1 2",
    ]
    numbers, _, *rows = start(size=12).diagram().splitlines()
    assert numbers.endswith(" 9 10 11")
    assert rows[11].startswith("11|  .  .")
    assert len({len(row.rstrip("0123456789")) for row in rows[:12]}) == 1


# -------------------- symmetry and length

OPTIONS = st.fixed_dictionaries(
    {
        "size": st.integers(3, 6).map(str),
        "wrap": st.sampled_from(["off", "on"]),
        "corner-locks": st.sampled_from(["off", "on"]),
    }
)


def rotated_cells(cells, size):
    return sum(1 << (size * size - 1 - cell) for cell in bits(cells))


def rotated(position):
    """The same position seen from across the table: the board turned by half, and the seats exchanged."""
    size = position.on.size
    outcome = position.outcome
    return position._replace(
        locks=rotated_cells(position.locks, size),
        ground=position.ground[::-1],
        cursor=size * size - 1 - position.cursor,
        other=size * size - 1 - position.other,
        open=rotated_cells(position.open, size),
        turns=position.turns + 1,
        outcome=outcome and outcome._replace(winner=outcome.winner.other),
    )


@given(options=OPTIONS, choose=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_both_seats_have_the_same_game(options, choose):
    rng = random.Random(choose)
    position = GAME.start(options)
    last = int(options["size"]) - 1
    while position.outcome is None:
        reply = rng.choice(position.available())
        row, column = map(int, reply.split())
        after = position.apply(reply)
        assert rotated(position).apply(f"{last - row} {last - column}") == rotated(after)
        assert rotated(position).board() == position.board()[::-1].translate(str.maketrans("12", "21"))
        position = after


@given(options=OPTIONS, choose=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_rows_and_columns_can_be_exchanged(options, choose):
    rng = random.Random(choose)
    position = mirrored = GAME.start(options)
    while position.outcome is None:
        reply = rng.choice(position.available())
        position, mirrored = position.apply(reply), mirrored.apply(reply[::-1])
        flipped = zip(*position.board().split("/"), strict=True)
        assert mirrored.board() == "/".join("".join(row) for row in flipped)
    assert mirrored.outcome == position.outcome


@given(choose=st.integers(0, 2**32), wrap=st.sampled_from(["off", "on"]))
@settings(max_examples=60, deadline=None)
def test_every_turn_leaves_one_lock_more(choose, wrap):
    """Why a match has at most 98 turns, and why a cursor never has all its neighbours free after moving."""
    rng = random.Random(choose)
    position = start(wrap=wrap)
    while position.outcome is None:
        assert position.locks.bit_count() == position.turns
        if position.prompt == "move" and position.turns >= 2:
            assert position.on.around[position.cursor] & position.locks
        position = position.apply(rng.choice(position.available()))
    assert position.turns <= 98


def test_the_bound_on_the_usual_board_is_98():
    assert GAME.turn_bound(GAME.settings()) == 98


def longest_match(first):
    """The most turns of any match at all."""

    @cache
    def more(position):
        if position.outcome is not None:
            return 0
        found = 0
        for reply in position.available():
            after = position.apply(reply)
            handed_over = after.turns - position.turns
            found = max(found, handed_over + more(after._replace(turns=after.turns & 1)))
        return found

    return more(first)


@pytest.mark.parametrize(
    ("options", "longest"),
    [
        ({}, 7),
        ({"corner-locks": "off"}, 8),
        ({"wrap": "on"}, 7),
        ({"wrap": "on", "corner-locks": "off"}, 9),
    ],
)
def test_the_longest_match_on_three_by_three(options, longest):
    options = {"size": "3", **options}
    assert longest_match(GAME.start(options)) == longest
    assert longest <= GAME.turn_bound(GAME.settings(options))


# -------------------- best play


def winner_with_best_play(first):
    @cache
    def wins(position) -> bool:
        """Whether the player to reply wins."""
        for reply in position.available():
            after = position.apply(reply)
            if after.outcome is not None:
                if after.outcome.winner is position.seat:
                    return True
                continue
            same = after.seat is position.seat
            if wins(after._replace(turns=after.turns & 1)) == same:
                return True
        return False

    return P1 if wins(first) else P2


@pytest.mark.parametrize(("size", "winner"), [(3, P1), (4, P2)])
def test_small_boards_with_best_play(size, winner):
    assert winner_with_best_play(start(size=size)) is winner
