"""One turn ahead: win at once if that is possible, otherwise make the next state look as good as it can."""

import random

from arena.search.budget import Budget
from arena.search.model import WIN, Move, State
from arena.search.searcher import Searcher


class Greedy(Searcher):
    """Looks at each turn with the game's crude judgement, and takes one of the best at random."""

    def choose(self, state: State, budget: Budget, source: random.Random) -> Move:
        """One of the best turns; a budget is not needed for so little."""
        del budget
        worth = {move: self._worth(self.model.play(state, move)) for move in self.model.moves(state)}
        best = max(worth.values())
        return source.choice([move for move, value in worth.items() if value == best])

    def _worth(self, after: State) -> int:
        return -self.model.glance(after) if self.model.moves(after) else WIN


class Pathfinder(Greedy):
    """Looks at shortest ways and territory instead, and never lets the opponent win with the next turn."""

    def _worth(self, after: State) -> int:
        model = self.model
        replies = model.moves(after)
        if not replies:
            return WIN
        if any(not model.moves(model.play(after, reply)) for reply in replies):
            return -WIN
        return -model.value(after)
