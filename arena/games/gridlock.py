"""GridLock: walk to the opposite corner of the board, or lock the opponent in."""

from functools import cache
from typing import Any, NamedTuple

from arena import grid
from arena.game import (
    P1,
    P2,
    R_RETRY,
    R_SEATS,
    Example,
    Game,
    Illegal,
    Outcome,
    Prompt,
    Ruling,
    Seat,
    Settings,
    board_data,
    choice,
    whole_number,
)

WALKED_HOME = (Outcome(P1, "arrival"), Outcome(P2, "arrival"))
LOCKED_IN = (Outcome(P1, "immobilised"), Outcome(P2, "immobilised"))


class Board:
    """What stays the same during a match. There is one for each choice of settings: identity is equality."""

    __slots__ = ("around", "cells", "corner_locks", "last", "names", "names_of", "size", "spared", "wrap")

    def __init__(self, size: int, wrap: bool, corner_locks: bool) -> None:
        self.size = size
        self.wrap = wrap
        self.corner_locks = corner_locks
        self.last = size**2 - 1
        """The corner where P2 starts; P1 starts on cell 0."""
        self.around = grid.orthogonal(size, size, wrap)
        self.names = grid.cell_names(size, size, first=0)
        self.cells = {name: cell for cell, name in enumerate(self.names)}
        self.spared = 0 if corner_locks else 1 | 1 << self.last
        """The cells that nobody may lock."""
        self.names_of: dict[int, tuple[str, ...]] = {0: ()}
        """The names of every set of neighbours met so far: at most 16 sets for each cell."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _board, (self.size, self.wrap, self.corner_locks)


@cache
def _board(size: int, wrap: bool, corner_locks: bool) -> Board:
    return Board(size, wrap, corner_locks)


class GridlockPosition(NamedTuple):
    """`cursor` is the cell of the player to reply, `other` that of the opponent."""

    on: Board
    locks: int
    ground: str
    """The board without the cursors, one line: a lock changes one character of it."""
    cursor: int
    other: int
    open: int
    """The cells that can be named now: to move to, or to lock when `locking`."""
    locking: bool
    turns: int
    outcome: Outcome | None

    @property
    def seat(self) -> Seat | None:
        """P1 has the even turns."""
        if self.outcome:
            return None
        return P2 if self.turns & 1 else P1

    @property
    def prompt(self) -> str | None:
        """First the move, then the lock."""
        if self.outcome:
            return None
        return "lock" if self.locking else "move"

    @property
    def automatic(self) -> str | None:
        """A lock phase without an empty cell is left out altogether, so nobody ever passes."""
        return None

    def available(self) -> tuple[str, ...]:
        """The open cells, row by row."""
        names = self.on.names_of.get(self.open)
        if names is None:
            names = tuple(self.on.names[cell] for cell in grid.bits(self.open))
            self.on.names_of[self.open] = names
        return names

    def parse(self, text: str) -> str:
        """`2 3`, `2,3` and `(2,3)` are the same cell."""
        row, column = grid.two_numbers(text, "a cell: type row and column, such as 2 3")
        name = f"{row} {column}"
        cell = self.on.cells.get(name)
        if cell is not None and self.open >> cell & 1:
            return name
        raise Illegal(self._refusal(name, cell))

    def _refusal(self, name: str, cell: int | None) -> str:
        """Why a cell cannot be named now; `cell` is None when it is off the board."""
        on = self.on
        if self.outcome:
            return "the match is over"
        if cell is None:
            return f"{name} is off the board: rows and columns go from 0 to {on.size - 1}"
        if cell == self.cursor:
            return f"{name} is where your own cursor stands"
        if cell == self.other:
            return f"{name} is where the opponent's cursor stands"
        if self.locks >> cell & 1:
            return f"{name} is a lock"
        if not on.around[self.cursor] >> cell & 1:
            return f"{name} is not next to your cursor on {on.names[self.cursor]}"
        return f"{name} is a starting corner, and corner-locks=off keeps those free"

    def apply(self, reply: str) -> "GridlockPosition":
        """Move, or lock and hand over; a move that leaves nothing to lock hands over too."""
        on, locks, ground, cursor, other, open_, locking, turns, _ = self
        cell = on.cells.get(reply)
        if cell is None or not open_ >> cell & 1:
            return self.apply(self.parse(reply))
        if locking:
            return _handed_over(
                on, locks | 1 << cell, grid.set_on(ground, on.size, cell, "L"), cursor, other, turns
            )
        if cell == (0 if turns & 1 else on.last):
            return GridlockPosition(
                on, locks, ground, other, cell, 0, False, turns + 1, WALKED_HOME[turns & 1]
            )
        lockable = on.around[cell] & ~(locks | 1 << other | on.spared)
        if lockable:
            return GridlockPosition(on, locks, ground, cell, other, lockable, True, turns, None)
        return _handed_over(on, locks, ground, cell, other, turns)

    def board(self) -> str:
        """1 and 2 are the cursors, L a lock."""
        own, other = ("2", "1") if self.turns & 1 else ("1", "2")
        return grid.set_two(self.ground, self.on.size, self.cursor, own, self.other, other)

    def state(self) -> dict[str, str]:
        """The board shows everything."""
        return {}

    def diagram(self) -> str:
        """Framed, with the numbers of rows and columns on all four sides, as in the rule book."""
        size = self.on.size
        wide = len(str(size - 1))
        numbers = " " * (wide + 2) + " ".join(f"{n:>{wide}}" for n in range(size))
        edge = " " * (wide + 1) + "-" * (size * (wide + 1) + 1)
        rows = [
            f"{n:>{wide}}| {' '.join(f'{cell:>{wide}}' for cell in row)} |{n}"
            for n, row in enumerate(self.board().split("/"))
        ]
        return "\n".join([numbers, edge, *rows, edge, numbers])

    def data(self) -> dict[str, Any]:
        """Rows and columns are numbered from 0."""
        labels = [str(n) for n in range(self.on.size)]
        return board_data(self, labels, labels)


def _handed_over(on: Board, locks: int, ground: str, mover: int, other: int, turns: int) -> GridlockPosition:
    """The next turn, unless the opponent cannot move: then the player who just moved has won."""
    open_ = on.around[other] & ~(locks | 1 << mover)
    return GridlockPosition(
        on, locks, ground, other, mover, open_, False, turns + 1, None if open_ else LOCKED_IN[turns & 1]
    )


def _build(settings: Settings, seed: int) -> GridlockPosition:
    del seed  # nothing in this game is drawn
    on = _board(int(settings["size"]), settings["wrap"] == "on", settings["corner-locks"] == "on")
    ground = grid.board_text(on.size, on.size, {})
    return GridlockPosition(on, 0, ground, 0, on.last, on.around[0], False, 0, None)


def turn_bound(settings: Settings) -> int:
    """The most turns a match can have: 98 on the usual board.

    A board of n cells with both cursors and k locks has n - 2 - k empty cells, and a turn needs one of them
    to move to. With corner locks the cell just left can always be locked: turn k + 1 finds k locks, and turn
    n - 2 is the last that finds an empty cell.

    With `corner-locks=off` a turn goes without a lock only when it leaves a corner and finds nothing else.
    That is never the first turn of a seat (even on 3 by 3 another neighbour is empty), so the seat walked
    back into its own corner just before, and had to lock one of the corner's d neighbours then. It can get
    out again after at most d - 1 such walks, so both seats together add at most 2 (d - 1) turns.
    """
    fullest = int(settings["size"]) ** 2 - 2
    if settings["corner-locks"] == "on":
        return fullest
    neighbours = 4 if settings["wrap"] == "on" else 2
    return fullest + 2 * (neighbours - 1)


GAME = Game(
    id="gridlock",
    title="GridLock",
    goal="Reach the opponent's starting corner with your cursor, or leave the opponent's without a move.",
    play="The cursor of P1 starts in the top left corner, that of P2 in the bottom right one. In a turn you "
    "move your cursor one cell up, down, left or right, and then lock an empty cell beside it. Locks "
    "stay for good, and no cursor can enter them.",
    notation="A cell is its row and column, counted from 0 at the top left: 2 3. Also read: 2,3 and (2,3).",
    prompts=(
        Prompt("move", "the empty cell next to your cursor to move to", "2 3"),
        Prompt("lock", "the empty cell next to your cursor, where it stands now, to lock for good", "3 3"),
    ),
    symbols={"1": "the cursor of P1", "2": "the cursor of P2", "L": "a lock", ".": "an empty cell"},
    options=(
        whole_number("size", "10", 3, 20, meaning="rows and columns of the board"),
        choice("wrap", "off", "on", meaning="whether opposite edges of the board are next to each other"),
        choice("corner-locks", "on", "off", meaning="whether the two starting corners may be locked"),
    ),
    rulings=(
        Ruling("G-WRAP", "The board has edges; the wrap-around of the book is an option.", "wrap"),
        Ruling(
            "G-IMMOBILISED",
            "A player to move without a move loses, whether locks, an edge or the other cursor "
            "stand in the way (reason: immobilised).",
        ),
        Ruling(
            "G-LOCKS",
            "Any empty cell next to the cursor may be locked, the cell just left and the corners included. "
            "A lock phase without such a cell is left out.",
            "corner-locks",
        ),
        Ruling(
            "G-ARRIVAL", "Reaching the opponent's corner wins before anything is locked (reason: arrival)."
        ),
        Ruling("G-SIZE", "The board is 10 by 10; other sizes are an option.", "size"),
        R_SEATS,
        R_RETRY,
    ),
    example=Example(
        ("P1> 1 0", "P1> 0 0", "P2> 8 9", "P2> 9 9", "P1> (2,0)", "P1> 1 0", "P2> 8 8", "P2> 7 8")
    ),
    turn_bound=turn_bound,
    build=_build,
)
