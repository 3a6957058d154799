"""The game interface: all that the rest of the house knows about rules.

A game is one file in `arena/games/` with a module constant `GAME`. Positions are immutable values; nothing
here or there performs I/O.

Every bot written with the SDK imports this module when it starts, so its values are named tuples: dataclasses
would import `inspect` and take longer than the rest of a bot's start.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

Settings = Mapping[str, str]
"""Every option of a game with its value in canonical text."""


class Seat(StrEnum):
    """A side of the table; never the bot that happens to sit there."""

    P1 = "P1"
    P2 = "P2"

    @property
    def other(self) -> "Seat":
        """The seat across the table."""
        return P2 if self is P1 else P1


P1 = Seat.P1
P2 = Seat.P2


class Outcome(NamedTuple):
    """Who won, and the rule that ended the match (`arrival`, `capture`, …)."""

    winner: Seat
    reason: str


class ReplyError(ValueError):
    """A reply that cannot be played; the message is a sentence for the author of the bot."""

    verdict = "refused"


class Malformed(ReplyError):
    """The text is not in the notation of the prompt at all."""

    verdict = "malformed"


class Illegal(ReplyError):
    """The text is well formed, but the rules do not allow it here."""

    verdict = "illegal"


class OptionError(ValueError):
    """An unknown option, a bad value, or a combination that the rules cannot be played with."""


class Position(Protocol):
    """One immutable, hashable position of a game.

    `available()` lists canonical replies in a stable order and is empty exactly when `outcome` is set.
    `apply()` takes one of them; other text raises `Illegal` or `Malformed` as `parse()` does.
    """

    @property
    def seat(self) -> Seat | None:
        """Who is to reply; None when the match is over."""

    @property
    def prompt(self) -> str | None:
        """Name of what is asked (`move`, `lock`, `row`, …); None when the match is over."""

    @property
    def turns(self) -> int:
        """Turns completed so far; the one that ends the match counts."""

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended, or None while it goes on."""

    @property
    def automatic(self) -> str | None:
        """The reply the referee plays by itself, without a prompt (`pass`); nearly always None."""

    def available(self) -> tuple[str, ...]:
        """Every reply that can be played now, in canonical notation and stable order."""

    def parse(self, text: str) -> str:
        """Canonical form of a reply as typed by a player; raises Malformed or Illegal with the reason."""

    def apply(self, reply: str) -> "Position":
        """The position after an available canonical reply."""

    def board(self) -> str:
        """The board on one line: one character a cell, rows joined by `/`."""

    def state(self) -> Mapping[str, str]:
        """What a player may know and the board does not show, such as barriers in hand; often empty."""

    def diagram(self) -> str:
        """The board as text on several lines, in the style of the rule book."""

    def data(self) -> dict[str, Any]:
        """The board as JSON-ready data for a page to draw: see `board_data`."""


def board_data(position: Position, row_labels: list[str], column_labels: list[str]) -> dict[str, Any]:
    """The shape shared by every `Position.data()`: cells row by row, labels, and who is to reply."""
    outcome = position.outcome
    return {
        "cells": position.board().split("/"),
        "rows": row_labels,
        "columns": column_labels,
        "state": dict(position.state()),
        "seat": position.seat,
        "prompt": position.prompt,
        "turns": position.turns,
        "winner": outcome.winner if outcome else None,
        "reason": outcome.reason if outcome else None,
    }


class Option(NamedTuple):
    """A variant option `key=value`. `read` returns the canonical text or raises ValueError with a hint."""

    key: str
    default: str
    values: str
    meaning: str
    read: Callable[[str], str]


def choice(key: str, default: str, *others: str, meaning: str) -> Option:
    """An option with a few named values."""
    values = (default, *others)

    def read(text: str) -> str:
        if text.lower() not in values:
            raise ValueError(f"choose {' or '.join(values)}")
        return text.lower()

    return Option(key, default, "|".join(values), meaning, read)


def whole_number(key: str, default: str, low: int, high: int, *, off: bool = False, meaning: str) -> Option:
    """An option that is a whole number between two bounds, or `off` where that makes sense."""
    values = f"{low}..{high}" + (" or off" if off else "")

    def read(text: str) -> str:
        if off and text.lower() == "off":
            return "off"
        if not (text.isascii() and text.isdigit() and len(text) <= 9 and low <= int(text) <= high):
            raise ValueError(f"choose a whole number {values}")
        return str(int(text))

    return Option(key, default, values, meaning, read)


REPETITION = choice(
    "repetition",
    "forbidden",
    "allowed",
    meaning="whether a turn may bring back a board of this match (allowed needs a turn-limit)",
)
TURN_LIMIT = whole_number(
    "turn-limit",
    "off",
    1,
    1_000_000,
    off=True,
    meaning="adjudicate the match after this many turns",
)


def turn_limit(settings: Settings) -> int | None:
    """The turn limit of a match; None when it is off."""
    limit = settings["turn-limit"]
    return None if limit == "off" else int(limit)


def limited(bound: int, settings: Settings) -> int:
    """The most turns a match can have, when it has at most `bound` turns as long as no board comes back."""
    limit = turn_limit(settings)
    if limit is None:
        return bound
    return limit if settings["repetition"] == "allowed" else min(bound, limit)


class Ruling(NamedTuple):
    """How the arena reads a rule book where it is silent or contradicts itself; `id` never changes."""

    id: str
    text: str
    option: str | None = None


R_REPEAT = Ruling(
    "R-REPEAT",
    "A turn that would bring back any board of this match, the first one included, is not available. "
    "A player who could move but only to such boards loses (reason: repetition).",
    "repetition",
)
R_LIMIT = Ruling(
    "R-LIMIT",
    "An organiser may set a turn limit; a match that reaches it is adjudicated (reason: adjudicated).",
    "turn-limit",
)
R_SEATS = Ruling("R-SEATS", "P1 moves first; pairings are played from both seats on the same seed.")
R_RETRY = Ruling(
    "R-RETRY",
    "A refused reply is answered with the reason and asked again on the same clock, "
    "until the strikes are used up.",
)


class Prompt(NamedTuple):
    """One question of a game: its name, what is asked, and what a reply looks like."""

    name: str
    asks: str
    example: str


class Example(NamedTuple):
    """A short worked match for `arena rules`: options, seed and the lines as the judge reads them."""

    lines: tuple[str, ...]
    options: Settings = MappingProxyType({})
    seed: int = 0


class Game(NamedTuple):
    """A rule set, with all that a help page, the protocol and the report say about it."""

    id: str
    title: str
    goal: str
    notation: str
    prompts: tuple[Prompt, ...]
    symbols: Mapping[str, str]
    """What each character of `Position.board()` stands for."""
    options: tuple[Option, ...]
    rulings: tuple[Ruling, ...]
    example: Example
    turn_bound: Callable[[Settings], int]
    """No match under these settings has more turns than this."""
    build: Callable[[Settings, int], Position]
    """The first position for complete, canonical settings and a seed; `start` is what callers use."""
    check: Callable[[Settings], object] = lambda _: None
    """Raises OptionError for settings that are right one by one but do not fit each other."""
    play: str = ""
    """How it is played, for somebody who has never seen it: the first board and what a turn is."""

    def settings(self, given: Mapping[str, str] | None = None) -> dict[str, str]:
        """Complete the options with their defaults; raises OptionError with a sentence and a hint."""
        known = {option.key: option for option in self.options}
        for key in given or {}:
            if key not in known:
                import difflib

                close = difflib.get_close_matches(key, known, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(known) or 'none'}"
                raise OptionError(f"{self.id} has no option {key[:40]!a}; {hint}")
        settings = {}
        for key, option in known.items():
            value = (given or {}).get(key, option.default)
            try:
                settings[key] = option.read(value)
            except ValueError as error:
                raise OptionError(
                    f"option {key}={ascii(value[:40])[1:-1][:40]} of {self.id} is not valid: {error}"
                ) from None
        if settings.get("repetition") == "allowed" and settings.get("turn-limit") == "off":
            raise OptionError(
                "repetition=allowed can go on for ever: add a turn limit, for example turn-limit=200"
            )
        self.check(settings)
        return settings

    def chosen(self, settings: Settings) -> dict[str, str]:
        """Only the settings that differ from the defaults: what records and the protocol carry."""
        return {o.key: settings[o.key] for o in self.options if settings[o.key] != o.default}

    def start(self, given: Mapping[str, str] | None = None, seed: int = 0) -> Position:
        """The first position; raises OptionError for options that cannot be played."""
        return self.build(self.settings(given), seed)
