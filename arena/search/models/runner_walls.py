"""Grid Runner with walls for search: two cells, and the boards so far as bits."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from arena import grid
from arena.game import Position, Settings
from arena.games.runner_walls import (
    BOARD,
    CELLS,
    COLUMNS,
    LATTICE,
    SIZE,
    UNPLACED,
    Course,
    RunnerPosition,
)
from arena.search.model import Model

State = tuple[int, int, int, int]
"""Cell of the player to move and of the other, the boards so far as a set, and whose turn (0 for P1)."""

PASS = -1
FAR = CELLS


class Way(NamedTuple):
    """What the walls of a match mean for one seat."""

    to_goal: tuple[int, ...]
    """Steps from each cell to the far column."""
    steps: tuple[tuple[int, ...], ...]
    """Where each cell leads to, the goal's side first."""


class RunnerWallsModel(Model):
    """A move is the cell to stand on, or PASS. The walls are those of the first position loaded."""

    def __init__(self, repeats: bool) -> None:
        self.repeats = repeats
        self.course: Course | None = None
        self.ways: tuple[Way, Way] = (Way((), ()), Way((), ()))

    def load(self, position: Position) -> State:
        """Read the runners; the walls are looked at again when they have changed."""
        position = cast("RunnerPosition", position)
        if self.course != position.on:
            self.course = position.on
            self.ways = _way(position.on, COLUMNS[1]), _way(position.on, COLUMNS[0])
        return position.own, position.other, position.seen, position.turns & 1

    def moves(self, state: State) -> Sequence[int]:
        """Rows at first; then steps, those towards the goal first, and PASS when hemmed in."""
        own, other, seen, mover = state
        if own == UNPLACED:
            return [row * SIZE + mover * (SIZE - 1) for row in (2, 1, 3, 0, 4)]
        if other != UNPLACED and COLUMNS[mover] >> other & 1:  # the other runner has arrived
            return ()
        steps = [to for to in self.ways[mover].steps[own] if to != other]
        if not steps:
            return (PASS,)
        if mover:
            base = other * CELLS
            return [to for to in steps if not seen >> base + to & 1]
        return [to for to in steps if not seen >> to * CELLS + other & 1]

    def play(self, state: State, move: int) -> State:
        """Stand there; a board counts as seen as soon as both runners are placed."""
        own, other, seen, mover = state
        to = own if move == PASS else move
        if other != UNPLACED and not self.repeats:
            seen |= 1 << (other * CELLS + to if mover else to * CELLS + other)
        return other, to, seen, 1 - mover

    def value(self, state: State) -> int:
        """The difference of the two ways; the player to move is half a step ahead."""
        own, other, _, mover = state
        mine, theirs = self.ways[mover].to_goal, self.ways[1 - mover].to_goal
        own_way = min(mine) if own == UNPLACED else mine[own]
        other_way = min(theirs) if other == UNPLACED else theirs[other]
        return 20 * (other_way - own_way) + 10

    def glance(self, state: State) -> int:
        """Columns still to cross, walls or not; the row does not matter to it."""
        own, other, _, mover = state
        ahead = own % SIZE + other % SIZE - (SIZE - 1)
        return -ahead if mover else ahead

    def replies(self, state: State, move: int) -> tuple[str, ...]:
        """A row, or a direction."""
        own = state[0]
        if own == UNPLACED:
            return (str(move // SIZE + 1),)
        if move == PASS:
            return ("pass",)
        return ({-SIZE: "up", SIZE: "down", -1: "left", 1: "right"}[move - own],)


def _way(course: Course, goals: int) -> Way:
    distances = LATTICE.distances(goals, BOARD & ~course.walls, FAR)
    near = grid.orthogonal(SIZE, SIZE)
    ordered = tuple(
        tuple(sorted(grid.bits(near[cell] & ~course.walls), key=distances.__getitem__))
        for cell in range(CELLS)
    )
    return Way(distances, ordered)


def model(settings: Settings) -> Model:
    """Every setting but the turn limit, which search leaves out."""
    return RunnerWallsModel(settings["repetition"] == "allowed")
