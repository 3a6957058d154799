"""The referee of one match: a state machine that never reads a clock or a pipe.

The edge calls `begin()` once, then one method for each event, and carries out the command that comes back:

    command = referee.begin()                      # Greet
    while not isinstance(command, Finish):
        command = referee.line(seat, raw, wall_ns, cpu_ns)     # or timeout, closed, exited, overflow, early
        while isinstance(command, Inquire):        # a fault: say what was seen of that process
            command = referee.evidence(Evidence(...))

Times in events count from the start of the clock: of the greeting, or of the last `Ask` with `fresh`. A seat
is listened to only while it is asked, so what a bot does on its opponent's time never decides a match: lines
that are waiting when it is asked next are given to `early()` before that `Ask` is written.
"""

from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from arena import openings, wire
from arena.commands import Ask, Command, Finish, Greet, Inquire, Setup, Wait
from arena.faults import EARLY, Code, Evidence, Seen, explain
from arena.game import P1, P2, Game, Malformed, Position, ReplyError, Seat, Settings
from arena.games import load_game
from arena.limits import Clock, milliseconds
from arena.record import VOID, Ply, Record, Unanswered
from arena.side import Side

__all__ = [
    "EVENTS",
    "Ask",
    "Command",
    "Finish",
    "Greet",
    "Inquire",
    "ProtocolViolation",
    "Referee",
    "Setup",
    "State",
    "Wait",
]


class ProtocolViolation(RuntimeError):
    """The edge told the referee something that cannot have happened: our own bug, never a bot's."""


class State(Enum):
    """Where a match stands."""

    NEW = "new"
    GREETING = "greeting"
    TURN = "turn"
    INQUIRY = "inquiry"
    OVER = "over"


EVENTS: Mapping[State, frozenset[str]] = {
    State.NEW: frozenset({"begin", "void"}),
    State.GREETING: frozenset({"line", "timeout", "closed", "exited", "overflow", "void"}),
    State.TURN: frozenset({"line", "timeout", "closed", "exited", "overflow", "early", "void"}),
    State.INQUIRY: frozenset({"evidence", "void"}),
    State.OVER: frozenset(),
}
"""What may happen in each state; anything else raises ProtocolViolation."""


_NEW, _GREETING, _TURN, _INQUIRY, _OVER = State
"""For the lines below: in Python 3.11 reading a member off its class costs as much as a call."""
_PLAYED = {P1: "played P1 ", P2: "played P2 "}
_OTHER = {P1: P2, P2: P1}


class _Terms(NamedTuple):
    """What a game and its options come to; the same for all the matches of a tournament."""

    game: Game
    settings: Settings
    chosen: Settings
    turn_bound: int


@lru_cache(maxsize=64)
def _terms(game_id: str, options: tuple[tuple[str, str], ...]) -> _Terms:
    game = load_game(game_id)
    settings = game.settings(dict(options))
    return _Terms(game, settings, game.chosen(settings), game.turn_bound(settings))


@lru_cache(maxsize=64)
def _opening(game_id: str, options: tuple[tuple[str, str], ...], plies: int, seed: int) -> openings.Opening:
    """How a match begins; an encounter asks twice."""
    terms = _terms(game_id, options)
    return openings.draw(terms.game.build(terms.settings, seed), plies, seed)


class Referee:
    """One match. Methods are events, in the order that the module describes; properties are for onlookers."""

    def __init__(self, setup: Setup) -> None:
        options = tuple(setup.options.items())
        terms = _terms(setup.game, options)
        limits = setup.limits
        budget_ns = limits.clock.budget_ns if limits.clock else 0
        opening = _opening(setup.game, options, setup.opening, setup.seed)
        self._setup = setup
        self._limits = limits.text()
        self._terms = terms
        self._state = _NEW
        self._sides = {P1: Side(budget_ns), P2: Side(budget_ns)}
        self._position: Position = opening.position
        self._plies: list[Ply] = []
        for ply in opening.plies:
            self._note(ply)
        # The prompt that is open, and its turn: whose, which, and how much time its earlier plies have used.
        self._seat = P1
        self._prompt = wire.READY
        self._available: tuple[str, ...] = (wire.READY,)
        self._turn = -1
        self._limit_ns = limits.start_ns + limits.margin_ns
        self._used_wall_ns = self._used_cpu_ns = 0
        self._ask: Ask | None = None
        self._seen: Seen | None = None
        self._time_line = f"time {milliseconds(limits.turn_ns)}\n"

    @property
    def state(self) -> State:
        """Where the match stands."""
        return self._state

    @property
    def position(self) -> Position:
        """The position now."""
        return self._position

    @property
    def plies(self) -> tuple[Ply, ...]:
        """What has been played so far."""
        return tuple(self._plies)

    def listens_to(self, seat: Seat) -> bool:
        """Whether lines of this seat are wanted now: it is asked, or has yet to shake hands."""
        if self._state is _GREETING:
            return not self._sides[seat].settled
        return self._state is _TURN and seat is self._seat

    def begin(self) -> Greet:
        """Open the match."""
        self._expect("begin")
        self._state = _GREETING
        setup = self._setup
        for_p1, for_p2 = (
            wire.greeting(setup.game, self._terms.chosen, seat, self._limits, setup.seed) for seat in (P1, P2)
        )
        return Greet((for_p1, for_p2), self._limit_ns)

    # Events

    def line(self, seat: Seat, raw: bytes, wall_ns: int, cpu_ns: int) -> Command:
        """A complete line of a seat that is asked; `raw` is without its LF."""
        reply = raw.decode("latin-1")  # cannot fail, and what is not ASCII is not available
        if reply in self._available and wall_ns <= self._limit_ns:
            if self._state is _TURN and seat is self._seat:
                return self._play(reply, wall_ns, cpu_ns)
            if self._state is _GREETING and not self._sides[seat].settled:
                return self._settle(seat)
        return self._other_line(seat, raw, wall_ns, cpu_ns)

    def timeout(self, seat: Seat, wall_ns: int, cpu_ns: int) -> Command:
        """The clock has run out; in the handshake, for each seat that has not settled, P1 first."""
        self._expect("timeout", seat)
        return self._too_late(seat, None, wall_ns, cpu_ns)

    def closed(self, seat: Seat, wall_ns: int, cpu_ns: int) -> Command:
        """The seat's output is closed while its process lives."""
        self._expect("closed", seat)
        return self._fail(seat, Code.CLOSED_OUTPUT, wall_ns, cpu_ns)

    def exited(self, seat: Seat, status: str, wall_ns: int, cpu_ns: int) -> Command:
        """The seat's process is gone; `status` is `exit 1` or `signal SIGSEGV`."""
        self._expect("exited", seat)
        return self._fail(seat, Code.CRASH, wall_ns, cpu_ns, why=status)

    def overflow(self, seat: Seat, raw: bytes, wall_ns: int, cpu_ns: int) -> Command:
        """A line longer than the bound is coming in; `raw` is the beginning of it."""
        self._expect("overflow", seat)
        why = f"a line of more than {self._setup.limits.line_bytes} bytes"
        return self._fail(seat, Code.OUTPUT_LIMIT, wall_ns, cpu_ns, raw, why)

    def early(self, seat: Seat, raw: bytes) -> Command:
        """A complete line was waiting before the last `Ask`, which has not been written yet.

        The command that comes back takes the place of that `Ask`.
        """
        self._expect("early", seat)
        ask, side, wall_ns, cpu_ns = self._ask, self._sides[seat], self._used_wall_ns, self._used_cpu_ns
        assert ask is not None
        if self._is_flood(side):
            return self._flood(seat, raw, wall_ns, cpu_ns)
        if raw.startswith(b"#"):
            side.keep_remark(raw)
            return ask
        why = f"{EARLY}: one reply for each prompt"
        if side.strike(raw, Code.MALFORMED, why) >= self._setup.limits.strikes:
            side.news = side.told if ask.fresh else ""  # the bot never got to hear it
            return self._fail(seat, Code.MALFORMED, wall_ns, cpu_ns, raw, why)
        error = wire.error_line(Code.MALFORMED, why).encode("ascii")
        self._ask = ask._replace(data=error + ask.data)
        return self._ask

    def evidence(self, evidence: Evidence) -> Command:
        """What the edge has seen of the seat that failed; the answer to `Inquire`."""
        self._expect("evidence")
        seen = self._seen
        assert seen is not None
        self._sides[seen.seat].fault = explain(seen, evidence)
        if self._turn < 0:
            self._state = _GREETING
            return self._settle(seen.seat)
        return self._lost()

    def void(self, reason: str) -> Finish:
        """The match cannot go on through no fault of a bot: nobody wins, and it is played again."""
        self._expect("void")
        return self._finish(None, VOID, (("Void", reason),))

    def _expect(self, event: str, seat: Seat | None = None) -> None:
        """Raise ProtocolViolation unless the event can happen now, and to this seat."""
        if event not in EVENTS[self._state]:
            raise ProtocolViolation(f"{event!r} cannot happen in state {self._state.value!r}")
        if seat is None:
            return
        if not self.listens_to(seat):
            raise ProtocolViolation(f"{event!r} of {seat}, which is not asked")

    # The handshake

    def _settle(self, seat: Seat) -> Command:
        """Go on once both seats have settled: one that failed waits for the other, so no race decides."""
        side = self._sides[seat]
        side.settled, side.lines = True, 0
        sides = self._sides.values()
        if not all(side.settled for side in sides):
            return Wait()
        if any(side.fault or side.resigned for side in sides):
            return self._lost()
        self._state = _TURN
        return self._next_prompt(0, 0)

    # Lines that are no reply to the letter

    def _other_line(self, seat: Seat, raw: bytes, wall_ns: int, cpu_ns: int) -> Command:
        self._expect("line", seat)
        side = self._sides[seat]
        if wall_ns > self._limit_ns:
            return self._too_late(seat, raw, wall_ns, cpu_ns)
        if self._is_flood(side):
            return self._flood(seat, raw, wall_ns, cpu_ns)
        if len(raw) > self._setup.limits.line_bytes:
            return self.overflow(seat, raw, wall_ns, cpu_ns)
        if raw.startswith(b"#"):
            side.keep_remark(raw)
            return Wait()
        try:
            reply = self._read(raw)
        except wire.WireError as error:
            return self._refuse(seat, raw, Code.MALFORMED, str(error), wall_ns, cpu_ns)
        except ReplyError as error:
            return self._refuse(seat, raw, Code(error.verdict), str(error), wall_ns, cpu_ns)
        if reply == wire.RESIGN:
            return self._resign(seat, wall_ns, cpu_ns)
        if self._state is _GREETING:
            return self._settle(seat)
        return self._play(reply, wall_ns, cpu_ns)

    def _read(self, raw: bytes) -> str:
        """The canonical reply; raises WireError or ReplyError."""
        text = wire.decode(raw).strip()
        word = text.lower()
        if word == wire.RESIGN:
            return word
        if self._state is _GREETING:
            if word != wire.READY:
                raise Malformed("the handshake is answered with the word ready")
            return word
        if not text:
            raise Malformed("an empty line is not a reply")
        return self._position.parse(text)

    def _refuse(self, seat: Seat, raw: bytes, code: Code, why: str, wall_ns: int, cpu_ns: int) -> Command:
        """Say why and ask again on the same clock, unless this was the last strike."""
        if self._sides[seat].strike(raw, code, why) >= self._setup.limits.strikes:
            return self._fail(seat, code, wall_ns, cpu_ns, raw, why)
        text = wire.error_line(code, why) + wire.prompt_line(self._prompt, self._available)
        self._ask = Ask(seat, text.encode("ascii"), self._limit_ns, False)
        return self._ask

    def _too_late(self, seat: Seat, raw: bytes | None, wall_ns: int, cpu_ns: int) -> Command:
        code = Code.START_TIMEOUT if self._state is _GREETING else Code.TIMEOUT
        return self._fail(seat, code, wall_ns, cpu_ns, raw)

    def _is_flood(self, side: Side) -> bool:
        side.lines += 1
        return side.lines > self._setup.limits.lines_per_prompt

    def _flood(self, seat: Seat, raw: bytes, wall_ns: int, cpu_ns: int) -> Command:
        why = f"more than {self._setup.limits.lines_per_prompt} lines at one prompt"
        return self._fail(seat, Code.OUTPUT_LIMIT, wall_ns, cpu_ns, raw, why)

    # Replies and turns

    def _play(self, reply: str, wall_ns: int, cpu_ns: int) -> Command:
        """An available reply: write it down, change the position, ask for the next."""
        seat, prompt = self._seat, self._prompt
        side = self._sides[seat]
        wall_us = (wall_ns - self._used_wall_ns) // 1000
        cpu_us = (cpu_ns - self._used_cpu_ns) // 1000
        self._plies.append(Ply(seat, prompt, reply, wall_us, cpu_us, "bot", side.remarks, side.refused))
        side.lines, side.remarks, side.refused = 0, (), ()
        self._sides[_OTHER[seat]].news += f"{_PLAYED[seat]}{prompt} {reply}\n"
        self._position = self._position.apply(reply)
        return self._next_prompt(wall_ns, cpu_ns)

    def _next_prompt(self, wall_ns: int, cpu_ns: int) -> Command:
        """Ask whoever is to reply; the times are what the turn that is open has used."""
        position = self._position
        if position.automatic is not None:
            position = self._play_forced_plies()
        seat, prompt = position.seat, position.prompt
        if seat is None or prompt is None:
            outcome = position.outcome
            assert outcome is not None
            return self._finish(outcome.winner, outcome.reason)
        self._prompt, self._available = prompt, position.available()
        text = f"? {prompt} | {' | '.join(self._available)}\n"
        fresh = seat is not self._seat or position.turns != self._turn
        if fresh:
            text = self._begin_turn(seat, wall_ns) + text
            wall_ns = cpu_ns = 0
        self._used_wall_ns, self._used_cpu_ns = wall_ns, cpu_ns
        self._ask = ask = Ask(seat, text.encode("ascii"), self._limit_ns, fresh)
        return ask

    def _begin_turn(self, seat: Seat, wall_ns: int) -> str:
        """Close the turn that took `wall_ns` and open one of `seat`; what it is told before its prompt."""
        position, side, limits = self._position, self._sides[seat], self._setup.limits
        if limits.clock is not None:
            self._run_clock(limits.clock, wall_ns, side)
        else:
            self._limit_ns = limits.turn_ns + limits.margin_ns
        self._seat, self._turn = seat, position.turns
        state = position.state()
        state_line = f"state {wire.pairs_text(state.items())}\n" if state else ""
        side.told, side.news = side.news, ""
        return f"{side.told}board {position.board()}\n{state_line}{self._time_line}"

    def _run_clock(self, clock: Clock, wall_ns: int, side: Side) -> None:
        """Charge the turn that is over to its seat's budget, and set the limit of the next."""
        limits = self._setup.limits
        if self._turn >= 0:
            spent = self._sides[self._seat]
            spent.budget_ns = max(0, spent.budget_ns - wall_ns) + clock.increment_ns
        turn_ns = min(limits.turn_ns, side.budget_ns)
        self._limit_ns = turn_ns + limits.margin_ns
        self._time_line = f"time {milliseconds(turn_ns)} clock={milliseconds(side.budget_ns)}\n"

    def _play_forced_plies(self) -> Position:
        """Play what needs no prompt until somebody has a choice."""
        position = self._position
        while (forced := position.automatic) is not None:
            seat, prompt = position.seat, position.prompt
            assert seat is not None
            assert prompt is not None
            self._note(Ply(seat, prompt, forced, by="automatic"))
            position = position.apply(forced)
            if position.turns > self._terms.turn_bound:
                raise ProtocolViolation(f"{self._setup.game} went beyond {self._terms.turn_bound} turns")
        self._position = position
        return position

    def _note(self, ply: Ply) -> None:
        """Write down a ply that the referee played, and have both seats told."""
        self._plies.append(ply)
        for side in self._sides.values():
            side.news += f"{_PLAYED[ply.seat]}{ply.prompt} {ply.reply}\n"

    # Ends

    def _resign(self, seat: Seat, wall_ns: int, cpu_ns: int) -> Command:
        side = self._sides[seat]
        side.resigned = True
        side.unanswered = self._unanswered(seat, wall_ns, cpu_ns)
        return self._settle(seat) if self._state is _GREETING else self._lost()

    def _fail(
        self, seat: Seat, code: Code, wall_ns: int, cpu_ns: int, received: bytes | None = None, why: str = ""
    ) -> Inquire:
        """Note what was seen of a fault, and ask the edge for the rest."""
        side = self._sides[seat]
        side.unanswered = self._unanswered(seat, wall_ns, cpu_ns)
        self._seen = Seen(
            seat,
            code,
            self._prompt,
            self._available,
            wall_ns,
            cpu_ns,
            self._limit_ns,
            side.strikes,
            received,
            why,
            side.refused[0][0] if side.refused and side.refused[0] != side.refused[-1] else "",
        )
        self._state = _INQUIRY
        return Inquire(seat, code)

    def _unanswered(self, seat: Seat, wall_ns: int, cpu_ns: int) -> Unanswered:
        side = self._sides[seat]
        wall_us = max(0, wall_ns - self._used_wall_ns) // 1000
        cpu_us = max(0, cpu_ns - self._used_cpu_ns) // 1000
        return Unanswered(seat, self._prompt, wall_us, cpu_us, side.remarks, side.refused)

    def _lost(self) -> Finish:
        """A seat has failed or resigned. If both have, in the handshake, P1 loses; the record names both."""
        losers = [seat for seat, side in self._sides.items() if side.fault or side.resigned]
        reasons = [fault.code if (fault := self._sides[seat].fault) else wire.RESIGN for seat in losers]
        also = tuple(
            ("AlsoFailed", f"{seat} {why}") for seat, why in zip(losers[1:], reasons[1:], strict=True)
        )
        return self._finish(losers[0].other, reasons[0], also)

    def _finish(self, winner: Seat | None, reason: str, more: tuple[tuple[str, str], ...] = ()) -> Finish:
        self._state = _OVER
        setup = self._setup
        loser = self._sides[winner.other] if winner else None
        board = self._position.board()
        record = Record(
            game=setup.game,
            options=tuple(self._terms.chosen.items()),
            seed=setup.seed,
            bots=setup.bots,
            limits=self._limits,
            plies=tuple(self._plies),
            winner=winner,
            reason=reason,
            turns=self._position.turns,
            board=board,
            opening=setup.opening,
            date=setup.date,
            sandbox=setup.sandbox,
            fault=loser.fault if loser else None,
            headers=setup.headers + more,
            unanswered=loser.unanswered if loser else None,
        )
        end = f"board {board}\n{wire.end_line(winner or 'none', reason)}"
        for_p1, for_p2 = (side.last_words(end) for side in self._sides.values())
        return Finish(record, (for_p1, for_p2))
