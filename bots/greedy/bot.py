"""One turn ahead: win if you can, otherwise take the turn after which the board looks best."""

from arena.search import player
from arena.search.greedy import Greedy

player.run(Greedy)
