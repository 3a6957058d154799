"""The wire codec of protocol `arena 1`: bytes ↔ lines ↔ messages. No I/O; see `protocol/README.md`.

Both ends use it: the referee writes messages and reads replies, the SDK and the checker do the reverse. Text
is printable ASCII, LF ends a line, CRLF is accepted. Nothing here raises anything but `WireError`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

VERSION = 1
READY = "ready"
RESIGN = "resign"
BETWEEN = " | "

HELD_BYTES = 128 * 1024
"""A buffer never holds more than this: twice what one read of a full pipe can bring."""
SHOWN_CHARACTERS = 80
"""A stranger's line is quoted up to this length in sentences and records."""
SENTENCE_CHARACTERS = 300
"""A reason on an `error` line is cut here, so that the line stays a line."""


class WireError(ValueError):
    """Bytes or text that are not of this protocol."""


class LineTooLong(WireError):
    """No LF within the bound: this can never become a line."""


class LineBuffer:
    """Cuts a stream of bytes into lines, holding a bounded number of bytes.

    Feed it what was read, then take lines until `line()` gives None. A line is one when its LF is there.
    """

    __slots__ = ("_line_bytes", "held")

    def __init__(self, line_bytes: int = 1024) -> None:
        self._line_bytes = line_bytes
        self.held = b""
        """What has come and was not taken yet."""

    def feed(self, data: bytes) -> None:
        """Add bytes; raises LineTooLong when more would be held than `HELD_BYTES`."""
        held = self.held + data if self.held else data
        if len(held) > HELD_BYTES:
            raise LineTooLong(f"more than {HELD_BYTES} bytes are waiting to be read")
        self.held = held

    def take(self, data: bytes) -> bytes | None:
        """`feed` and `line` in one; for the usual case, one whole line where none is held, at less cost."""
        if not self.held and data.find(b"\n") == len(data) - 1 <= self._line_bytes:
            return data[:-1]
        self.feed(data)
        return self.line()

    def line(self) -> bytes | None:
        """The next complete line without its LF, or None; raises LineTooLong, and then goes on doing so."""
        held = self.held
        end = held.find(b"\n")
        if (end if end >= 0 else len(held)) > self._line_bytes:
            raise LineTooLong(f"a line is longer than {self._line_bytes} bytes")
        if end < 0:
            return None
        self.held = held[end + 1 :]
        return held[:end]

    @property
    def partial(self) -> bytes:
        """What has come since the last LF, for a diagnosis."""
        return self.held[self.held.rfind(b"\n") + 1 :]

    @property
    def beginning(self) -> bytes:
        """The beginning of what is held, for a diagnosis of a line that is too long."""
        return self.held[: self._line_bytes]

    def holds_other_than(self, word: str) -> bool:
        """Whether a complete line is waiting that is neither a remark nor this word."""
        if self.held == f"{word}\n".encode():  # so it is nearly always
            return False
        *lines, _ = self.held.split(b"\n")
        return any(not raw.startswith(b"#") and raw.strip().lower() != word.encode() for raw in lines)

    def clear(self) -> None:
        """Drop everything held."""
        self.held = b""


def decode(raw: bytes) -> str:
    """The text of a line without its line end; raises WireError for anything but printable ASCII and tabs."""
    text = raw.removesuffix(b"\n").removesuffix(b"\r").decode("latin-1").replace("\t", " ")
    if not (text.isascii() and text.isprintable()):
        raise WireError("a line holds bytes that are not printable ASCII text")
    return text


def shown(raw: bytes, characters: int = SHOWN_CHARACTERS) -> str:
    r"""A line as people are shown it: printable ASCII, other bytes as `\xNN`, cut at `characters`."""
    more = "..." if len(raw) > characters else ""
    return "".join(chr(b) if 32 <= b < 127 else f"\\x{b:02x}" for b in raw[:characters]) + more


def plain(sentence: str) -> str:
    """A sentence fit for a line: one line of printable ASCII, never long."""
    return shown(" ".join(sentence.split()).encode("ascii", "backslashreplace"), SENTENCE_CHARACTERS)


# What the referee says


def pairs_text(pairs: Iterable[tuple[str, str]]) -> str:
    """`key=value` pairs joined by blanks."""
    return " ".join([f"{key}={value}" for key, value in pairs])


def read_pairs(text: str) -> dict[str, str]:
    """The reverse of `pairs_text`; words without `=` are ignored, as unknown words are everywhere."""
    words = (word.partition("=") for word in text.split())
    return {key: value for key, parted, value in words if parted}


def prompt_line(name: str, available: Iterable[str]) -> str:
    """`? move | 0 1 | 1 0`."""
    return f"? {name} | {BETWEEN.join(available)}\n"


READY_PROMPT = prompt_line(READY, (READY,))


def greeting(game: str, options: Mapping[str, str], seat: str, limits: str, seed: int) -> bytes:
    """All that is said before the first reply, the handshake's prompt included."""
    game_line = f"game {game} {pairs_text(options.items())}".rstrip()
    text = f"arena {VERSION}\n{game_line}\nseat {seat}\nlimits {limits}\nseed {seed}\n{READY_PROMPT}"
    return text.encode("ascii")


def error_line(code: str, sentence: str) -> str:
    """`error illegal 0 5 is off the board`."""
    return f"error {code} {plain(sentence)}\n"


def end_line(winner: str, reason: str) -> str:
    """`end P1 arrival`; the winner is `none` when the match is void."""
    return f"end {winner} {reason}\n"


# What a bot hears


class Hello(NamedTuple):
    """`arena 1`: a match begins, in this version of the protocol."""

    version: int


class NewGame(NamedTuple):
    """`game ID key=value …`: only options that differ from the game's defaults are named."""

    game: str
    options: dict[str, str]


class YourSeat(NamedTuple):
    """`seat P1`."""

    seat: str


class YourLimits(NamedTuple):
    """`limits start=10000 turn=1000 strikes=3`; also `clock` and `increment` when there is a match budget."""

    values: dict[str, str]


class Seed(NamedTuple):
    """`seed 8134`: for a bot that wants to be random and repeatable."""

    seed: int


class Played(NamedTuple):
    """`played P2 move 8 9`: a ply since your last turn."""

    seat: str
    prompt: str
    reply: str


class BoardNow(NamedTuple):
    """`board …`: the whole board on one line."""

    board: str


class StateNow(NamedTuple):
    """`state key=value …`: what the board does not show."""

    values: dict[str, str]


class TimeLeft(NamedTuple):
    """`time 1000`: milliseconds for this turn; `clock=…` is what is left of the match budget."""

    turn_ms: int
    values: dict[str, str]


class Refused(NamedTuple):
    """`error illegal …`: the last reply was not played; the same prompt follows."""

    code: str
    sentence: str


class Prompt(NamedTuple):
    """`? move | 0 1 | 1 0`: reply with one line."""

    name: str
    available: tuple[str, ...]


class End(NamedTuple):
    """`end P1 arrival`: the match is over."""

    winner: str
    reason: str


class Unknown(NamedTuple):
    """A line this version does not know; bots ignore it."""

    text: str


Message = (
    Hello
    | NewGame
    | YourSeat
    | YourLimits
    | Seed
    | Played
    | BoardNow
    | StateNow
    | TimeLeft
    | Refused
    | Prompt
    | End
    | Unknown
)


def _played(rest: str) -> Played:
    seat, prompt, reply = rest.split(" ", 2)
    return Played(seat, prompt, reply)


def _new_game(rest: str) -> NewGame:
    game, _, options = rest.partition(" ")
    return NewGame(game, read_pairs(options))


def _time(rest: str) -> TimeLeft:
    turn, _, values = rest.partition(" ")
    return TimeLeft(int(turn), read_pairs(values))


def _refused(rest: str) -> Refused:
    code, _, sentence = rest.partition(" ")
    return Refused(code, sentence)


def _prompt(rest: str) -> Prompt:
    name, *available = rest.split(BETWEEN)
    return Prompt(name, tuple(available))


def _end(rest: str) -> End:
    winner, reason, *_ = rest.split(" ")
    return End(winner, reason)


_READERS: dict[str, Callable[[str], Message]] = {
    "?": _prompt,
    "arena": lambda rest: Hello(int(rest.split(" ", 1)[0])),
    "game": _new_game,
    "seat": lambda rest: YourSeat(rest.split(" ", 1)[0]),
    "limits": lambda rest: YourLimits(read_pairs(rest)),
    "seed": lambda rest: Seed(int(rest.split(" ", 1)[0])),
    "played": _played,
    "board": lambda rest: BoardNow(rest.split(" ", 1)[0]),
    "state": lambda rest: StateNow(read_pairs(rest)),
    "time": _time,
    "error": _refused,
    "end": _end,
}


def is_known(text: str) -> bool:
    """Whether a line begins with a word that the referee says."""
    return text.partition(" ")[0] in _READERS


def read_message(text: str) -> Message:
    """The message on one line without its line end; raises WireError for a known word with a broken rest."""
    word, _, rest = text.partition(" ")
    reader = _READERS.get(word)
    if reader is None:
        return Unknown(text)
    try:
        return reader(rest)
    except ValueError:
        raise WireError(f"a {word!r} line that cannot be read: {text[:SHOWN_CHARACTERS]!r}") from None
