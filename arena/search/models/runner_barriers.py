"""Grid Runner with barriers for search: cells as numbers, barriers as bits, ways remembered."""

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from arena import grid
from arena.game import Position, Settings
from arena.games.runner_barriers import (
    AROUND,
    BOARD,
    CELLS,
    CORNERS,
    FAR,
    LATTICE,
    NAMES,
    RunnerPosition,
    bottlenecks,
)
from arena.search.model import Model

State = tuple[int, int, int, int, int, int, int]
"""Cell of the player to move and of the other, barriers, how many each has left, where the two have stood
since the last barrier as a set, and whose turn it is (0 for P1)."""

BARRIER = CELLS
"""A move of this much more than a cell is a barrier on it."""
STEPS = tuple(tuple(grid.bits(near)) for near in AROUND)


class RunnerBarriersModel(Model):
    """A move is the cell to move to, or BARRIER more than the cell to bar."""

    def __init__(self, adjacent: bool, path: bool, repeats: bool) -> None:
        self.adjacent, self.path, self.repeats = adjacent, path, repeats

    def load(self, position: Position) -> State:
        """Read everything."""
        p = cast("RunnerPosition", position)
        return p.own, p.other, p.barriers, p.own_left, p.other_left, p.seen, p.turns & 1

    def moves(self, state: State) -> Sequence[int]:
        """A win alone if there is one; otherwise steps, then barriers in the other's way."""
        own, other, barriers, left, _, seen, mover = state
        if own == other or other == CORNERS[mover]:
            return ()
        goal = CORNERS[1 - mover]
        near = AROUND[own]
        if near >> other & 1:
            return (other,)
        if near >> goal & 1 and not barriers >> goal & 1:
            return (goal,)
        base = other * CELLS if mover else other
        stride = 1 if mover else CELLS
        steps = [to for to in STEPS[own] if not (barriers >> to & 1 or seen >> to * stride + base & 1)]
        steps.sort(key=ways(barriers, goal).__getitem__)
        if not left:
            return steps
        taken = barriers | 1 << own | 1 << other | self._vital(barriers, own, goal)
        taken |= self._vital(barriers, other, CORNERS[mover])
        if not self.adjacent:
            taken |= near
        places = grid.bits(BOARD & ~taken)
        from_goal, from_other = ways(barriers, CORNERS[mover]), ways(barriers, other)
        places.sort(key=lambda cell: from_goal[cell] + from_other[cell])
        return steps + [BARRIER + cell for cell in places]

    def _vital(self, barriers: int, runner: int, goal: int) -> int:
        """The cells that a barrier may not take from a runner."""
        if self.path:
            return bottlenecks(barriers, runner, goal)
        near = AROUND[runner] & ~barriers
        return 0 if near & near - 1 else near

    def play(self, state: State, move: int) -> State:
        """Move or place; a barrier makes all boards before it impossible."""
        own, other, barriers, left, other_left, seen, mover = state
        if move >= BARRIER:
            barriers |= 1 << move - BARRIER
            left -= 1
            seen = 0
        else:
            own = move
        if not self.repeats:
            seen |= 1 << (other * CELLS + own if mover else own * CELLS + other)
        return other, own, barriers, other_left, left, seen, 1 - mover

    def value(self, state: State) -> int:
        """The difference of the two ways, and barriers in hand."""
        own, other, barriers, left, other_left, _, mover = state
        own_way = ways(barriers, CORNERS[1 - mover])[own]
        other_way = ways(barriers, CORNERS[mover])[other]
        return 20 * (other_way - own_way) + 10 + 30 * (left - other_left)

    def glance(self, state: State) -> int:
        """The two ways as if there were no barriers."""
        own, other, _, _, _, _, mover = state
        return ways(0, CORNERS[mover])[other] - ways(0, CORNERS[1 - mover])[own]

    def replies(self, state: State, move: int) -> tuple[str, ...]:
        """MOVE or BARRIER and a cell."""
        del state
        return (f"BARRIER {NAMES[move - BARRIER]}" if move >= BARRIER else f"MOVE {NAMES[move]}",)


@lru_cache(maxsize=1 << 15)
def ways(barriers: int, goal: int) -> tuple[int, ...]:
    """Steps from each cell to the goal around the barriers; FAR where there is no way."""
    return LATTICE.distances(1 << goal, BOARD & ~barriers, FAR)


def model(settings: Settings) -> Model | None:
    """Without capture a runner can be hemmed in and pass: that is left to the rules themselves."""
    if settings["capture"] == "off":
        return None
    return RunnerBarriersModel(
        settings["adjacent-barriers"] == "allowed",
        settings["enclosure"] == "path",
        settings["repetition"] == "allowed",
    )
