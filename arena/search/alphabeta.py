"""Alpha-beta search: deeper and deeper until the budget is spent, with a transposition table."""

import random

from arena.search.budget import Budget, Exhausted
from arena.search.model import WIN, Model, Move, State
from arena.search.searcher import Searcher

EXACT, AT_LEAST, AT_MOST = 0, 1, 2
DEEPEST = 200
EARLY = 4
"""Moves after this many are looked at one turn less deeply, until one of them turns out to be good."""
LARGEST_TABLE = 200_000
"""Entries, some hundred megabytes in all; a table that is full is thrown away."""

Table = dict[State, tuple[int, int, int, Move]]
"""For each state: depth, value, what kind of bound it is, and the best move."""


class AlphaBeta(Searcher):
    """A searcher that keeps its table from turn to turn of a match."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.table: Table = {}
        self.depth = 0
        """The last depth that was searched to its end."""
        self.score = 0
        """What the player to move can expect; WIN less the number of turns to it when that is certain."""

    def choose(self, state: State, budget: Budget, source: random.Random) -> Move:
        """The best move found; among equals at the first depth, a random one is looked at first."""
        moves = list(self.model.moves(state))
        source.shuffle(moves)
        best = moves[0]
        self.depth, self.score = 0, 0
        if len(moves) == 1:
            return best
        try:
            for depth in range(1, DEEPEST):
                best, self.score, moves = self._root(state, moves, depth, budget)
                self.depth = depth
                if abs(self.score) > WIN - DEEPEST:
                    break  # certain: looking further changes nothing
        except Exhausted as stopped:
            if stopped.args:
                best = stopped.args[0]
        return best

    def _root(
        self, state: State, moves: list[Move], depth: int, budget: Budget
    ) -> tuple[Move, int, list[Move]]:
        """One depth: the best move, its value, and the moves with those that raised the bound in front.

        Exhausted carries the best move of the unfinished depth, if one was found.
        """
        model, bound, best = self.model, -WIN, None
        order = list(moves)
        for move in moves:
            try:
                value = -self._value(model.play(state, move), depth - 1, -WIN, -bound, budget)
            except Exhausted:
                raise Exhausted(*([] if best is None else [best])) from None
            if value > bound or best is None:
                bound, best = value, move
                order.remove(move)
                order.insert(0, move)
        return best, bound, order

    def _value(self, state: State, depth: int, low: int, high: int, budget: Budget) -> int:
        budget.spend()
        model = self.model
        known = self.table.get(state)
        first = None
        if known is not None:
            known_depth, value, kind, first = known
            deep = known_depth >= depth or abs(value) > WIN - DEEPEST
            if deep and (kind == EXACT or (value >= high if kind == AT_LEAST else value <= low)):
                return value
        moves = model.moves(state)
        if not moves:
            return -WIN
        if depth <= 0:
            return model.value(state)
        if first is not None:
            moves = [first, *(move for move in moves if move != first)]
        best, best_move, floor = -WIN, moves[0], low
        for number, move in enumerate(moves):
            after = model.play(state, move)
            late = 2 if number >= EARLY and depth > 2 else 1
            value = -self._value(after, depth - late, -high, -floor, budget)
            if late > 1 and value > floor:  # better than its place in the order promised: look properly
                value = -self._value(after, depth - 1, -high, -floor, budget)
            value -= (value > WIN - DEEPEST) - (value < DEEPEST - WIN)  # a win later is worth less
            if value > best:
                best, best_move = value, move
                floor = max(floor, value)
                if floor >= high:
                    break
        kind = AT_LEAST if best >= high else AT_MOST if best <= low else EXACT
        if len(self.table) >= LARGEST_TABLE:
            self.table.clear()
        self.table[state] = depth, best, kind, best_move
        return best
