"""What goes into a referee and what comes out: the setup of a match, and the commands for the edge."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from arena.faults import Code
from arena.game import Seat
from arena.limits import Limits
from arena.record import Record


class Setup(NamedTuple):
    """All that decides a match before it begins; `Referee` raises KeyError or OptionError for a bad one."""

    game: str
    options: Mapping[str, str] = MappingProxyType({})
    seed: int = 0
    limits: Limits = Limits()
    bots: tuple[str, str] = ("P1", "P2")
    """Labels `name@version` of P1 and P2, for the record."""
    opening: int = 0
    """Random plies that the referee plays first; see `arena.openings`."""
    date: str = ""
    sandbox: str = "off"
    headers: tuple[tuple[str, str], ...] = ()


class Greet(NamedTuple):
    """Write to each seat its greeting, start one clock of `limit_ns`, and wait for lines of both."""

    data: tuple[bytes, bytes]
    limit_ns: int


class Ask(NamedTuple):
    """Write `data` to `seat`, then wait for its line.

    `fresh` starts the clock of a new turn; otherwise the clock that runs goes on. `limit_ns` counts from the
    start of that clock and has the margin in it.
    """

    seat: Seat
    data: bytes
    limit_ns: int
    fresh: bool


class Wait(NamedTuple):
    """Nothing to write: a remark was kept, or the other seat has not shaken hands yet. Go on listening."""


class Inquire(NamedTuple):
    """This seat has failed: call `evidence()` next, and give no further event of this seat."""

    seat: Seat
    code: Code


class Finish(NamedTuple):
    """The match is over. `last_words` are for P1 and P2; empty for a bot that can no longer hear."""

    record: Record
    last_words: tuple[bytes, bytes]


Command = Greet | Ask | Wait | Inquire | Finish
