"""How much a bot may think: to a deadline, or a fixed number of states for results that can be repeated."""

import time


class Exhausted(Exception):
    """The budget is spent; unwind the search and play the best turn found so far."""


class Budget:
    """Counts the states looked at. With `nodes` the clock is not read at all."""

    __slots__ = ("_left", "deadline", "nodes", "spent")

    STRIDE = 4
    """States between two looks at the clock: about a millisecond at worst, on a busy machine."""

    def __init__(self, deadline: float, nodes: int = 0) -> None:
        self.deadline = deadline
        """On the clock of `time.monotonic()`."""
        self.nodes = nodes
        self.spent = 0
        self._left = nodes or self.STRIDE

    def spend(self) -> None:
        """Count one state; raises Exhausted when that was one too many."""
        self.spent += 1
        self._left -= 1
        if self._left < 0:
            if self.nodes or time.monotonic() >= self.deadline:
                self._left = 0
                raise Exhausted
            self._left = self.STRIDE
