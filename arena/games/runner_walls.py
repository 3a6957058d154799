"""Grid Runner with walls: choose a row, then be the first to cross the grid to the far column."""

import random
import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

from arena import grid
from arena.game import (
    P1,
    P2,
    R_LIMIT,
    R_REPEAT,
    R_RETRY,
    R_SEATS,
    REPETITION,
    TURN_LIMIT,
    Example,
    Game,
    Illegal,
    Malformed,
    Option,
    OptionError,
    Outcome,
    Prompt,
    Ruling,
    Seat,
    Settings,
    board_data,
    limited,
    turn_limit,
    whole_number,
)

SIZE = 5
CELLS = SIZE * SIZE
BOARD = (1 << CELLS) - 1
WALLS = 5
LATTICE = grid.lattice(SIZE, SIZE)
COLUMNS = (BOARD & ~LATTICE.not_first, BOARD & ~LATTICE.not_last)
"""Where P1 and P2 start, which is where the other one wants to go: the first and the last column."""
BETWEEN = tuple(grid.bits(BOARD & ~COLUMNS[0] & ~COLUMNS[1]))
"""The cells that may have walls."""
DIRECTIONS = {"up": -SIZE, "down": SIZE, "left": -1, "right": 1}
AROUND = grid.orthogonal(SIZE, SIZE)
ROWS = ("1", "2", "3", "4", "5")
PASS = ("pass",)
UNPLACED = -1
DRAWN = "drawn"

_LAYOUT_CELL = re.compile(r"\(([0-9]{1,3}),([0-9]{1,3})\)")


class Course(NamedTuple):
    """What stays the same during a match."""

    walls: int
    ground: str
    """The board with nothing but the walls, one line."""
    unique: bool
    """Whether every board has to be new."""
    limit: int | None


class RunnerPosition(NamedTuple):
    """The runners, seen by the player to reply: `own` is its cell, or UNPLACED while it chooses a row."""

    on: Course
    own: int
    other: int
    turns: int
    seen: int
    """Where the two runners have stood: bit 25 * (cell of P1) + (cell of P2)."""
    replies: tuple[str, ...]
    outcome: Outcome | None

    @property
    def seat(self) -> Seat | None:
        """P1 replies on even turns."""
        if self.outcome:
            return None
        return P2 if self.turns & 1 else P1

    @property
    def prompt(self) -> str | None:
        """First each player's row, then moves."""
        if self.outcome:
            return None
        return "row" if self.own == UNPLACED else "move"

    @property
    def automatic(self) -> str | None:
        """A runner that is hemmed in passes."""
        return "pass" if self.replies == PASS else None

    def available(self) -> tuple[str, ...]:
        """Rows 1 to 5, or directions in the order up, down, left, right."""
        return self.replies

    def parse(self, text: str) -> str:
        """A row or a direction, in any case and with blanks around it."""
        if self.outcome:
            raise Illegal("the match is over")
        word = text.strip().lower() if text.isascii() else ""
        if word in self.replies:
            return word
        if self.own == UNPLACED:
            if not re.fullmatch("[0-9]{1,9}", word):
                raise Malformed(f"{grid.shown(text)} is not a row: type a number from 1 to 5")
            if 1 <= int(word) <= SIZE:
                return str(int(word))
            raise Illegal(f"there is no row {int(word)}: rows go from 1 to 5")
        if word == "pass":
            raise Illegal("you have a move, so you cannot pass")
        if word not in DIRECTIONS:
            raise Malformed(f"{grid.shown(text)} is not a direction: type up, down, left or right")
        raise Illegal(self._no_move(word))

    def apply(self, reply: str) -> "RunnerPosition":
        """Place the runner, move it, or pass; the other player is to reply."""
        if reply not in self.replies:
            return self.apply(self.parse(reply))
        on, turns = self.on, self.turns
        mover = turns & 1
        if self.own == UNPLACED:
            to = (int(reply) - 1) * SIZE + mover * (SIZE - 1)
        elif reply == "pass":
            to = self.own
        else:
            to = self.own + DIRECTIONS[reply]
            if COLUMNS[1 - mover] >> to & 1:
                arrived = Outcome(P2 if mover else P1, "arrival")
                return RunnerPosition(on, self.other, to, turns + 1, self.seen, (), arrived)
        return _settled(on, self.other, to, turns + 1, self.seen)

    def cell(self, seat: Seat) -> int:
        """The cell of this seat's runner, UNPLACED before it has chosen its row."""
        return self.own if (seat is P1) == (self.turns & 1 == 0) else self.other

    def board(self) -> str:
        """1 and 2 are the runners, X the walls."""
        own, other = ("2", "1") if self.turns & 1 else ("1", "2")
        board = self.on.ground
        if self.own != UNPLACED:
            return grid.set_two(board, SIZE, self.own, own, self.other, other)
        return board if self.other == UNPLACED else grid.set_on(board, SIZE, self.other, other)

    def state(self) -> dict[str, str]:
        """The board shows everything."""
        return {}

    def diagram(self) -> str:
        """Numbered columns above a line, numbered rows before a bar, as in the rule book."""
        rows = (f"{n} | {row}" for n, row in enumerate(grid.runner_rows(self.board()), 1))
        return "\n".join(["    1  2  3  4  5", "    --------------", *rows])

    def data(self) -> dict[str, Any]:
        """Rows and columns are numbered from 1."""
        return board_data(self, list(ROWS), list(ROWS))

    def _no_move(self, direction: str) -> str:
        """Why the runner cannot go in this direction."""
        row, column = divmod(self.own, SIZE)
        down, right = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}[direction]
        row, column = row + down, column + right
        name = f"({row + 1},{column + 1})"
        if not (0 <= row < SIZE and 0 <= column < SIZE):
            return f"{direction} leads off the grid"
        if self.on.walls >> row * SIZE + column & 1:
            return f"{direction} leads into the wall on {name}"
        if row * SIZE + column == self.other:
            return f"{direction} leads to {name}, where the other runner stands"
        return f"going {direction} to {name} would repeat a board of this match"


@cache
def _steps(cell: int, near: int, stride: int) -> grid.Steps:
    """The directions that lead from a cell to one of these beside it."""
    cells = {name: cell + step for name, step in DIRECTIONS.items()}
    return grid.steps({name: to for name, to in cells.items() if to in grid.bits(near)}, stride)


def _settled(on: Course, own: int, other: int, turns: int, seen: int) -> RunnerPosition:
    """The position with its replies and, if the player cannot go on, its outcome."""
    replies: tuple[str, ...] = ROWS
    outcome: Outcome | None = None
    if own != UNPLACED:
        stride, base = (1, other * CELLS) if turns & 1 else (CELLS, other)
        if on.unique:
            seen |= 1 << own * stride + base
        steps = _steps(own, AROUND[own] & ~(on.walls | 1 << other), stride)
        replies = steps.leading_to_new(seen >> base)
        if not replies and steps.replies:
            outcome = Outcome(P1 if turns & 1 else P2, "repetition")
        elif not replies:
            replies = PASS
    if turns == on.limit and outcome is None:
        replies, outcome = (), _adjudicated(on, own, other, turns)
    return RunnerPosition(on, own, other, turns, seen, replies, outcome)


def _adjudicated(on: Course, own: int, other: int, turns: int) -> Outcome:
    """The runner with the shorter path wins, level goes to P1; one that is not placed counts its best row."""
    cells = (own, other) if turns & 1 == 0 else (other, own)
    first, second = (
        LATTICE.distance(start if cell == UNPLACED else 1 << cell, goal, BOARD & ~on.walls)
        for cell, start, goal in zip(cells, COLUMNS, reversed(COLUMNS), strict=True)
    )
    assert first is not None  # walls never part the two columns
    assert second is not None
    return Outcome(P1 if first <= second else P2, "adjudicated")


def separates(walls: int) -> bool:
    """Whether no way leads from the first column to the last."""
    return not LATTICE.reach(COLUMNS[0], BOARD & ~walls) & COLUMNS[1]


@lru_cache(maxsize=1024)
def drawn_walls(number: int, seed: int) -> int:
    """The walls that belong to a seed: drawn again until they leave a way between the columns."""
    source = random.Random(seed)
    while True:
        walls = sum(1 << cell for cell in source.sample(BETWEEN, number))
        if not separates(walls):
            return walls


def _layout_walls(layout: str) -> int:
    return sum(1 << (int(row) - 1) * SIZE + int(column) - 1 for row, column in _LAYOUT_CELL.findall(layout))


def _read_layout(text: str) -> str:
    """Canonical text of a layout: its cells sorted, without blanks. ValueError says what is wrong with it."""
    packed = "".join(text.split()).lower()
    if packed == DRAWN:
        return DRAWN
    cells = [(int(row), int(column)) for row, column in _LAYOUT_CELL.findall(packed)]
    if not cells or _LAYOUT_CELL.sub("", packed):
        raise ValueError("write the cells of the walls like (2,2)(4,4), or drawn; for no walls use walls=0")
    for row, column in cells:
        if not (1 <= row <= SIZE and 1 <= column <= SIZE):
            raise ValueError(f"({row},{column}) is off the board: rows and columns go from 1 to 5")
        if column in (1, SIZE):
            raise ValueError(f"({row},{column}) is in a starting column: walls stand in columns 2 to 4")
        if cells.count((row, column)) > 1:
            raise ValueError(f"({row},{column}) is there twice")
    if len(cells) > WALLS:
        raise ValueError(f"it has {len(cells)} walls, and there are at most {WALLS}")
    layout = "".join(f"({row},{column})" for row, column in sorted(cells))
    if separates(_layout_walls(layout)):
        raise ValueError("it leaves no way from column 1 to column 5")
    return layout


def _wall_count(settings: Settings) -> int:
    """How many walls there are; OptionError when `walls` and `layout` contradict each other."""
    if settings["layout"] == DRAWN:
        return int(settings["walls"])
    count = settings["layout"].count("(")
    if settings["walls"] not in (str(WALLS), str(count)):
        raise OptionError(
            f"walls={settings['walls']} does not fit a layout that has {count}: leave walls out"
        )
    return count


def _build(settings: Settings, seed: int) -> RunnerPosition:
    layout = settings["layout"]
    walls = drawn_walls(int(settings["walls"]), seed) if layout == DRAWN else _layout_walls(layout)
    ground = grid.walled_board(SIZE, walls)
    course = Course(walls, ground, settings["repetition"] == "forbidden", turn_limit(settings))
    return _settled(course, UNPLACED, UNPLACED, 0, 0)


def _turn_bound(settings: Settings) -> int:
    """Two rows; then every turn but a pass makes a new board, and a pass is never answered by a pass.

    On f cells without walls there are f(f - 1) boards, the first of them before any move. Two runners are
    never hemmed in at once: they would share a pocket of two cells, but each can walk back to its column.
    """
    free = CELLS - _wall_count(settings)
    return limited(2 + 2 * free * (free - 1), settings)


GAME = Game(
    id="runner-walls",
    title="Grid Runner with walls",
    goal="Bring your runner to the far column first: P1 from column 1 to 5, P2 from column 5 to 1.",
    play="On a board of 5 by 5 a few walls stand in the columns between. P1 chooses a cell of column 1 to "
    "start from, then P2 one of column 5. From then on a turn moves your runner one cell up, down, "
    "left or right, but never into a wall or the other runner.",
    notation="First the row in which your runner starts: 1 to 5 from the top. Then a direction for each "
    "move: up, down, left or right. Upper or lower case.",
    prompts=(
        Prompt("row", "the row of your column in which your runner starts", "1"),
        Prompt("move", "the direction in which your runner moves one cell", "right"),
    ),
    symbols={"1": "the runner of P1", "2": "the runner of P2", "X": "a wall", ".": "an empty cell"},
    options=(
        whole_number("walls", str(WALLS), 0, WALLS, meaning="how many walls are drawn"),
        Option(
            "layout",
            DRAWN,
            "drawn or cells like (2,2)(4,4)",
            "draw the walls from the seed, or put them on these cells (then leave walls out)",
            _read_layout,
        ),
        REPETITION,
        TURN_LIMIT,
    ),
    rulings=(
        Ruling(
            "RW-WALLS",
            "Walls stand in columns 2 to 4 only, so that every cell of the outer columns can be chosen. "
            "Five are drawn from the seed; another number or an explicit layout of up to five is an "
            "option.",
            "walls",
        ),
        Ruling(
            "RW-WAY",
            "Walls that leave no way between the two columns are drawn again; such a layout is refused.",
            "layout",
        ),
        Ruling(
            "RW-ORDER",
            "The walls are shown, P1 chooses its row, P2 sees it and chooses, then P1 moves. Choosing a "
            "row is a turn.",
        ),
        Ruling("RW-ARRIVAL", "A runner that enters the far column wins at once (reason: arrival)."),
        Ruling(
            "RW-PASS",
            "A player with no move on the board passes by itself: a pass is a turn, leaves the board as "
            "it is and is no repetition. Both players can never be hemmed in at once.",
        ),
        Ruling(
            "RW-REPEAT",
            "A board is where both runners stand; the first one is there when P2 has chosen its row.",
            "repetition",
        ),
        Ruling(
            "RW-LIMIT",
            "At the turn limit the runner with the shorter path to the far column wins (reason: "
            "adjudicated), level goes to P1. Only walls block paths; a runner that is not placed counts "
            "from its best row. A win, or a loss by repetition, that comes with the last turn counts as "
            "such.",
            "turn-limit",
        ),
        R_REPEAT,
        R_LIMIT,
        R_SEATS,
        R_RETRY,
    ),
    example=Example(
        (
            "P1> 3",
            "P2> 4",
            "P1> right",
            "P2> up",
            "P1> right",
            "P2> up",
            "P1> right",
            "P2> left",
            "P1> right",
        ),
        {"layout": "(1,3)(2,2)(4,2)(4,4)(5,3)"},
    ),
    turn_bound=_turn_bound,
    build=_build,
    check=_wall_count,
)
