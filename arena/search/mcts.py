"""Monte Carlo tree search (UCT): grow a tree towards promising turns, judge its leaves, count the results."""

import math
import random

from arena.search.budget import Budget, Exhausted
from arena.search.model import Model, Move, State
from arena.search.searcher import Searcher

EXPLORATION = 0.4
URGENCY = 0.3
"""How much better than its state a move that was never tried counts at first."""
LARGEST_TREE = 200_000
"""Visits after which a turn is thought through however much time is left: every visit costs memory."""
SCALE = 30.0
"""Value at which a judged state counts as won with a probability of 73 %."""


class Node:
    """A state in the tree. `total` is what the player who moved here has got out of its visits."""

    __slots__ = ("children", "lost", "move", "state", "total", "untried", "visits")

    def __init__(self, state: State, move: Move) -> None:
        self.state, self.move = state, move
        self.untried: list[Move] | None = None
        self.children: list[Node] = []
        self.visits = 0
        self.total = 0.0
        self.lost: bool | None = None
        """Whether the player to move here has certainly lost, or certainly won; None while that is open."""


class Mcts(Searcher):
    """A searcher that keeps the part of its tree that the match has reached."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.root: Node | None = None
        """Where the match has got to, after our own last turn."""
        self._whole: Node | None = None
        """The tree of the last turn: to let go of it takes time, and is left to the beginning of the next."""

    def choose(self, state: State, budget: Budget, source: random.Random) -> Move:
        """The most visited move, or one that certainly wins. Which ones are tried first is random."""
        root = self._whole = self._kept(state) or Node(state, None)
        self._open(root)
        assert root.untried is not None
        if len(root.untried) + len(root.children) == 1:
            return root.children[0].move if root.children else root.untried[0]
        source.shuffle(root.untried)
        try:
            while root.lost is None and root.visits < LARGEST_TREE:
                self._grow(root, budget)
        except Exhausted:
            pass
        if not root.children:
            return root.untried[-1]
        best = max(
            root.children, key=lambda child: (child.lost is True, child.lost is not False, child.visits)
        )
        self.root = best
        return best.move

    def _kept(self, state: State) -> Node | None:
        """The node of this state below the move that was played last."""
        if self.root is None:
            return None
        kept = next((child for child in self.root.children if child.state == state), None)
        self.root = None
        return kept

    def _open(self, node: Node) -> None:
        if node.untried is None:
            node.untried = list(self.model.moves(node.state))
            node.untried.reverse()  # the promising ones are tried first, from the end
            if not node.untried:
                node.lost = True

    def _grow(self, root: Node, budget: Budget) -> None:
        """One visit: down to a leaf, one new node, a judgement, and back up."""
        path = [root]
        node = root
        while node.lost is None and node.children and (child := self._promising(node)):
            node = child
            path.append(node)
        budget.spend()
        self._open(node)
        if node.untried and node.lost is None:
            move = node.untried.pop()
            child = Node(self.model.play(node.state, move), move)
            node.children.append(child)
            path.append(child)
            node = child
            self._open(node)
        result = self._judge(node)  # for the player to move at the leaf
        for visited in reversed(path):
            result = 1.0 - result
            visited.visits += 1
            visited.total += result
            if visited.lost is None and visited.children:
                self._settle(visited)

    @staticmethod
    def _settle(node: Node) -> None:
        """A move to a lost state wins; when every move is known to fail, this state is lost."""
        if any(child.lost for child in node.children):
            node.lost = False
        elif not node.untried and all(child.lost is False for child in node.children):
            node.lost = True

    @staticmethod
    def _promising(node: Node) -> Node | None:
        """The child with the highest upper bound, or None when a move that was never tried promises more.

        Children that are known to fail are left alone.
        """
        log = math.log(node.visits + 1)
        mean = 1.0 - node.total / max(node.visits, 1)
        best, highest = None, mean + URGENCY if node.untried else -1.0
        for child in node.children:
            if child.lost is False:
                continue
            visits = child.visits
            bound = child.total / visits + EXPLORATION * math.sqrt(log / visits)
            if bound > highest:
                best, highest = child, bound
        return best

    def _judge(self, node: Node) -> float:
        """The chance of the player to move: known, or what the model's judgement of the state is worth."""
        if node.lost is not None:
            return 0.0 if node.lost else 1.0
        return 1.0 / (1.0 + math.exp(-self.model.value(node.state) / SCALE))
