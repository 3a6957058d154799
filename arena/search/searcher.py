"""What every way of thinking has in common."""

import random

from arena.search.budget import Budget
from arena.search.model import Model, Move, State


class Searcher:
    """Thinks about one match: made for its model, asked once a turn."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def prepare(self, state: State | None) -> None:
        """Called with the first state before the clock of any turn runs; an opening may still follow."""

    def choose(self, state: State, budget: Budget, source: random.Random) -> Move:
        """A move of a state that has at least one. Being Exhausted is its own business."""
        raise NotImplementedError
