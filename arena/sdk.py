"""What a bot written in Python imports: it reads the protocol and asks you for a reply.

    from arena import sdk

    def choose(match):
        return match.random.choice(match.available)

    sdk.run(choose)

`choose` is called once for each prompt. Everything is on the `Match` it is given; see `protocol/sdk.md`.

A bot is started over and over, so this module imports next to nothing: the rules are loaded when you first
ask for `match.position`, random numbers with `match.random`. It reads the few words of the protocol by itself
for the same reason, and the tests hold it against `arena.wire`.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # as in `typing`, which would take longer to import than all the rest
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TextIO

    from arena.game import Position, Seat

    Choose = Callable[["Match"], str]
    Prepare = Callable[["Match"], None]

FIXED_MARGIN = 0.020
"""Seconds kept back from every turn: a busy machine may wake a process this late."""
MARGIN_SHARE = 0.1
LARGEST_MARGIN = 0.1
REMARK_CHARACTERS = 200


class ProtocolError(RuntimeError):
    """What the referee said does not fit together; the bot stops and stderr says why."""


class TimeLeft:
    """How long you may still think in this turn, with a margin kept back for the machine.

    True while there is time, so `while match.time_left:` is a loop that ends in time.
    `match.time_left.seconds` is how much there is; it never falls below 0.
    """

    __slots__ = ("deadline",)

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        """On the clock of `time.monotonic()`."""

    @classmethod
    def of_turn(cls, seconds: float) -> TimeLeft:
        """For a turn that began just now."""
        margin = min(FIXED_MARGIN + MARGIN_SHARE * seconds, LARGEST_MARGIN, seconds / 2)
        return cls(time.monotonic() + seconds - margin)

    @property
    def seconds(self) -> float:
        """Seconds until the deadline, or 0.0."""
        return max(0.0, self.deadline - time.monotonic())

    def at_most(self, seconds: float) -> TimeLeft:
        """The same deadline, or one this many seconds from now if that is sooner."""
        return TimeLeft(min(self.deadline, time.monotonic() + seconds))

    def __bool__(self) -> bool:
        return time.monotonic() < self.deadline

    def __float__(self) -> float:
        return self.seconds

    def __repr__(self) -> str:
        return f"<{self.seconds * 1000:.0f} ms left>"


class Match:
    """One match as your bot sees it. Keep anything of your own in `memory`; it is gone with the match."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self.game = ""
        """Id of the game, such as `gridlock`."""
        self.options: Mapping[str, str] = {}
        """Options that differ from the game's defaults."""
        self.limits: Mapping[str, str] = {}
        """`start` and `turn` in milliseconds, `strikes`; `clock` and `increment` when they are in force."""
        self.seed = 0
        """The seed of the match: the same for both bots."""
        self.prompt = ""
        """What is asked now: `move`, `lock`, …"""
        self.available: tuple[str, ...] = ()
        """Every reply that can be played now."""
        self.board = ""
        """The board at the beginning of your turn, on one line."""
        self.state: Mapping[str, str] = {}
        """What the board does not show, at the beginning of your turn."""
        self.time_left = TimeLeft(0.0)
        self.clock: Mapping[str, str] = {}
        """What else the `time` line says: `clock` is what is left of a match budget, in milliseconds."""
        self.refused: str | None = None
        """Why your last reply was turned down, when the same prompt is asked again; otherwise None."""
        self.played: list[tuple[str, str, str]] = []
        """All plies so far: seat, prompt and reply."""
        self.memory: dict[str, Any] = {}
        self._seat = "P1"
        self._random: random.Random | None = None
        self._position: Position | None = None
        self._applied = 0
        self._sent: tuple[str, str, str] | None = None

    @property
    def seat(self) -> Seat:
        """Your seat; P1 moves first."""
        from arena.game import Seat

        return Seat(self._seat)

    @property
    def random(self) -> random.Random:
        """Random numbers that are the same for the same seed and seat."""
        if self._random is None:
            from random import Random

            self._random = Random(f"{self.seed} {self._seat}")
        return self._random

    @property
    def position(self) -> Position:
        """The position as the rules in `arena.games` see it, for search; kept up from ply to ply."""
        position = self._position
        if position is None:
            from arena.games import load_game

            position = load_game(self.game).start(self.options, self.seed)
        for _, _, reply in self.played[self._applied :]:
            if position.automatic not in (None, reply):
                position = position.apply(str(position.automatic))
            position = position.apply(reply)
        if self.prompt and position.automatic:
            position = position.apply(position.automatic)
        self._applied = len(self.played)
        self._position = position
        if self.prompt and position.available() != self.available:
            asked, known = " | ".join(self.available), " | ".join(position.available())
            raise ProtocolError(f"lost track of the match: the referee offers {asked}, the rules say {known}")
        return position

    def remark(self, text: str) -> None:
        """Write a remark that the record and the replay show with your next reply, such as an evaluation."""
        line = " ".join(text.split())[:REMARK_CHARACTERS].encode("ascii", "backslashreplace").decode("ascii")
        self._say(f"# {line}")

    # What the referee says; for `run` only -----------------------------------------------------------------

    def hear(self, word: str, rest: str) -> None:
        """Take in one line that is not a prompt; ValueError for one that cannot be read."""
        if word == "played":
            seat, prompt, reply = rest.split(" ", 2)
            self._settle(told=seat == self._seat)
            self.played.append((seat, prompt, reply))
        elif word == "board":
            self.board = rest
        elif word == "state":
            self.state = _pairs(rest)
        elif word == "time":
            self.time_left = TimeLeft.of_turn(int(rest.partition(" ")[0]) / 1000)
            self.clock = _pairs(rest)
        elif word == "error":
            self.refused, self._sent = rest, None
        elif word == "game":
            self.game, self.options = rest.partition(" ")[0], _pairs(rest)
        elif word == "seat":
            self._seat = rest
        elif word == "limits":
            self.limits = _pairs(rest)
        elif word == "seed":
            self.seed = int(rest)

    def ask(self, prompt: str, available: Iterable[str]) -> None:
        """A prompt has come: the last reply was accepted, unless an error came before this."""
        self._settle()
        self.prompt, self.available = prompt, tuple(available)

    def reply(self, text: str) -> None:
        """Send the reply; it counts as played as soon as the referee goes on."""
        self._sent = (self._seat, self.prompt, self._canonical(text))
        self.refused = None
        self._say(text)

    def _settle(self, told: bool = False) -> None:
        """Count the reply that is under way as played, unless the referee tells it by itself."""
        if self._sent and not told:
            self.played.append(self._sent)
        self._sent = None

    def _canonical(self, text: str) -> str:
        """The reply as the referee will write it; a refused one is forgotten when the error arrives."""
        if text in self.available:
            return text
        try:
            return self.position.parse(text)
        except ValueError:
            return text


def run(choose: Choose, prepare: Prepare | None = None) -> None:
    """Play matches until the referee closes the connection; call this at the end of your bot.

    `prepare`, if given, is called once a match, before the clock of the first turn starts: load tables there.
    While this runs, `print` goes to stderr, so that no stray line is taken for a reply. An exception in your
    code ends the process with its traceback on stderr.
    """
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        play(choose, prepare, sys.stdin, out)
    except BrokenPipeError:  # the referee has gone; there is nobody left to tell
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), out.fileno()
        )  # else Python complains when it flushes at exit
    finally:
        sys.stdout = out


def play(choose: Choose, prepare: Prepare | None, lines: Iterable[str], out: TextIO) -> None:
    """As `run`, with the two ends of the connection given."""

    def say(text: str) -> None:
        out.write(f"{text}\n")
        out.flush()

    match = Match(say)
    for line in lines:
        word, _, rest = line.rstrip("\r\n").partition(" ")
        if word == "?":
            prompt, *available = rest.split(" | ")
            if prompt == "ready":
                if prepare is not None:
                    prepare(match)
                say("ready")
            else:
                match.ask(prompt, available)
                match.reply(_one_line(choose(match)))
        elif word == "arena":
            match = Match(say)
        else:
            try:
                match.hear(word, rest)
            except ValueError as error:
                raise ProtocolError(f"cannot read the line {line!r}: {error}") from None


def setting(name: str, default: float) -> float:
    """A number that `[environment]` in `bot.toml` sets; the default if it is not set or not a number."""
    try:
        return float(os.environ[name])
    except (KeyError, ValueError):
        return default


def _pairs(text: str) -> dict[str, str]:
    """The `key=value` words of a line; other words are ignored."""
    return {key: value for key, found, value in (word.partition("=") for word in text.split()) if found}


def _one_line(reply: object) -> str:
    """The reply as a line; anything but a line of text is the author's mistake, and is named as one."""
    if not isinstance(reply, str) or "\n" in reply or not reply.strip():
        raise TypeError(f"choose() must return one line of text such as match.available[0], not {reply!r}")
    return reply.strip()
