"""GridLock for search: bit sets for locks, and territory by a race of two floods."""

from collections.abc import Sequence
from typing import cast

from arena import grid
from arena.game import Position, Settings
from arena.games.gridlock import GridlockPosition
from arena.search.model import Model

State = tuple[int, int, int, int, int]
"""Locks, cell of the player to move, of the other, goal of the player to move, of the other."""

NO_LOCK = -1


class GridlockModel(Model):
    """A move is a pair: the cell to move to and the cell to lock, or NO_LOCK."""

    def __init__(self, size: int, wrap: bool, corner_locks: bool) -> None:
        self.size, self.wrap, self.cells = size, wrap, size * size
        self.everywhere = (1 << self.cells) - 1
        self.around = grid.orthogonal(size, size, wrap)
        self.spared = 0 if corner_locks else 1 | 1 << self.cells - 1
        self.names = grid.cell_names(size, size, first=0)
        self.lattice = grid.lattice(size, size)
        self.bits_of = {0: ()} | {
            part: tuple(grid.bits(part)) for near in self.around for part in _subsets(near)
        }

    def load(self, position: Position) -> State | None:
        """Read the cursors and locks, at the beginning of a turn."""
        position = cast("GridlockPosition", position)
        if position.locking:
            return None
        goals = (self.cells - 1, 0)
        mover = position.turns & 1
        return position.locks, position.cursor, position.other, goals[mover], goals[1 - mover]

    def moves(self, state: State) -> Sequence[tuple[int, int]]:
        """An arrival alone if there is one; otherwise locks beside the opponent first."""
        locks, own, other, goal, other_goal = state
        if other == other_goal:
            return ()
        closed = locks | 1 << other
        steps = self.around[own] & ~closed
        if steps >> goal & 1:
            return ((goal, NO_LOCK),)
        found: list[tuple[int, int]] = []
        later: list[tuple[int, int]] = []
        near, spared, around, bits_of = self.around[other], self.spared, self.around, self.bits_of
        for to in bits_of[steps]:
            lockable = around[to] & ~(closed | spared)
            if not lockable:
                found.append((to, NO_LOCK))
                continue
            for lock in bits_of[lockable]:
                (found if near >> lock & 1 else later).append((to, lock))
        return found + later

    def play(self, state: State, move: tuple[int, int]) -> State:
        """Move and lock."""
        locks, _, other, goal, other_goal = state
        to, lock = move
        return (locks if lock == NO_LOCK else locks | 1 << lock), other, to, other_goal, goal

    def value(self, state: State) -> int:
        """Cells that each cursor reaches first, room to move at once, and the race to the corners."""
        locks, own, other, goal, other_goal = state
        free = self.everywhere & ~locks
        mine, theirs = 1 << own, 1 << other
        left = free & ~(mine | theirs)
        mine_all, theirs_all = mine, theirs
        steps, own_path, other_path = 0, 0, 0
        goal_bit, other_goal_bit = 1 << goal, 1 << other_goal
        grow = self._wrapped if self.wrap else self.lattice.beside
        while mine or theirs:
            steps += 1
            mine = grow(mine) & left
            left ^= mine
            theirs = grow(theirs) & left
            left ^= theirs
            mine_all |= mine
            theirs_all |= theirs
            if mine & goal_bit:
                own_path = steps
            if theirs & other_goal_bit:
                other_path = steps
        score = 10 * (mine_all.bit_count() - theirs_all.bit_count())
        near = self.around
        score += 6 * ((near[own] & free).bit_count() - (near[other] & free).bit_count())
        if own_path:
            score += 120 // own_path
        if other_path:
            score -= 120 // other_path
        return score

    def _wrapped(self, cells: int) -> int:
        """The neighbours of a set of cells on a board without edges."""
        size, lattice, turn = self.size, self.lattice, self.cells - self.size
        first, last = ~lattice.not_first, ~lattice.not_last
        return (
            cells << size | cells >> turn | cells >> size | cells << turn
            | (cells & lattice.not_last) << 1 | (cells & last) >> size - 1
            | (cells & lattice.not_first) >> 1 | (cells & first) << size - 1
        ) & self.everywhere  # fmt: skip

    def glance(self, state: State) -> int:
        """Room to move at once."""
        locks, own, other, _, _ = state
        free = self.everywhere & ~locks
        return (self.around[own] & free).bit_count() - (self.around[other] & free).bit_count()

    def replies(self, state: State, move: tuple[int, int]) -> tuple[str, ...]:
        """The cell to move to, then the one to lock; an arrival locks nothing."""
        del state
        to, lock = move
        return (self.names[to],) if lock == NO_LOCK else (self.names[to], self.names[lock])


def _subsets(mask: int) -> list[int]:
    found = [0]
    for cell in grid.bits(mask):
        found += [part | 1 << cell for part in found]
    return found


def model(settings: Settings) -> Model:
    """Every size, with or without wrap-around and corner locks."""
    return GridlockModel(int(settings["size"]), settings["wrap"] == "on", settings["corner-locks"] == "on")
