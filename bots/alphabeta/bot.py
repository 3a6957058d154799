"""Alpha-beta search, deeper and deeper until the time of the turn is used."""

from arena.search import player
from arena.search.alphabeta import AlphaBeta

player.run(AlphaBeta)
