"""Square grids as bit sets: cell number `row * width + column` is bit `1 << number` of an integer."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from arena.game import Malformed

_PAIR = r"([0-9]{1,9})(?:\s*,\s*|\s+)([0-9]{1,9})"
# No two runs of blanks stand side by side, so a line of a million blanks is refused in one go.
_TWO_NUMBERS = re.compile(rf"{_PAIR}|\(\s*{_PAIR}\s*\)", re.ASCII)

QUOTED = 40
"""As many characters of a refused reply are quoted back at most."""


def bits(mask: int) -> list[int]:
    """Numbers of the cells in a set, ascending."""
    cells = []
    while mask:
        low = mask & -mask
        cells.append(low.bit_length() - 1)
        mask ^= low
    return cells


def cell_names(height: int, width: int, first: int) -> tuple[str, ...]:
    """`row column` of each cell, both counted from `first`."""
    return tuple(
        f"{row} {column}" for row in range(first, height + first) for column in range(first, width + first)
    )


@lru_cache(maxsize=64)
def orthogonal(height: int, width: int, wrap: bool = False) -> tuple[int, ...]:
    """For each cell, the set of cells one step up, down, left or right of it."""
    return tuple(
        _neighbours(height, width, cell, ((-1, 0), (1, 0), (0, -1), (0, 1)), wrap)
        for cell in range(height * width)
    )


@lru_cache(maxsize=64)
def surrounding(height: int, width: int) -> tuple[int, ...]:
    """For each cell, the set of the up to eight cells around it."""
    steps = tuple((r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c)
    return tuple(_neighbours(height, width, cell, steps, False) for cell in range(height * width))


def _neighbours(height: int, width: int, cell: int, steps: tuple[tuple[int, int], ...], wrap: bool) -> int:
    row, column = divmod(cell, width)
    found = 0
    for down, right in steps:
        r, c = row + down, column + right
        if wrap:
            r, c = r % height, c % width
        if 0 <= r < height and 0 <= c < width:
            found |= 1 << (r * width + c)
    return found & ~(1 << cell)


def board_text(width: int, height: int, pieces: dict[str, int], empty: str = ".") -> str:
    """The one-line board: `pieces` maps a character to the set of its cells; later ones cover earlier."""
    blank, places = _blank_board(width, height, empty)
    text = bytearray(blank)
    for symbol, mask in pieces.items():
        code, left = ord(symbol), mask
        while left:  # `bits`, written out: a board is made for every turn
            low = left & -left
            text[places[low.bit_length() - 1]] = code
            left ^= low
    return text.decode("ascii")


@lru_cache(maxsize=64)
def _blank_board(width: int, height: int, empty: str) -> tuple[bytes, tuple[int, ...]]:
    """The text of a board without pieces, and where each cell stands in it."""
    places = tuple(row * (width + 1) + column for row in range(height) for column in range(width))
    return "/".join([empty * width] * height).encode("ascii"), places


def set_on(board: str, width: int, cell: int, symbol: str) -> str:
    """A one-line board with this character on one cell: a fraction of what making it anew costs."""
    at = cell + cell // width
    return f"{board[:at]}{symbol}{board[at + 1 :]}"


def set_two(board: str, width: int, under: int, symbol: str, over: int, covering: str) -> str:
    """The same with a character on each of two cells; if they are one cell, the second covers the first."""
    if under == over:
        return set_on(board, width, over, covering)
    first, second = under + under // width, over + over // width
    if first > second:
        first, symbol, second, covering = second, covering, first, symbol
    return f"{board[:first]}{symbol}{board[first + 1 : second]}{covering}{board[second + 1 :]}"


@lru_cache(maxsize=1024)
def walled_board(size: int, walls: int) -> str:
    """A board with nothing but walls, `X`: they change seldom while runners move every turn."""
    return board_text(size, size, {"X": walls})


def two_numbers(text: str, asked: str) -> tuple[int, int]:
    """Read `2 3`, `2,3` or `(2,3)`; raises Malformed naming what was `asked` for."""
    found = _TWO_NUMBERS.fullmatch(text.strip())
    if found is None:
        raise Malformed(f"{shown(text)} is not {asked}")
    row, column = (text for text in found.groups() if text is not None)
    return int(row), int(column)


def shown(text: str) -> str:
    """A reply as it is quoted back to its author: printable ASCII, and never long."""
    quoted = ""
    for character in text[: QUOTED + 1]:
        piece = character if " " <= character <= "~" else ascii(character)[1:-1]
        if len(quoted + piece) > QUOTED:
            return f"'{quoted}...'"
        quoted += piece
    return f"'{quoted}'"


class Lattice(NamedTuple):
    """Walking on a grid: steps go up, down, left or right, and whole sets of cells are moved at once.

    `free` is always the set of cells that may be entered; it has to lie on the board.
    """

    width: int
    not_first: int
    """The cells that have a neighbour on their left."""
    not_last: int
    """The cells that have a neighbour on their right."""

    def beside(self, cells: int) -> int:
        """The cells one step away from any of these; may lie off the board above and below."""
        width = self.width
        return cells << width | cells >> width | (cells & self.not_last) << 1 | (cells & self.not_first) >> 1

    def reach(self, cells: int, free: int) -> int:
        """These cells and all that can be walked to from them."""
        width, not_first, not_last = self
        ring = cells
        while ring:  # `beside`, written out: this loop is where the time goes
            ring = ring << width | ring >> width | (ring & not_last) << 1 | (ring & not_first) >> 1
            ring &= free & ~cells
            cells |= ring
        return cells

    def rings(self, starts: int, goals: int, free: int) -> list[int]:
        """Cells by their distance from `starts`, up to the first that meets `goals`; empty if none does."""
        width, not_first, not_last = self
        ring = starts
        rings = [ring]
        while not ring & goals:
            free &= ~ring
            ring = ring << width | ring >> width | (ring & not_last) << 1 | (ring & not_first) >> 1
            ring &= free
            if not ring:
                return []
            rings.append(ring)
        return rings

    def distance(self, starts: int, goals: int, free: int) -> int | None:
        """Steps from the nearest start to the nearest goal; None when there is no way."""
        rings = self.rings(starts, goals, free)
        return len(rings) - 1 if rings else None

    def distances(self, goals: int, free: int, far: int) -> tuple[int, ...]:
        """For each cell its steps to the nearest goal; `far` where there is no way."""
        ring = seen = goals & free
        found = [far] * (self.not_last.bit_length() + 1)
        steps = 0
        while ring:
            for cell in bits(ring):
                found[cell] = steps
            ring = self.beside(ring) & free & ~seen
            seen |= ring
            steps += 1
        return tuple(found)

    def path(self, start: int, goal: int, free: int) -> list[int]:
        """One shortest way between two cells (given as sets of one), the start left out; empty if none."""
        rings = self.rings(start, goal, free)
        way = []
        cell = goal
        for ring in reversed(rings[:-1]):
            way.append(cell)
            near = self.beside(cell) & ring
            cell = near & -near
        return way[::-1]

    def bottlenecks(self, start: int, goal: int, free: int) -> int:
        """The cells that every way from `start` to `goal` uses, the goal included and the start not.

        Such cells lie on every way, so on any one shortest way as well. What can be reached without the
        rest of that way touches it somewhere: everything before the furthest touch has a detour, and a rest
        that is touched at its first cell only has none around that cell.
        """
        ahead = self.path(start, goal, free)
        found = 0
        region = start
        while ahead:
            rest = sum(ahead)
            region = self.reach(region, free & ~rest)
            touched = self.beside(region) & rest
            furthest = len(ahead) - 1
            while not ahead[furthest] & touched:
                furthest -= 1
            if furthest == 0:
                found |= ahead[0]
                furthest = 1
            region |= sum(ahead[:furthest])
            ahead = ahead[furthest:]
        return found


@lru_cache(maxsize=64)
def lattice(height: int, width: int) -> Lattice:
    """The lattice of a board of this size."""
    first = sum(1 << row * width for row in range(height))
    board = (1 << height * width) - 1
    return Lattice(width, board & ~first, board & ~(first << width - 1))


class Steps(NamedTuple):
    """Where a runner can step to: replies, and the boards they make, given as bits of a set of boards."""

    replies: tuple[str, ...]
    boards: tuple[int, ...]
    all_boards: int

    def leading_to_new(self, seen: int) -> tuple[str, ...]:
        """The replies that make none of the boards that were seen."""
        if not seen & self.all_boards:  # so it is nearly always
            return self.replies
        return tuple([r for r, board in zip(self.replies, self.boards, strict=True) if not seen & board])


def steps(cells: Mapping[str, int], stride: int) -> Steps:
    """Steps by reply to these cells; the board with the runner on cell n is number `n * stride`."""
    boards = tuple(1 << cell * stride for cell in cells.values())
    return Steps(tuple(cells), boards, sum(boards))


def runner_rows(board: str) -> list[str]:
    """The rows of a board of runners with cells two wide, `1` and `2` written as P1 and P2."""
    names = {"1": "P1", "2": "P2"}
    return [" ".join(names.get(cell, cell).ljust(2) for cell in row).rstrip() for row in board.split("/")]
