"""Random openings: plies of the referee before the first prompt, so that deterministic bots differ."""

import random
from typing import NamedTuple

from arena.game import Position
from arena.record import Ply

DRAWS = 100
"""Openings that end the match are drawn again this often; then one ply fewer is tried."""


class Opening(NamedTuple):
    """The position after the opening, and the plies that led there."""

    position: Position
    plies: tuple[Ply, ...]


def draw(start: Position, plies: int, seed: int) -> Opening:
    """`plies` random plies from `start`, the same ones for the same seed.

    A turn that was begun is played to its end, so a bot's first prompt is never the second half of a turn;
    forced passes are played and not counted. The match is never over after an opening: one that would end
    it is drawn again, and where that does not help a shorter one is played.
    """
    if not plies:
        return Opening(start, ())
    source = random.Random(f"arena opening {seed}")
    for length in range(plies, 0, -1):
        for _ in range(DRAWS):
            opening = _draw_once(start, length, source)
            if opening is not None:
                return opening
    return Opening(start, ())


def _draw_once(position: Position, length: int, source: random.Random) -> Opening | None:
    """One opening, or None when the match ended in it."""
    played: list[Ply] = []
    drawn, in_turn = 0, False
    while drawn < length or in_turn:
        seat, prompt = position.seat, position.prompt
        if seat is None or prompt is None:
            return None
        forced = position.automatic
        reply = forced or source.choice(position.available())
        played.append(Ply(seat, prompt, reply, by="automatic" if forced else "opening"))
        drawn += not forced
        before, position = position, position.apply(reply)
        in_turn = position.seat is seat and position.turns == before.turns
    return None if position.outcome else Opening(position, tuple(played))
