"""The games: every module of this package with a constant `GAME` is one, and is found by being here."""

import os
from functools import cache

from arena.game import Game


def game_ids() -> tuple[str, ...]:
    """Ids of all games, sorted; no game is imported for this. A module named `_…` is not a game."""
    # Neither pkgutil nor pathlib: they are slow to import, and a bot does this when it starts.
    names = (name for folder in __path__ for name in os.listdir(folder))  # noqa: PTH208
    modules = (name[:-3] for name in names if name.endswith(".py") and not name.startswith("_"))
    return tuple(sorted(module.replace("_", "-") for module in modules))


@cache
def load_game(game_id: str) -> Game:
    """The game with this id; raises KeyError for an unknown one. Only that game's file is imported."""
    if game_id not in game_ids():
        raise KeyError(game_id)
    from importlib import import_module

    game: Game = import_module(f"{__name__}.{game_id.replace('-', '_')}").GAME
    return game
