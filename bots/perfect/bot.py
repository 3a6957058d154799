"""No mistakes where the game can be solved, and as few as the time allows elsewhere."""

from arena.search import player
from arena.search.perfect import perfect

player.run(perfect)
