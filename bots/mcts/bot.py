"""Monte Carlo tree search: many guesses, most of them where they look promising."""

from arena.search import player
from arena.search.mcts import Mcts

player.run(Mcts)
