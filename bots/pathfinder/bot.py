"""Shortest ways: shorten your own, lengthen the opponent's, and never allow a win with the next turn."""

from arena.search import player
from arena.search.greedy import Pathfinder

player.run(Pathfinder)
