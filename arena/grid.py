"""Square grids as bit sets: cell number `row * width + column` is bit `1 << number` of an integer."""

import re
from functools import lru_cache

from arena.game import Malformed

_TWO_NUMBERS = re.compile(r"\(?\s*([0-9]{1,3})\s*(?:,|\s)\s*([0-9]{1,3})\s*\)?")


def bits(mask: int) -> list[int]:
    """Numbers of the cells in a set, ascending."""
    cells = []
    while mask:
        low = mask & -mask
        cells.append(low.bit_length() - 1)
        mask ^= low
    return cells


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
    """The one-line board: `pieces` maps a character to the set of its cells."""
    cells = [empty] * (width * height)
    for symbol, mask in pieces.items():
        for cell in bits(mask):
            cells[cell] = symbol
    return "/".join("".join(cells[row * width : (row + 1) * width]) for row in range(height))


def two_numbers(text: str, asked: str) -> tuple[int, int]:
    """Read `2 3`, `2,3` or `(2,3)`; raises Malformed naming what was `asked` for."""
    found = _TWO_NUMBERS.fullmatch(text.strip())
    if found is None:
        raise Malformed(f"{shown(text)} is not {asked}")
    return int(found[1]), int(found[2])


def shown(text: str) -> str:
    """A reply as it is quoted back to its author: printable ASCII, and never long."""
    short = text if len(text) <= 40 else text[:40] + "…"
    return ascii(short) if not short.isascii() or not short.isprintable() else f"'{short}'"
