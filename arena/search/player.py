"""From a search to a bot: read the settings, keep the clock, and answer the prompts of a turn one by one."""

import gc
from collections.abc import Callable

from arena import sdk
from arena.games import load_game
from arena.search.budget import Budget
from arena.search.model import WIN, Model, model_for
from arena.search.searcher import Searcher


def run(make: Callable[[Model], Searcher]) -> None:
    """Play with the searcher that `make` gives, one for each match.

    The environment may say ARENA_THINK_MS, the most milliseconds to think in a turn however long the turn may
    be, and ARENA_NODES, a number of states to look at instead of watching the clock: then every match with
    the same seed and the same opponent is the same.
    """
    thinking = sdk.setting("ARENA_THINK_MS", 0) / 1000
    nodes = int(sdk.setting("ARENA_NODES", 0))

    def prepare(match: sdk.Match) -> None:
        model = model_for(match.game, load_game(match.game).settings(match.options))
        searcher = make(model)
        match.memory["player"] = Player(model, searcher)
        searcher.prepare(model.load(match.position))
        gc.collect()
        gc.freeze()
        gc.disable()  # a collection in the middle of a turn could cost the match

    def choose(match: sdk.Match) -> str:
        time_left = match.time_left.at_most(thinking) if thinking else match.time_left
        player: Player = match.memory["player"]
        return player.reply(match, Budget(time_left.deadline, nodes))

    sdk.run(choose, prepare)


class Player:
    """Plans whole turns and hands them out reply by reply."""

    def __init__(self, model: Model, searcher: Searcher) -> None:
        self.model, self.searcher = model, searcher
        self._plan: list[str] = []

    def reply(self, match: sdk.Match, budget: Budget) -> str:
        """The next reply of the plan; a new turn, or a plan that no longer fits, is thought about."""
        if self._plan and self._plan[0] in match.available and match.refused is None:
            return self._plan.pop(0)
        position = match.position
        state = self.model.load(position)
        if state is None:
            self._plan = [self._finish_turn(match)]
        else:
            move = self.searcher.choose(state, budget, match.random)
            self._plan = list(self.model.replies(state, move))
        return self._plan.pop(0)

    def _finish_turn(self, match: sdk.Match) -> str:
        """The best reply for the rest of a turn that was begun without a plan, one turn ahead."""

        def worth(reply: str) -> int:
            after = match.position.apply(reply)
            if after.outcome:
                return WIN if after.outcome.winner is match.position.seat else -WIN
            state = self.model.load(after)
            return -WIN if state is None else -self.model.value(state)

        return max(match.available, key=worth)
