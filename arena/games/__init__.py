"""The games: every module of this package with a constant `GAME` is one, and is found by being here."""

import importlib
import pkgutil

from arena.game import Game


def game_ids() -> tuple[str, ...]:
    """Ids of all games, sorted; no game is imported for this."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


def load_game(game_id: str) -> Game:
    """The game with this id; raises KeyError for an unknown one. Only that game's file is imported."""
    if game_id not in game_ids():
        raise KeyError(game_id)
    module = importlib.import_module(f"{__name__}.{game_id.replace('-', '_')}")
    game: Game = module.GAME
    return game
