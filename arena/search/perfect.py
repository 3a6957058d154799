"""Play without a mistake: Blockade by solving it, other games by what alpha-beta can prove in time."""

import random

from arena.search.alphabeta import AlphaBeta
from arena.search.budget import Budget
from arena.search.model import Model, Move, State
from arena.search.models.blockade import BlockadeModel
from arena.search.searcher import Searcher

LARGEST_SOLVED = 25
"""Cells of the largest Blockade board that is solved on the spot: some 11,000 states from the empty board."""


def perfect(model: Model) -> Searcher:
    """The searcher that plays this game best."""
    if isinstance(model, BlockadeModel) and len(model.names) <= LARGEST_SOLVED:
        return BlockadeSolver(model)
    return AlphaBeta(model)


class BlockadeSolver(Searcher):
    """Knows for every state that it meets whether the player to move wins."""

    def __init__(self, model: BlockadeModel) -> None:
        super().__init__(model)
        self._known: dict[State, bool] = {}

    def prepare(self, state: State | None) -> None:
        """Solve the game from its beginning, so that no turn has to."""
        self.wins(state)

    def choose(self, state: State, budget: Budget, source: random.Random) -> Move:
        """A move that wins; in a lost state, the one that leaves the opponent the fewest winning replies."""
        del budget  # solving what is left takes a few milliseconds
        moves = list(self.model.moves(state))
        source.shuffle(moves)
        after = {move: self.model.play(state, move) for move in moves}
        winning = next((move for move in moves if not self.wins(after[move])), None)
        return winning if winning is not None else min(moves, key=lambda move: self._answers(after[move]))

    def wins(self, state: State) -> bool:
        """Whether the player to move wins with best play on both sides."""
        known = self._known.get(state)
        if known is None:
            play = self.model.play
            known = any(not self.wins(play(state, move)) for move in self.model.moves(state))
            self._known[state] = known
        return known

    def _answers(self, state: State) -> float:
        """The share of replies that win for the player to move."""
        replies = self.model.moves(state)
        return sum(not self.wins(self.model.play(state, reply)) for reply in replies) / len(replies)
