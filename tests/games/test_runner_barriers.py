"""Grid Runner with barriers: rulings on boards set up by hand, symmetry, the path rule by brute force."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import P1, P2, Illegal, Malformed, Outcome
from arena.games import runner_barriers
from arena.games.runner_barriers import AROUND, BOARD, CORNERS, GAME, LATTICE, NAMES, RunnerPosition
from arena.grid import bits


def start(**options):
    return GAME.start({key.replace("_", "-"): str(value) for key, value in options.items()})


def set_up(diagram, seat=P1, hand=(3, 3), seen=0, turns=10, **options):
    """A position with `seat` to act, from rows of `1 2 X .`; `hand` is the barriers of P1 and P2."""
    cells = "".join(diagram.split())
    barriers = sum(1 << cell for cell, symbol in enumerate(cells) if symbol == "X")
    step = 1 if seat is P1 else -1
    runners = (cells.index("1"), cells.index("2"))[::step]
    turns += seat is P2
    rules = start(**options).rules
    return runner_barriers._settled(rules, *runners, barriers, *hand[::step], turns, seen)


def pair(first, second):
    """The bit of a board with these runners."""
    return 1 << NAMES.index(first) * 25 + NAMES.index(second)


def play(position, *replies):
    for reply in replies:
        position = position.apply(reply)
    return position


def moves(position):
    return [reply.removeprefix("MOVE ") for reply in position.available() if reply.startswith("MOVE ")]


def barriers(position):
    return [reply.removeprefix("BARRIER ") for reply in position.available() if reply.startswith("BARRIER ")]


def refusal(position, text):
    with pytest.raises((Illegal, Malformed)) as refused:
        position.parse(text)
    return refused.type.verdict, str(refused.value)


def test_the_first_board():
    position = start()
    assert position.board() == "1..../...../...../...../....2"
    assert (position.seat, position.prompt, position.turns, position.automatic) == (P1, "action", 0, None)
    assert moves(position) == ["B1", "A2"]
    assert len(barriers(position)) == 25 - 2 - 2
    assert position.state() == {"barriers-P1": "3", "barriers-P2": "3"}


def test_a_diagram_in_the_style_of_the_book():
    position = play(start(adjacent_barriers="allowed"), "MOVE B1", "BARRIER D5", "MOVE B2", "MOVE E4")
    assert position.diagram().splitlines() == [
        "  A  B  C  D  E",
        "1 .  .  .  .  .",
        "2 .  P1 .  .  .",
        "3 .  .  .  .  .",
        "4 .  .  .  .  P2",
        "5 .  .  .  X  .",
    ]
    assert position.state() == {"barriers-P1": "3", "barriers-P2": "2"}
    assert play(position, "BARRIER B3").state() == {"barriers-P1": "2", "barriers-P2": "2"}


# -------------------- capture and arrival


@pytest.mark.parametrize(
    ("diagram", "seat", "reply", "outcome"),
    [
        ("..... ..... ..12. ..... .....", P1, "MOVE D3", (P1, "capture")),
        ("..... ..... ..12. ..... .....", P2, "MOVE C3", (P2, "capture")),
        ("..... ..... ..... ....1 ....2", P1, "MOVE E5", (P1, "capture")),
        ("12... ..... ..... ..... .....", P2, "MOVE A1", (P2, "capture")),
        (".2... ..... ..... ....1 .....", P1, "MOVE E5", (P1, "arrival")),
        (".2... ..... ..... ....1 .....", P2, "MOVE A1", (P2, "arrival")),
    ],
)
def test_landing_on_a_runner_or_on_the_goal_wins(diagram, seat, reply, outcome):
    position = set_up(diagram, seat)
    after = position.apply(reply)
    assert after.outcome == Outcome(*outcome)
    assert (after.seat, after.prompt, after.available()) == (None, None, ())
    assert after.turns == position.turns + 1
    assert after.board().count("1") + after.board().count("2") == (1 if outcome[1] == "capture" else 2)


def test_one_s_own_corner_is_no_goal():
    assert play(start(), "MOVE B1", "MOVE E4", "MOVE B2", "MOVE E5").outcome is None


def test_with_capture_off_the_other_runner_is_in_the_way():
    position = set_up("..... ..... ..12. ..... .....", capture="off")
    assert moves(position) == ["C2", "B3", "C4"]
    assert refusal(position, "MOVE D3") == (
        "illegal",
        "D3 is taken by the other runner, and capture is off",
    )


# -------------------- barriers

PLACES = [
    # A dead end: only the goal corners matter, and the cells beside one's own runner.
    ("1X... ..... ..... ..... ....2", P2, {}, "A1 B1 A2 E4 D5 E5"),
    # A corridor: P2 needs all of the first row and its end; row 3 can be walked around.
    ("1.... XXXX. 2.... ..... .....", P2, {}, "A1 B1 C1 D1 E1 A2 B2 C2 D2 E2 A3 B3 E3 A4 E5"),
    # The runners do not block paths: P1's way leads through P2.
    ("..... ..... X.... 2.... 1X...", P1, {}, "A1 A3 A4 B4 A5 B5 E5"),
    ("1X... ..... ..... ..... ...X2", P1, {"enclosure": "cell"}, "A1 B1 A2 D5 E5 E4"),
    ("1X... ..... ..... ..... ...X2", P1, {"enclosure": "cell", "adjacent-barriers": "allowed"}, None),
]


def brute_force_places(position: RunnerPosition) -> list[str]:
    """Cells for a barrier by the text of the rule, every one tried with a search of its own."""
    found = []
    for cell, name in enumerate(NAMES):
        taken = position.barriers | 1 << position.own | 1 << position.other
        beside = AROUND[position.own] >> cell & 1 and not position.rules.adjacent
        if taken >> cell & 1 or beside:
            continue
        free = BOARD & ~position.barriers & ~(1 << cell)
        runners = zip((P1, P2), reversed(CORNERS), strict=True)
        if position.rules.path:
            escapes = [
                LATTICE.reach(1 << position.cell(s), free) >> goal & free >> goal & 1 for s, goal in runners
            ]
        else:
            escapes = [AROUND[position.cell(s)] & free for s, _ in runners]
        if all(escapes):
            found.append(name)
    return found


@pytest.mark.parametrize(("diagram", "seat", "options", "closed"), PLACES)
def test_where_barriers_may_go(diagram, seat, options, closed):
    position = set_up(diagram, seat, **{key.replace("-", "_"): value for key, value in options.items()})
    assert barriers(position) == brute_force_places(position)
    if closed is not None:
        assert set(NAMES) - set(barriers(position)) == set(closed.split())


@settings(max_examples=150, deadline=None)
@given(
    free=st.sets(st.integers(0, 24), min_size=8).map(lambda cells: sum(1 << cell for cell in cells)),
    data=st.data(),
)
def test_bottlenecks_are_the_cells_whose_loss_cuts_the_way(free, data):
    start_cell, goal = data.draw(st.lists(st.sampled_from(bits(free)), min_size=2, max_size=2, unique=True))
    expected = 0
    if LATTICE.reach(1 << start_cell, free) >> goal & 1:
        for cell in bits(free & ~(1 << start_cell)):
            if not LATTICE.reach(1 << start_cell, free & ~(1 << cell)) >> goal & 1:
                expected |= 1 << cell
    assert LATTICE.bottlenecks(1 << start_cell, 1 << goal, free) == expected


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    capture=st.sampled_from(["on", "off"]),
    enclosure=st.sampled_from(["path", "cell"]),
    adjacent=st.sampled_from(["banned", "allowed"]),
)
def test_no_runner_is_ever_enclosed(seed, capture, enclosure, adjacent):
    position = start(capture=capture, enclosure=enclosure, adjacent_barriers=adjacent)
    choose = random.Random(seed)
    while position.outcome is None:
        if position.own_left:
            assert barriers(position) == brute_force_places(position)
        free = BOARD & ~position.barriers
        for seat, goal in ((P1, CORNERS[1]), (P2, CORNERS[0])):
            cell = position.cell(seat)
            assert AROUND[cell] & free
            assert enclosure == "cell" or LATTICE.distance(1 << cell, 1 << goal, free) is not None
        assert capture == "off" or position.automatic is None
        position = position.apply(choose.choice(position.available()))
    assert position.outcome.reason in {"arrival", "capture", "repetition", "adjudicated"}


def test_three_barriers_each():
    position = set_up("1.... ..... ..... ..... ....2", hand=(0, 3))
    assert barriers(position) == []
    assert refusal(position, "BARRIER C3") == ("illegal", "you have no barriers left")
    assert len(barriers(position.apply("MOVE B1"))) > 0


def test_a_starting_corner_that_was_left_can_be_barred_only_without_the_path_rule():
    diagram = "..1.. ..... ..... ..... ..2.."
    assert {"A1", "E5"}.isdisjoint(barriers(set_up(diagram)))
    assert {"A1", "E5"} <= set(barriers(set_up(diagram, enclosure="cell")))


# -------------------- sentences


@pytest.mark.parametrize(
    ("text", "verdict", "sentence"),
    [
        ("MOVE B1", "illegal", "going back to B1 would repeat a board of this match"),
        ("MOVE A2", "illegal", "A2 is a barrier"),
        ("MOVE D4", "illegal", "D4 is not one step up, down, left or right of your runner on B2"),
        ("MOVE B2", "illegal", "your runner is on B2 already"),
        ("MOVE E6", "illegal", "E6 is off the board: columns go from A to E and rows from 1 to 5"),
        ("barrier c2", "illegal", "C2 is next to your own runner"),
        ("BARRIER B2", "illegal", "B2 is taken by your own runner"),
        ("BARRIER E4", "illegal", "E4 is taken by the other runner"),
        ("BARRIER A2", "illegal", "A2 is a barrier already"),
        ("BARRIER E5", "illegal", "E5 would leave P1 without a path to E5"),
        ("BARRIER A1", "illegal", "A1 would leave P2 without a path to A1"),
        ("pass", "illegal", "you have an action, so you cannot pass"),
        ("MOVEB2", "malformed", "'MOVEB2' is not an action: type MOVE or BARRIER and a cell, like MOVE B2"),
        (
            "MOVE B 2",
            "malformed",
            "'MOVE B 2' is not an action: type MOVE or BARRIER and a cell, like MOVE B2",
        ),
        ("", "malformed", "'' is not an action: type MOVE or BARRIER and a cell, like MOVE B2"),
    ],
)
def test_a_refusal_says_why(text, verdict, sentence):
    position = set_up("..... X1... ..... ....2 .....", seen=pair("B1", "E4"))
    assert refusal(position, text) == (verdict, sentence)


def test_spellings():
    position = set_up("..... X1... ..... ....2 .....")
    assert position.parse("\tmove   c2 ") == "MOVE C2"
    assert position.parse("Barrier\td3") == "BARRIER D3"


def test_the_enclosure_by_cell_says_whose_runner_it_is():
    position = set_up("1.... X.... ..... ....X ....2", enclosure="cell", adjacent_barriers="allowed")
    assert refusal(position, "BARRIER B1") == ("illegal", "B1 would enclose the runner of P1")
    assert refusal(position, "BARRIER D5") == ("illegal", "D5 would enclose the runner of P2")


# -------------------- repetition, passing, limits

CORNERED = "1.X.. .X... X.... ..... ....2"


def test_a_player_with_only_old_boards_to_go_to_loses():
    seen = pair("B1", "E5") | pair("A2", "E5")
    position = set_up(CORNERED, hand=(0, 3), seen=seen)
    assert position.outcome == Outcome(P2, "repetition")
    assert position.available() == ()


def test_a_barrier_in_hand_saves_from_repetition():
    seen = pair("B1", "E5") | pair("A2", "E5")
    position = set_up(CORNERED, hand=(1, 3), seen=seen)
    assert position.outcome is None
    assert moves(position) == []
    assert barriers(position)


def test_a_barrier_makes_every_board_new():
    position = play(start(), "MOVE B1", "MOVE E4", "MOVE A1", "BARRIER C3", "MOVE B1")
    assert position.outcome is None
    assert "MOVE E5" in position.available()


def test_a_hemmed_in_runner_passes_only_without_any_action():
    diagram = "1X... 2.... ..... ..... ....."
    assert set_up(diagram, hand=(0, 0), capture="off").available() == ("pass",)
    assert set_up(diagram, hand=(0, 0), capture="off").automatic == "pass"
    assert set_up(diagram, hand=(1, 0), capture="off").automatic is None
    assert set_up(diagram, hand=(0, 0)).available() == ("MOVE A2",)
    passed = set_up(diagram, hand=(0, 0), capture="off").apply("pass")
    assert (passed.seat, passed.turns) == (P2, 11)
    # P2 stands on the way to its goal and cannot take it: its other steps are there.
    assert moves(passed) == ["B2", "A3"]


def test_a_pass_is_no_repetition_but_its_answer_can_be():
    diagram = "1X... 2.... ..... ..... ....."
    seen = pair("A1", "B2") | pair("A1", "A3")
    passed = set_up(diagram, hand=(0, 0), seen=seen, capture="off").apply("PASS")
    assert passed.outcome == Outcome(P1, "repetition")


@pytest.mark.parametrize(
    ("diagram", "winner"),
    [
        ("1X... 2X... X.... ..... .....", P2),  # A1 is a step from P2
        ("..... ..... ..X.. .X1X. .X2X.", P1),
        ("..... ..... ..... ...XX ..X12", P1),  # E5 is a step from P1
        ("..... .XX.. X12X. .XX.. .....", P1),  # no path for either: level
    ],
)
def test_nobody_can_act_any_more(diagram, winner):
    for seat in (P1, P2):
        position = set_up(
            diagram, seat, hand=(0, 0), capture="off", enclosure="cell", adjacent_barriers="allowed"
        )
        assert position.outcome == Outcome(winner, "adjudicated")


@pytest.mark.parametrize(
    ("diagram", "winner"),
    [
        (".1... ..... ..... ..... ....2", P1),  # 7 to 8
        ("1.... ..... ..... ..... ...2.", P2),  # 8 to 7
        (".1... ..... ..... ..... ...2.", P1),  # level
        (".1... .X... ..... ...X. ...2.", P1),  # level, around the barriers
        ("..... ...X. ..1XX ..... ..2..", P1),  # the other runner is not in the way
    ],
)
def test_the_turn_limit_goes_to_the_shorter_path(diagram, winner):
    for seat in (P1, P2):
        limit = 10 if seat is P1 else 11
        position = set_up(diagram, seat, turn_limit=limit)
        assert position.outcome == Outcome(winner, "adjudicated")
        assert (position.available(), position.seat) == ((), None)
        assert set_up(diagram, seat, turn_limit=limit + 1).outcome is None


def test_what_the_last_turn_decides_is_not_adjudicated():
    position = set_up(".2... ..... ..... ....1 .....", turn_limit=11)
    assert position.apply("MOVE E5").outcome == Outcome(P1, "arrival")
    seen = pair("B1", "E5") | pair("A2", "E5")
    assert set_up(CORNERED, hand=(0, 3), seen=seen, turn_limit=10).outcome == Outcome(P2, "repetition")


def test_the_bound_on_turns():
    assert GAME.turn_bound(GAME.settings()) == 600 + 552 + 506 + 462 + 420 + 380 + 342
    assert GAME.turn_bound(GAME.settings({"turn-limit": "40"})) == 40
    assert GAME.turn_bound(GAME.settings({"turn-limit": "9999"})) == 3262
    assert GAME.turn_bound(GAME.settings({"turn-limit": "9999", "repetition": "allowed"})) == 9999


# -------------------- symmetry


def mirrored(reply):
    """The reply seen in the diagonal from A1 to E5."""
    action, _, cell = reply.partition(" ")
    return f"{action} {'ABCDE'[int(cell[1]) - 1]}{'ABCDE'.index(cell[0]) + 1}" if cell else reply


def turned(reply):
    """The reply on the board turned upside down."""
    action, _, cell = reply.partition(" ")
    return f"{action} {NAMES[24 - NAMES.index(cell)]}" if cell else reply


OPTIONS = st.fixed_dictionaries(
    {
        "capture": st.sampled_from(["on", "off"]),
        "enclosure": st.sampled_from(["path", "cell"]),
        "adjacent_barriers": st.sampled_from(["banned", "allowed"]),
    }
)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), options=OPTIONS)
def test_the_diagonal_mirrors_the_game(seed, options):
    one = other = start(**options)
    choose = random.Random(seed)
    while one.outcome is None:
        assert sorted(map(mirrored, one.available())) == sorted(other.available())
        reply = choose.choice(one.available())
        one, other = one.apply(reply), other.apply(mirrored(reply))
    assert one.outcome == other.outcome


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), options=OPTIONS)
def test_a_turned_board_swaps_the_seats(seed, options):
    one = start(**options)
    other = set_up("1.... ..... ..... ..... ....2", P2, **options)
    choose = random.Random(seed)
    while one.outcome is None:
        assert sorted(map(turned, one.available())) == sorted(other.available())
        reply = choose.choice(one.available())
        one, other = one.apply(reply), other.apply(turned(reply))
    assert other.outcome is not None
    assert one.outcome.reason == other.outcome.reason
    level = one.outcome.reason == "adjudicated"  # level paths go to P1 on either side
    assert level or one.outcome.winner is other.outcome.winner.other
