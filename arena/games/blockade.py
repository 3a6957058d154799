"""Blockade: place tokens anywhere but next to the opponent's; whoever cannot place loses."""

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
    whole_number,
)

BLOCKED = (Outcome(P2, "blocked"), Outcome(P1, "blocked"))
"""How it ends when P1, or P2, cannot place."""


class Board:
    """What stays the same during a match. There is one for each size: identity is equality."""

    __slots__ = ("around", "cells", "names", "names_of", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.around = grid.surrounding(size, size)
        self.names = grid.cell_names(size, size, first=1)
        self.cells = {name: cell for cell, name in enumerate(self.names)}
        runs = [self.names[first : first + 8] for first in range(0, size**2, 8)]
        self.names_of = tuple(
            tuple(tuple(run[cell] for cell in grid.bits(part)) for part in range(1 << len(run)))
            for run in runs
        )
        """For each run of eight cells, the names of every set of them: `names_of[cell // 8][eight bits]`."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _board, (self.size,)


@cache
def _board(size: int) -> Board:
    return Board(size)


class BlockadePosition(NamedTuple):
    """Tokens of the player to place and of the other; `open` is where the player may place."""

    on: Board
    own: int
    other: int
    open: int
    other_open: int
    """Where the other player could place now: kept, since it is all that has to be updated."""
    turns: int
    shown: str
    """The board as `board()` gives it: kept for the same reason."""

    @property
    def seat(self) -> Seat | None:
        """P1 places on even turns."""
        if not self.open:
            return None
        return P2 if self.turns & 1 else P1

    @property
    def prompt(self) -> str | None:
        """There is one question only."""
        return "move" if self.open else None

    @property
    def outcome(self) -> Outcome | None:
        """The player without a cell to place on loses."""
        if self.open:
            return None
        return BLOCKED[self.turns & 1]

    @property
    def automatic(self) -> str | None:
        """Nobody ever passes."""
        return None

    def available(self) -> tuple[str, ...]:
        """Every open cell, row by row."""
        left = self.open
        found: tuple[str, ...] = ()
        for names in self.on.names_of:
            found += names[left & 255]
            left >>= 8
        return found

    def parse(self, text: str) -> str:
        """`3 3`, `3,3` and `(3,3)` are the same cell."""
        row, column = grid.two_numbers(text, f"a cell: type row and column, such as {self._sample()}")
        name = f"{row} {column}"
        cell = self.on.cells.get(name)
        if cell is not None and self.open >> cell & 1:
            return name
        raise Illegal(self._refusal(name, cell))

    def _refusal(self, name: str, cell: int | None) -> str:
        """Why no token can be placed here; `cell` is None when it is off the board."""
        if not self.open:
            return "the match is over"
        if cell is None:
            return f"{name} is off the board: rows and columns go from 1 to {self.on.size}"
        if self.own >> cell & 1:
            return f"{name} is already taken by your own token"
        if self.other >> cell & 1:
            return f"{name} is already taken by the opponent's token"
        near = grid.bits(self.on.around[cell] & self.other)[0]
        return f"{name} is next to the opponent's token on {self.on.names[near]}"

    def apply(self, reply: str) -> "BlockadePosition":
        """Place a token; the cells around it are closed to the opponent."""
        cell = self.on.cells.get(reply)
        if cell is None or not self.open >> cell & 1:
            return self.apply(self.parse(reply))
        bit = 1 << cell
        return BlockadePosition(
            self.on,
            self.other,
            self.own | bit,
            self.other_open & ~(self.on.around[cell] | bit),
            self.open & ~bit,
            self.turns + 1,
            grid.set_on(self.shown, self.on.size, cell, "O" if self.turns & 1 else "X"),
        )

    def board(self) -> str:
        """X for P1, O for P2."""
        return self.shown

    def state(self) -> dict[str, str]:
        """The board shows everything."""
        return {}

    def diagram(self) -> str:
        """Every cell with its coordinates, as in the rule book."""
        rows = self.board().replace(".", " ").split("/")
        return "\n".join(
            " ".join(f"({r},{c})[{token}]" for c, token in enumerate(row, 1)) for r, row in enumerate(rows, 1)
        )

    def data(self) -> dict[str, Any]:
        """Rows and columns are numbered from 1."""
        labels = [str(n) for n in range(1, self.on.size + 1)]
        return board_data(self, labels, labels)

    def _sample(self) -> str:
        return self.on.names[self.open.bit_length() - 1] if self.open else "3 3"


def _build(settings: Settings, seed: int) -> BlockadePosition:
    del seed  # nothing in this game is drawn
    size = int(settings["size"])
    everywhere = (1 << size * size) - 1
    return BlockadePosition(_board(size), 0, 0, everywhere, everywhere, 0, grid.board_text(size, size, {}))


GAME = Game(
    id="blockade",
    title="Blockade",
    goal="Be the last player who can place a token.",
    play="The board starts empty. In a turn you place one token on an empty cell that is not next to any "
    "token of the opponent, neither straight nor diagonally. Next to your own tokens you may place "
    "freely.",
    notation="A cell is its row and column, counted from 1 at the top left: 3 3. Also read: 3,3 and (3,3).",
    prompts=(Prompt("move", "the empty cell to place your token on", "3 3"),),
    symbols={"X": "a token of P1", "O": "a token of P2", ".": "an empty cell"},
    options=(whole_number("size", "5", 1, 15, meaning="rows and columns of the board"),),
    rulings=(
        Ruling("B-ADJACENT", "All eight cells around an opponent's token are closed to you."),
        Ruling("B-BLOCKED", "A player to move without a cell to place on loses (reason: blocked)."),
        Ruling("B-SIZE", "The board is 5 by 5; other sizes are an option.", "size"),
        R_SEATS,
        R_RETRY,
    ),
    example=Example(("P1> 3 3", "P2> 1 1", "P1> 2 5", "P2> 5 2", "P1> 4 4")),
    turn_bound=lambda settings: int(settings["size"]) ** 2,
    build=_build,
)
