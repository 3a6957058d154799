"""The judge: lines of a written match in, a verdict for each of them out. It knows no bot and no clock."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from arena.game import P1, P2, Game, Outcome, Position, ReplyError, Seat
from arena.wire import RESIGN, read_pairs

LINE_BYTES = 8192
"""A line longer than this is no reply. Remarks and headers in a record may be long, replies are not."""

QUOTED_CHARACTERS = 200
"""As much of a refused reply as its verdict repeats."""

_WRITTEN = re.compile(r"(P[12])\s*([>#!-])(.*)", re.IGNORECASE | re.DOTALL)
_HEADER = re.compile(r'\[\s*([A-Za-z][\w-]*)\s+"(.*)', re.DOTALL)
"""Open at its end: a header that quotes what a bot wrote may be longer than a line is read."""


class TranscriptError(ValueError):
    """The lines are not one written match of this game; the message is a sentence for the user."""


class Verdict(StrEnum):
    """What the judge says to a line."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    WRONG_SEAT = "wrong-seat"
    AFTER_END = "after-end"


class Ruled(NamedTuple):
    """A line with its verdict; the fields and their order are what `arena judge --json` prints."""

    line: int
    """Counted from 1, skipped lines included."""
    seat: Seat | None
    """Who spoke: as written, else who was to reply; None for a bare line after the end."""
    prompt: str | None
    reply: str
    """Canonical when legal, as written (but never long) otherwise."""
    verdict: Verdict
    reason: str | None
    """Why it was refused; None when legal."""


class Final(NamedTuple):
    """Where the match stands after the last line."""

    to_move: Seat | None
    prompt: str | None
    available: tuple[str, ...]
    winner: Seat | None
    reason: str | None
    board: str
    turns: int


class Header(NamedTuple):
    """A line `[Key "value"]` of a record."""

    key: str
    value: str


class Written(NamedTuple):
    """A line that is a reply: `P1> MOVE B1`, or bare."""

    seat: Seat | None
    text: str


def read_line(text: str) -> Header | Written | None:
    """Sort one line of a transcript or record; None for one that says nothing to the rules.

    Blank lines, `#` comments, remarks (`P1# …`), refused replies (`P1! …`) and a prompt that was never
    answered (`P1- …`) are None. From ` ;` on a reply is annotation.
    """
    text = text.strip()
    if not text or text.startswith("#"):
        return None
    header = _HEADER.fullmatch(text)
    if header:
        return Header(header[1].lower(), header[2].rstrip("] ").removesuffix('"'))
    written = _WRITTEN.fullmatch(text)
    if written is None:
        return Written(None, _without_annotation(text))
    if written[2] != ">":
        return None
    return Written(P1 if written[1] in {"P1", "p1"} else P2, _without_annotation(written[3]))


def _without_annotation(text: str) -> str:
    return (" " + text).partition(" ;")[0].strip()


class Judge:
    """Referees one written match, line by line; `rule()` for each raw line, then `final()`.

    Options and seed that are given here go before those in the headers of a record.
    """

    def __init__(self, game: Game, options: Mapping[str, str] | None = None, seed: int | None = None) -> None:
        self.game = game
        self._given = dict(options or {})
        self._given_seed = seed
        self._headers: dict[str, str] = {}
        self._position: Position | None = None
        self._resigned: Outcome | None = None
        self.lines = 0
        self.ruled = 0
        self.refused = 0

    @property
    def said_something(self) -> bool:
        """Whether there was a reply or a header at all."""
        return bool(self.ruled or self._headers)

    @property
    def claim(self) -> Outcome | None:
        """What the record itself says about its end: a forfeit or a resignation cannot be replayed."""
        winner = self._headers.get("winner")
        return Outcome(Seat(winner), self._headers.get("reason", "?")) if winner in {P1, P2} else None

    @property
    def seed(self) -> int:
        """The seed as given, else as the record says, else 0; TranscriptError when that is no number."""
        if self._given_seed is not None:
            return self._given_seed
        text = self._headers.get("seed", "0").strip()
        if not (text.isascii() and text.isdigit() and len(text) <= 20):
            raise TranscriptError(f"the seed in the record's header is not a number: {text[:40]!r}")
        return int(text)

    @property
    def options(self) -> dict[str, str]:
        """Options as the record's header has them, overridden by those that were given."""
        return read_pairs(self._headers.get("options", "")) | self._given

    @property
    def position(self) -> Position:
        """The position reached; OptionError or TranscriptError when the match cannot even start."""
        if self._position is None:
            self._position = self.game.start(self.options, self.seed)
        return self._position

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended, resignation included."""
        return self._resigned or self.position.outcome

    def rule(self, raw: bytes) -> Ruled | None:
        """The verdict for the next line; None for one that is no reply.

        A caller may cut a line anywhere after LINE_BYTES bytes and a line end. Raises TranscriptError for
        what is no text and for a record of another game, OptionError for options that cannot be played.
        """
        self.lines += 1
        if b"\0" in raw:
            raise TranscriptError(f"line {self.lines} is not text: it has a zero byte")
        line = read_line(raw[:LINE_BYTES].decode("utf-8-sig", "replace"))
        if line is None:
            return None
        if isinstance(line, Header):
            self._take(line)
            return None
        verdict = self._rule(line, too_long=len(raw.rstrip(b"\r\n")) > LINE_BYTES)
        self.ruled += 1
        self.refused += verdict.verdict is not Verdict.LEGAL
        return verdict

    def final(self) -> Final:
        """Where the match stands; a forced pass that nobody wrote down is played."""
        if self.outcome is None:
            self._play_automatic(None)
        outcome, position = self.outcome, self.position
        if outcome is None:
            return Final(
                position.seat,
                position.prompt,
                position.available(),
                None,
                None,
                position.board(),
                position.turns,
            )
        return Final(None, None, (), outcome.winner, outcome.reason, position.board(), position.turns)

    def _take(self, header: Header) -> None:
        if self._position is not None:
            if header.key == "game":
                raise TranscriptError(f"a second match begins in line {self.lines}: judge one at a time")
            return
        if header.key == "game" and header.value.strip().lower() != self.game.id:
            raise TranscriptError(
                f"this is a record of {header.value.strip()[:40]!r}, not of {self.game.id!r}"
            )
        self._headers[header.key] = header.value

    def _play_automatic(self, line: Written | None) -> Seat | None:
        """Play forced passes, but leave one that this line itself writes down; who passed last."""
        passed = None
        while (forced := self.position.automatic) is not None:
            seat = self.position.seat
            if line is not None and line.seat in {None, seat} and line.text.lower() == forced:
                break
            self._position = self.position.apply(forced)
            passed = seat
        return passed

    def _rule(self, line: Written, *, too_long: bool) -> Ruled:
        passed = None if self.outcome else self._play_automatic(line)
        quoted = _quoted(line.text)
        outcome, position = self.outcome, self.position
        if outcome is not None:
            reason = f"the match is over: {outcome.winner} won ({outcome.reason})"
            return Ruled(self.lines, line.seat, None, quoted, Verdict.AFTER_END, reason)
        seat, prompt = position.seat, position.prompt
        assert seat is not None
        if line.seat not in {None, seat}:
            why = f" ({passed} could not move and passed)" if passed else ""
            reason = f"it is {seat}'s turn, not {line.seat}'s{why}"
            return Ruled(self.lines, line.seat, prompt, quoted, Verdict.WRONG_SEAT, reason)
        if too_long:
            reason = f"the line is longer than {LINE_BYTES} bytes, and no reply is"
            return Ruled(self.lines, seat, prompt, quoted, Verdict.MALFORMED, reason)
        if line.text.lower() == RESIGN:
            self._resigned = Outcome(seat.other, RESIGN)
            return Ruled(self.lines, seat, prompt, RESIGN, Verdict.LEGAL, None)
        try:
            reply = position.parse(line.text)
        except ReplyError as error:
            return Ruled(self.lines, seat, prompt, quoted, Verdict(error.verdict), str(error))
        self._position = position.apply(reply)
        return Ruled(self.lines, seat, prompt, reply, Verdict.LEGAL, None)


def _quoted(text: str) -> str:
    return text if len(text) <= QUOTED_CHARACTERS else text[:QUOTED_CHARACTERS] + "…"


def ruled_data(ruled: Ruled) -> dict[str, Any]:
    """A verdict as JSON-ready data."""
    return ruled._asdict()


def final_data(final: Final) -> dict[str, Any]:
    """The end as JSON-ready data: told apart from the lines before it by its first key."""
    return {"final": True, **final._asdict()}
