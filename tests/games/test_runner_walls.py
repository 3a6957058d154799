"""Grid Runner with walls: the draw of the walls, layouts, rulings on boards set up by hand, symmetry."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import P1, P2, Illegal, Malformed, OptionError, Outcome
from arena.games import runner_walls
from arena.games.runner_walls import BETWEEN, GAME, RunnerPosition, drawn_walls, separates

BOOK = "(2,2)(2,4)(4,2)(4,4)"


def start(seed=0, **options):
    return GAME.start({key.replace("_", "-"): str(value) for key, value in options.items()}, seed)


def set_up(diagram, seat=P1, seen=0, turns=10, **options):
    """A position with `seat` to move, from rows of `1 2 X .`."""
    rows = diagram.split()
    cells = "".join(rows)
    walls = [f"({i // 5 + 1},{i % 5 + 1})" for i, symbol in enumerate(cells) if symbol == "X"]
    given_options = {"layout": "".join(walls)} if walls else {"walls": 0}
    on = start(**given_options, **options).on
    runners = (cells.index("1"), cells.index("2"))[:: 1 if seat is P1 else -1]
    return runner_walls._settled(on, *runners, turns + (seat is P2), seen)


def pair(first, second):
    """The bit of a board with the runners on these cells, each (row, column)."""
    cells = [(row - 1) * 5 + column - 1 for row, column in (first, second)]
    return 1 << cells[0] * 25 + cells[1]


def play(position: RunnerPosition, *replies: str) -> RunnerPosition:
    for reply in replies:
        position = position.apply(reply)
    return position


# -------------------- walls


def test_99_of_the_3003_layouts_leave_no_way():
    layouts = [sum(1 << cell for cell in cells) for cells in itertools.combinations(BETWEEN, 5)]
    assert len(layouts) == 3003
    assert sum(map(separates, layouts)) == 99  # 3.3 %


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**63), number=st.integers(0, 5))
def test_drawn_walls_stand_between_the_columns_and_leave_a_way(seed, number):
    board = start(seed, walls=number).board()
    rows = board.split("/")
    assert board.count("X") == number
    assert all(row[0] == row[4] == "." for row in rows)
    assert not separates(drawn_walls(number, seed))
    assert start(seed, walls=number) == start(seed, walls=number)


@pytest.mark.parametrize(
    ("seed", "board"),
    [
        (0, ".X.../...../.X.../...../.XXX."),
        (1, "..XX./..X../...../.X.../.X..."),
        (8134, ".XX../...../.X.../...X./.X..."),
        (2**40, "..X../...X./.X.../..X../...X."),
    ],
)
def test_a_seed_means_the_same_walls_for_ever(seed, board):
    assert start(seed).board() == board


def test_walls_that_leave_no_way_are_drawn_again():
    def first_draw(seed):
        return sum(1 << cell for cell in random.Random(seed).sample(BETWEEN, 5))

    again = [seed for seed in range(300) if separates(first_draw(seed))]
    assert again
    for seed in again:
        assert not separates(drawn_walls(5, seed))
    for seed in set(range(300)) - set(again):
        assert drawn_walls(5, seed) == first_draw(seed)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (BOOK, BOOK),
        ("(4,4)(2,4) (4,2) ( 2 , 2 )", BOOK),
        ("(1,3)", "(1,3)"),
        ("(5,4)(4,2)(3,2)(2,2)(1,2)", "(1,2)(2,2)(3,2)(4,2)(5,4)"),
        ("DRAWN", "drawn"),
    ],
)
def test_a_layout_is_written_in_one_way(text, canonical):
    assert GAME.settings({"layout": text})["layout"] == canonical


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "write the cells of the walls like"),
        ("2,2 4,4", "write the cells of the walls like"),
        ("(2,2)x", "write the cells of the walls like"),
        ("(2,2", "write the cells of the walls like"),
        ("(0,3)", r"\(0,3\) is off the board"),
        ("(2,6)", r"\(2,6\) is off the board"),
        ("(3,1)", r"\(3,1\) is in a starting column"),
        ("(3,5)", r"\(3,5\) is in a starting column"),
        ("(2,2)(2,2)", r"\(2,2\) is there twice"),
        ("(1,2)(2,2)(3,2)(4,2)(1,3)(2,3)", "it has 6 walls, and there are at most 5"),
        ("(1,3)(2,3)(3,3)(4,3)(5,3)", "no way from column 1 to column 5"),
        ("(1,2)(2,3)(3,4)(4,3)(5,2)", "no way from column 1 to column 5"),
    ],
)
def test_a_bad_layout_is_refused_with_a_hint(text, hint):
    with pytest.raises(OptionError, match=hint):
        GAME.start({"layout": text})


def test_a_number_of_walls_has_to_fit_the_layout():
    assert start(layout=BOOK, walls=4) == start(layout=BOOK) == start(99, layout=BOOK, walls=5)
    with pytest.raises(OptionError, match="walls=3 does not fit a layout that has 4: leave walls out"):
        GAME.settings({"layout": BOOK, "walls": "3"})  # a tournament looks no further before it begins
    with pytest.raises(OptionError, match="choose a whole number"):
        start(walls=6)


# -------------------- rows and moves


def test_walls_then_the_row_of_p1_then_of_p2_then_moves():
    position = start(layout=BOOK)
    assert (position.seat, position.prompt, position.available()) == (P1, "row", ("1", "2", "3", "4", "5"))
    assert position.board() == "...../.X.X./...../.X.X./....."
    position = position.apply("4")
    assert (position.seat, position.prompt, position.turns) == (P2, "row", 1)
    assert position.board() == "...../.X.X./...../1X.X./....."
    assert position.available() == ("1", "2", "3", "4", "5")
    position = position.apply("4")
    assert (position.seat, position.prompt, position.turns) == (P1, "move", 2)
    assert position.board() == "...../.X.X./...../1X.X2/....."
    assert position.available() == ("up", "down")


def test_every_list_of_possible_moves_in_the_book():
    position = play(start(layout=BOOK), "1", "1")
    for reply, possible in [
        ("right", ("down", "right")),
        ("down", ("down", "left")),
        ("right", ("left", "right")),
        ("down", ("up", "down")),
        ("right", ("down", "left", "right")),
        ("left", ("up", "down", "left")),
        ("right", ("left", "right")),
    ]:
        assert position.available() == possible
        position = position.apply(reply)
    assert position.outcome == Outcome(P1, "arrival")


def test_a_diagram_in_the_style_of_the_book():
    assert play(start(layout=BOOK), "1", "1").diagram().splitlines() == [
        "    1  2  3  4  5",
        "    --------------",
        "1 | P1 .  .  .  P2",
        "2 | .  X  .  X  .",
        "3 | .  .  .  .  .",
        "4 | .  X  .  X  .",
        "5 | .  .  .  .  .",
    ]


@pytest.mark.parametrize(
    ("diagram", "seat", "reply", "winner"),
    [
        ("..... ...1. .2... ..... .....", P1, "right", P1),
        ("..... ...1. .2... ..... .....", P2, "left", P2),
    ],
)
def test_the_far_column_wins_at_once(diagram, seat, reply, winner):
    after = set_up(diagram, seat).apply(reply)
    assert after.outcome == Outcome(winner, "arrival")
    assert (after.seat, after.prompt, after.available()) == (None, None, ())


@pytest.mark.parametrize(
    ("text", "verdict", "sentence"),
    [
        ("up", "illegal", "up leads off the grid"),
        ("down", "illegal", "down leads into the wall on (2,2)"),
        ("RIGHT", "illegal", "right leads to (1,3), where the other runner stands"),
        ("left", "illegal", "going left to (1,1) would repeat a board of this match"),
        ("pass", "illegal", "you have a move, so you cannot pass"),
        ("north", "malformed", "'north' is not a direction: type up, down, left or right"),
        ("up up", "malformed", "'up up' is not a direction: type up, down, left or right"),
        ("1", "malformed", "'1' is not a direction: type up, down, left or right"),
    ],
)
def test_a_refusal_says_why(text, verdict, sentence):
    seen = pair((1, 1), (1, 3))
    position = set_up(".12.. .X... ..... ..... .....")
    if "repeat" in sentence:  # here the wall is not in the way, or there would be no move at all
        position = set_up(".12.. ..... ..... ..... .....", seen=seen)
    with pytest.raises((Illegal, Malformed)) as refused:
        position.parse(text)
    assert (refused.type.verdict, str(refused.value)) == (verdict, sentence)


@pytest.mark.parametrize("text", ["3", " 3\t", "03"])
def test_rows_as_typed(text):
    assert start().parse(text) == "3"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0", "there is no row 0: rows go from 1 to 5"),
        ("6", "there is no row 6: rows go from 1 to 5"),
        ("right", "'right' is not a row: type a number from 1 to 5"),
        ("pass", "'pass' is not a row: type a number from 1 to 5"),
        ("-1", "'-1' is not a row: type a number from 1 to 5"),
    ],
)
def test_what_is_no_row(text, sentence):
    with pytest.raises((Illegal, Malformed)) as refused:
        start().parse(text)
    assert str(refused.value) == sentence


# -------------------- repetition, passing, limits


def test_a_player_with_only_old_boards_to_go_to_loses():
    seen = pair((1, 1), (3, 3)) | pair((1, 3), (3, 3))
    position = set_up(".1... .X... ..2.. ..... .....", seen=seen)
    assert position.outcome == Outcome(P2, "repetition")
    assert position.available() == ()


def test_the_first_board_with_both_runners_counts():
    position = play(start(layout=BOOK), "3", "3", "up", "up", "down")
    assert position.available() == ("up",)
    with pytest.raises(Illegal, match=r"going down to .3,5. would repeat a board"):
        position.parse("down")


POCKET = ".X1X. ..2.. ..... ..... ....."


def test_a_hemmed_in_runner_passes():
    position = set_up(POCKET)
    assert (position.automatic, position.available(), position.seat) == ("pass", ("pass",), P1)
    passed = position.apply("pass")
    assert (passed.seat, passed.turns, passed.board()) == (P2, 11, position.board())
    assert passed.available() == ("down", "left", "right")


def test_a_pass_is_no_repetition_but_its_answer_can_be():
    seen = pair((1, 3), (3, 3)) | pair((1, 3), (2, 2)) | pair((1, 3), (2, 4))
    assert set_up(POCKET, seen=seen).apply("pass").outcome == Outcome(P1, "repetition")


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32), number=st.integers(0, 5))
def test_a_pass_is_never_answered_by_a_pass(seed, number):
    position = start(seed, walls=number)
    choose = random.Random(seed)
    passed = False
    while position.outcome is None:
        assert not (passed and position.automatic)
        passed = position.automatic is not None
        position = position.apply(choose.choice(position.available()))


@pytest.mark.parametrize(
    ("diagram", "winner"),
    [
        (".1... ..... ..... ..... ....2", P1),  # 3 to 4
        ("1.... ..... ..... ..... ...2.", P2),  # 4 to 3
        (".1... ..... ..... ..... ...2.", P1),  # level
        (".1X.. ..X.. ..... ..... ...2.", P2),  # around the walls
        (".12.. ..... ..... ..... .....", P2),  # 3 to 2: the other runner is not in the way
    ],
)
def test_the_turn_limit_goes_to_the_shorter_path(diagram, winner):
    for seat, limit in ((P1, 10), (P2, 11)):
        position = set_up(diagram, seat, turn_limit=limit)
        assert position.outcome == Outcome(winner, "adjudicated")
        assert (position.available(), position.seat) == ((), None)
        assert set_up(diagram, seat, turn_limit=limit + 1).outcome is None


@pytest.mark.parametrize(("row", "winner"), [("1", P2), ("3", P1)])
def test_a_runner_that_is_not_placed_counts_from_its_best_row(row, winner):
    position = start(layout="(1,2)(2,2)", turn_limit=1).apply(row)
    assert position.outcome == Outcome(winner, "adjudicated")


def test_what_the_last_turn_decides_is_not_adjudicated():
    position = set_up("..... ...1. .2... ..... .....", turn_limit=11)
    assert position.apply("right").outcome == Outcome(P1, "arrival")
    seen = pair((1, 1), (3, 3)) | pair((1, 3), (3, 3))
    position = set_up(".1... .X... ..2.. ..... .....", seen=seen, turn_limit=10)
    assert position.outcome == Outcome(P2, "repetition")


def test_the_bound_on_turns():
    assert GAME.turn_bound(GAME.settings()) == 2 + 2 * 20 * 19
    assert GAME.turn_bound(GAME.settings({"layout": BOOK})) == 2 + 2 * 21 * 20
    assert GAME.turn_bound(GAME.settings({"turn-limit": "40"})) == 40
    assert GAME.turn_bound(GAME.settings({"turn-limit": "9999", "repetition": "allowed"})) == 9999


# -------------------- symmetry

UPSIDE_DOWN = {"up": "down", "down": "up", "left": "left", "right": "right", "pass": "pass"} | {
    str(row): str(6 - row) for row in range(1, 6)
}


def test_upside_down_is_the_same_game():
    for seed in range(40):
        one = start(seed)
        cells = [(5 - i // 5, i % 5 + 1) for i, s in enumerate(one.board().replace("/", "")) if s == "X"]
        other = start(layout="".join(f"({row},{column})" for row, column in cells))
        choose = random.Random(seed)
        while one.outcome is None:
            assert {UPSIDE_DOWN[reply] for reply in one.available()} == set(other.available())
            reply = choose.choice(one.available())
            one, other = one.apply(reply), other.apply(UPSIDE_DOWN[reply])
            assert one.board().split("/") == other.board().split("/")[::-1]
        assert one.outcome == other.outcome


SWAPPED = {"up": "up", "down": "down", "left": "right", "right": "left", "pass": "pass"}


def test_a_mirrored_board_swaps_the_seats():
    for seed in range(40):
        one = play(start(seed), "2", "5")
        rows = [row[::-1] for row in one.board().split("/")]
        other = set_up(" ".join(rows).translate(str.maketrans("12", "21")), P2)
        choose = random.Random(seed)
        while one.outcome is None:
            assert {SWAPPED[reply] for reply in one.available()} == set(other.available())
            reply = choose.choice(one.available())
            one, other = one.apply(reply), other.apply(SWAPPED[reply])
        assert other.outcome == Outcome(one.outcome.winner.other, one.outcome.reason)
