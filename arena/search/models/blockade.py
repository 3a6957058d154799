"""Blockade for search: all that counts is where each player may still place."""

from collections.abc import Sequence
from typing import cast

from arena import grid
from arena.game import Position, Settings
from arena.games.blockade import BlockadePosition
from arena.search.model import Model

State = tuple[int, int]
"""The cells open to the player to move, and those open to the other."""


class BlockadeModel(Model):
    """A move is the number of a cell."""

    def __init__(self, size: int) -> None:
        self.closes = tuple(around | 1 << cell for cell, around in enumerate(grid.surrounding(size, size)))
        """The cells that a token takes from the opponent."""
        self.names = grid.cell_names(size, size, first=1)

    def load(self, position: Position) -> State:
        """Read the two sets of open cells."""
        position = cast("BlockadePosition", position)
        return position.open, position.other_open

    def moves(self, state: State) -> Sequence[int]:
        """First the cells that leave the opponent the fewest."""
        own, other = state
        closes = self.closes
        cells = grid.bits(own)
        cells.sort(key=lambda cell: (other & ~closes[cell]).bit_count())
        return cells

    def play(self, state: State, move: int) -> State:
        """Close the cells around to the opponent."""
        own, other = state
        return other & ~self.closes[move], own & ~(1 << move)

    def value(self, state: State) -> int:
        """Mobility; cells that only one player may use are safe and count double."""
        own, other = state
        safe = (own & ~other).bit_count() - (other & ~own).bit_count()
        return 10 * (own.bit_count() - other.bit_count() + safe)

    def glance(self, state: State) -> int:
        """Mobility alone."""
        own, other = state
        return own.bit_count() - other.bit_count()

    def replies(self, state: State, move: int) -> tuple[str, ...]:
        """The cell."""
        del state
        return (self.names[move],)


def model(settings: Settings) -> Model:
    """Every size."""
    return BlockadeModel(int(settings["size"]))
