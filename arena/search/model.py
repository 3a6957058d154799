"""What a search sees of a game: whole turns, and states that say nothing but what decides the future."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from arena.game import Position, Settings

State = Any
"""Hashable. Equal states have the same future, so they are the keys of transposition tables."""
Move = Any
"""A whole turn, whatever number of prompts it answers."""

WIN = 1_000_000
"""Larger than any value of a state that is not decided."""


class Model:
    """A game for search. Values are seen by the player to move.

    In every game here the player who has no move left has lost, and so has one whose opponent has just
    arrived or captured: `moves()` is empty exactly then. Turn limits are left out of search.
    """

    def load(self, position: Position) -> State | None:
        """The state of a position at the beginning of a turn; None in the middle of one."""
        raise NotImplementedError

    def moves(self, state: State) -> Sequence[Move]:
        """Every turn that can be played, promising ones first; none when the player to move has lost."""
        raise NotImplementedError

    def play(self, state: State, move: Move) -> State:
        """The state after a turn, with the other player to move."""
        raise NotImplementedError

    def value(self, state: State) -> int:
        """A guess how good an undecided state is, for search."""
        raise NotImplementedError

    def glance(self, state: State) -> int:
        """A cruder guess that needs no looking around, for a bot that only thinks one turn ahead."""
        return self.value(state)

    def replies(self, state: State, move: Move) -> tuple[str, ...]:
        """The replies that play this turn, in order."""
        raise NotImplementedError


class PositionModel(Model):
    """Any game under any options, through its own rules: slow, and with mobility for its only judgement."""

    def load(self, position: Position) -> State | None:
        """The position itself; the prompts of a turn are told apart by its number of turns."""
        return position

    def moves(self, state: Position) -> Sequence[Move]:
        """Tuples of replies; a forced pass is a turn with one reply."""
        found: list[tuple[str, ...]] = []
        open_: list[tuple[tuple[str, ...], Position]] = [((), state)]
        while open_:
            replies, position = open_.pop()
            if replies and (position.outcome or position.turns != state.turns):
                found.append(replies)
                continue
            open_.extend(
                ((*replies, reply), position.apply(reply)) for reply in reversed(position.available())
            )
        lost = state.outcome is not None
        return () if lost else sorted(found, key=lambda move: not self._wins(state, move))

    def _wins(self, state: Position, move: Move) -> bool:
        outcome = self.play(state, move).outcome
        return outcome is not None and outcome.winner is state.seat

    def play(self, state: Position, move: Move) -> Position:
        """Apply every reply of the turn."""
        for reply in move:
            state = state.apply(reply)
        return state

    def value(self, state: Position) -> int:
        """How many replies there are."""
        return len(state.available())

    def replies(self, state: Position, move: Move) -> tuple[str, ...]:
        """A move is its replies."""
        del state
        replies: tuple[str, ...] = move
        return replies


def model_for(game: str, settings: Settings) -> Model:
    """The fast model of a game if there is one for these settings, or else one that plays by its rules."""
    name = f"arena.search.models.{game.replace('-', '_')}"
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return PositionModel()
    fast: Model | None = module.model(settings)
    return fast or PositionModel()
