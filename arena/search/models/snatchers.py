"""Grid Snatchers for search: sets of boards as bits, as the rules have them."""

from collections.abc import Sequence
from typing import cast

from arena import grid
from arena.game import Position, Settings
from arena.games.snatchers import BOARDS, CELLS, SnatchersPosition, walks
from arena.search.model import Model

State = tuple[int, int, int]
"""The number of the board, the boards of this match so far as a set, and whose turn it is (0 for P1)."""

CAPTURED = sum(1 << cell * (CELLS + 1) for cell in range(CELLS))
"""The boards with both tokens on one cell."""


class SnatchersModel(Model):
    """A move is the number of the board that it brings about."""

    def __init__(self, screen: bool, repeats: bool) -> None:
        self.walks = walks(screen)
        self.reach = tuple(walk.reach for walk in self.walks)
        self.repeats = repeats
        self.unsafe = sum(1 << board for board in range(BOARDS) if self.reach[0][board] & CAPTURED)
        """Boards on which the player to move captures; it does not matter which player that is."""

    def load(self, position: Position) -> State | None:
        """Read the board and the boards so far, at the beginning of a turn."""
        position = cast("SnatchersPosition", position)
        if position.direction is not None:
            return None
        return position.board_number, position.seen, position.turns & 1

    def moves(self, state: State) -> Sequence[int]:
        """A capture alone if there is one; otherwise turns that cannot be captured come first."""
        board, seen, mover = state
        if board % (CELLS + 1) == 0:
            return ()
        open_ = self.reach[mover][board] & ~seen
        capture = open_ & CAPTURED
        if capture:
            return (capture.bit_length() - 1,)
        return grid.bits(open_ & ~self.unsafe) or grid.bits(open_)

    def play(self, state: State, move: int) -> State:
        """Go to that board."""
        _, seen, mover = state
        return move, (seen if self.repeats else seen | 1 << move), 1 - mover

    def value(self, state: State) -> int:
        """Turns that neither repeat nor lose at once, of both players."""
        board, seen, mover = state
        safe = ~(seen | self.unsafe)
        own, other = self.reach[mover][board] & safe, self.reach[1 - mover][board] & safe
        return 10 * (own.bit_count() - other.bit_count())

    def glance(self, state: State) -> int:
        """Danger of being captured, and nothing else."""
        return 1 if self.unsafe >> state[0] & 1 else 0

    def replies(self, state: State, move: int) -> tuple[str, ...]:
        """The direction and the number of spaces."""
        board, _, mover = state
        bit = 1 << move
        for direction, landings in self.walks[mover].landings[board].items():
            if bit in landings:
                return direction, str(landings.index(bit) + 1)
        raise ValueError(f"no turn leads from board {board} to {move}")


def model(settings: Settings) -> Model:
    """Every setting but the turn limit, which search leaves out."""
    return SnatchersModel(settings["up"] == "screen", settings["repetition"] == "allowed")
