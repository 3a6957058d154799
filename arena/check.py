"""The conformance check: whether a bot keeps to the protocol, whatever a referee may rightly do to it.

Each finding says in one sentence what was seen and in another what to do. The bot plays real matches as a
real process against an opponent that picks replies at random; what differs between the checks is where a
match begins and how the referee's lines look.
"""

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from arena import openings
from arena.bot import Bot
from arena.game import P1, P2, Seat
from arena.games import load_game
from arena.limits import Limits
from arena.match import Table, VoidMatch
from arena.process import BotProcess
from arena.record import Fault, Ply, Record
from arena.referee import Setup
from arena.sandbox import Basic, Sandbox
from arena.wire import RESIGN

ANNOUNCED_NS = 50 * 10**6
"""The turn limit that the bot is told, so that one which uses all its time does not take minutes to check.
What is enforced is the limit the user asked for."""
SLOW_SHARE = 0.5
"""A bot whose slowest replies take more than this share of the limit may lose on time on a busy machine."""
PLIES_LEFT = 3
"""So many plies before the end of a typical random match is near the end."""
QUIET_BYTES = 64 * 1024
TRIES = 60
"""Openings that are drawn in search of a position with one reply."""

_OPPONENT_CODE = """
import random, sys
source = random.Random(1)
for line in sys.stdin:
    if line.startswith("?"):
        print(source.choice(line.rstrip().split(" | ")[1:]), flush=True)
"""
_OPPONENT = Bot("random", "0" * 12, (sys.executable, "-S", "-c", _OPPONENT_CODE), Path("/"))


class Verdict(StrEnum):
    """`note` is worth reading and no failure."""

    PASS = "pass"  # noqa: S105 - no password
    NOTE = "note"
    FAIL = "fail"


class Finding(NamedTuple):
    """One row of the table. `advice` is empty when there is nothing to do."""

    name: str
    verdict: Verdict
    seen: str
    advice: str = ""


Alter = Callable[[bytes], bytes]


def unknown_lines(data: bytes) -> bytes:
    """The same with lines and keys that this version of the protocol does not have."""
    out = []
    for line in data.splitlines(keepends=True):
        out.append(b"weather sunny wind=3\n")
        out.append(line.replace(b"\n", b" future=1\n") if line.startswith((b"limits ", b"time ")) else line)
    return b"".join(out)


def carriage_returns(data: bytes) -> bytes:
    """The same with CRLF at the end of each line."""
    return data.replace(b"\n", b"\r\n")


class _AlteredProcess(BotProcess):
    """A bot that gets the referee's lines in another guise."""

    alter: Alter = staticmethod(lambda data: data)

    def send(self, data: bytes) -> None:
        super().send(self.alter(data))

    def send_pending(self) -> None:
        data, self.pending = self.pending, b""
        super().send(data)


class _CheckTable(Table):
    """A table at which one bot hears altered lines."""

    def __init__(self, sandbox: Sandbox, bot: Bot, alter: Alter | None = None) -> None:
        super().__init__(sandbox)
        self._bot = bot
        self._alter = alter
        self.starts = 0
        """How often the bot was started."""

    def start(self, bot: Bot, limits: Limits) -> BotProcess:
        """Count the starts of the bot that is checked, and alter what it hears."""
        if bot is not self._bot:
            # The opponent is ours: a sandbox that hides our interpreter from strangers must not stop it.
            return BotProcess(Basic().prepare(bot), stderr_kept=limits.stderr_bytes)
        self.starts += 1
        if self._alter is None:
            return super().start(bot, limits)
        process = _AlteredProcess(self.sandbox.prepare(bot), stderr_kept=limits.stderr_bytes)
        process.alter = self._alter
        return process


@dataclass
class Check:
    """One run of the check over some games."""

    bot: Bot
    games: Sequence[str]
    sandbox: Sandbox
    turn_ns: int = 10**9
    start_ns: int = 10 * 10**9
    _records: list[tuple[Seat, Record]] = field(default_factory=list)
    """Every match so far, and the seat of the bot in it."""
    _noisiest: int = 0
    """Bytes on stderr in one match."""

    def findings(self) -> Iterator[Finding]:
        """Every check, the fundamental ones first; ends early when nothing works. Raises VoidMatch."""
        with _CheckTable(self.sandbox, self.bot) as table:
            start = self._start(table)
            yield start
            if start.verdict is Verdict.FAIL:
                return
            playing = []
            for game in self.games:
                whole = self._whole_matches(table, game)
                yield whole
                if whole.verdict is Verdict.PASS:
                    playing.append(game)
            if playing:
                yield from self._finer_points(table, playing)
        yield self._legal_replies()
        yield self._speed()
        yield self._noise()

    def _finer_points(self, table: _CheckTable, playing: list[str]) -> Iterator[Finding]:
        """What is worth asking of the games that it can play."""
        yield self._second_match(table, playing[0])
        for game in playing:
            yield self._near_the_end(table, game)
        yield self._single_reply(table, playing)
        ignore = "ignore lines and keys that you do not know"
        yield self._altered(playing[0], "unknown words", unknown_lines, ignore)
        strip = "strip \\r as well as \\n from what you read"
        yield self._altered(playing[0], "CRLF", carriage_returns, strip)

    def _play(self, table: Table, seat: Seat, game: str, seed: int = 1, opening: int = 0) -> Record:
        """One match with the bot on `seat`; it is told a short limit and given the long one.

        Raises VoidMatch when the opponent fails: a match that it loses so proves nothing about the bot.
        """
        limits = Limits(
            start_ns=self.start_ns,
            turn_ns=min(ANNOUNCED_NS, self.turn_ns),
            margin_ns=max(0, self.turn_ns - ANNOUNCED_NS) + Limits().margin_ns,
        )
        bots = (self.bot, _OPPONENT) if seat is P1 else (_OPPONENT, self.bot)
        played = table.play(Setup(game, seed=seed, opening=opening, limits=limits), *bots)
        self._noisiest = max(self._noisiest, played.stderr_bytes[0 if seat is P1 else 1])
        fault = played.record.fault
        if fault is not None and fault.seat is not seat:
            raise VoidMatch(f"the opponent that the arena brings along failed: {fault.sentence}")
        self._records.append((seat, played.record))
        return played.record

    def _start(self, table: Table) -> Finding:
        """The handshake alone, seen in a first match: what comes after it is another row's business."""
        record = self._play(table, P1, self.games[0])
        fault = _own_fault(P1, record)
        if fault is None or record.plies or (record.unanswered and record.unanswered.prompt != "ready"):
            return Finding("starts and flushes", Verdict.PASS, "it started and answered `ready`")
        return _failed(
            "starts and flushes", fault, "answer the prompt `? ready | ready` with `ready`, and flush"
        )

    def _several(self, name: str, records: Iterator[tuple[Seat, Record]], seen: str, advice: str) -> Finding:
        """One row for some matches: the first fault of the bot, or all is well."""
        for seat, record in records:
            fault = _own_fault(seat, record)
            if fault is not None:
                return _failed(f"{name} as {seat}", fault, advice)
            if record.reason == RESIGN and record.winner is not seat and not _replies(seat, record):
                return Finding(f"{name} as {seat}", Verdict.FAIL, "it resigned without a reply", advice)
        return Finding(name, Verdict.PASS, seen)

    def _whole_matches(self, table: Table, game: str) -> Finding:
        records = ((seat, self._play(table, seat, game, seed=2)) for seat in (P1, P2))
        advice = (
            f"'arena rules {game}' explains the game; replies that can be played are listed in each prompt"
        )
        return self._several(f"plays {game}", records, "whole matches from both seats", advice)

    def _second_match(self, table: _CheckTable, game: str) -> Finding:
        """By now the table has offered the same process several matches."""
        before = table.starts
        records = ((P1, self._play(table, P1, game, seed=seed)) for seed in (3, 4))
        advice = "after `end`, either wait for the next `arena` line and forget the last match, or exit"
        found = self._several("next match", records, "it played on in the same process", advice)
        if found.verdict is Verdict.PASS and table.starts > before:
            return found._replace(seen="it does not stay for the next match and is started afresh")
        return found

    def _near_the_end(self, table: Table, game: str) -> Finding:
        records = (
            (seat, self._play(table, seat, game, seed=seed, opening=_long_opening(game)))
            for seat in (P1, P2)
            for seed in (5, 6)
        )
        advice = "a match may begin with plies that the referee has played: read `board` and `played` lines"
        return self._several(f"{game}: few plies left", records, "right up to the end", advice)

    def _single_reply(self, table: Table, playing: list[str]) -> Finding:
        name = "one reply left"
        found = [(game, choice) for game in playing if (choice := _forced_choice(game)) is not None]
        if not found:
            return Finding(name, Verdict.NOTE, "no such position was found in these games")
        records = (
            (seat, self._play(table, seat, game, seed, opening)) for game, (seat, seed, opening) in found
        )
        advice = "a prompt may list a single reply: `? move | 3 3`"
        return self._several(name, records, f"played it ({', '.join(game for game, _ in found)})", advice)

    def _altered(self, game: str, name: str, alter: Alter, advice: str) -> Finding:
        with _CheckTable(self.sandbox, self.bot, alter) as table:
            records = ((seat, self._play(table, seat, game, seed=7)) for seat in (P1, P2))
            return self._several(name, records, "took no notice", advice)

    def _legal_replies(self) -> Finding:
        refused = [
            (record.game, text, reason)
            for seat, record in self._records
            for ply in (*record.plies, record.unanswered)
            if ply is not None and ply.seat is seat
            for text, _, reason in ply.refused
        ]
        if not refused:
            return Finding("replies", Verdict.PASS, "none was refused")
        game, text, reason = refused[0]
        seen = f"{len(refused)} were refused; the first, in {game}: `{text}`: {reason}"
        return Finding("replies", Verdict.FAIL, seen, "send one of the listed replies, once for each prompt")

    def _speed(self) -> Finding:
        taken = sorted(ply.wall_us for seat, record in self._records for ply in _replies(seat, record))
        if not taken:
            return Finding("speed", Verdict.NOTE, "there was nothing to measure")
        p50, p99 = (taken[int(share * (len(taken) - 1))] / 1000 for share in (0.5, 0.99))
        limit_ms = self.turn_ns / 1e6
        seen = f"p50 {p50:.2f} ms, p99 {p99:.2f} ms, limit {limit_ms:.0f} ms, over {len(taken)} replies"
        if p99 < SLOW_SHARE * limit_ms:
            return Finding("speed", Verdict.PASS, seen)
        return Finding("speed", Verdict.FAIL, seen, "reply sooner: obey the `time` line, and leave a margin")

    def _noise(self) -> Finding:
        """What it writes to stderr is never wrong, but slow when it is much."""
        seen = f"at most {self._noisiest} bytes in a match"
        if self._noisiest <= QUIET_BYTES:
            return Finding("stderr", Verdict.PASS, seen)
        return Finding("stderr", Verdict.NOTE, seen, "that is allowed; writing costs your own time")


def problems(findings: Iterator[Finding]) -> list[str]:
    """What failed, one sentence each."""
    return [f"{f.name}: {f.seen}; {f.advice}" for f in findings if f.verdict is Verdict.FAIL]


def _own_fault(seat: Seat, record: Record) -> Fault | None:
    return record.fault if record.fault is not None and record.fault.seat is seat else None


def _replies(seat: Seat, record: Record) -> list[Ply]:
    """The plies that the bot on this seat played itself."""
    return [ply for ply in record.plies if ply.seat is seat and ply.by == "bot"]


def _failed(name: str, fault: Fault, advice: str) -> Finding:
    return Finding(name, Verdict.FAIL, fault.sentence, advice)


def _forced_choice(game: str) -> tuple[Seat, int, int] | None:
    """Seat, seed and opening of a position in which that seat has one reply."""
    rules = load_game(game)
    longest = _long_opening(game)
    for seed in range(TRIES):
        opening = longest - seed % min(longest, 8)
        position = openings.draw(rules.start({}, seed), opening, seed).position
        if position.seat is not None and position.automatic is None and len(position.available()) == 1:
            return position.seat, seed, opening
    return None


@lru_cache(maxsize=32)
def _long_opening(game: str) -> int:
    """Plies that lead nearly to the end of a random match of middling length."""
    source = random.Random(f"arena check {game}")
    lengths = []
    for seed in range(9):
        position, plies = load_game(game).start({}, seed), 0
        while position.outcome is None:
            plies += position.automatic is None
            position = position.apply(position.automatic or source.choice(position.available()))
        lengths.append(plies)
    return max(1, sorted(lengths)[len(lengths) // 2] - PLIES_LEFT)
