"""The referee as a state machine: scripted events in, commands out; no process and no clock anywhere."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import openings, record
from arena.faults import Code, Evidence
from arena.game import P1, P2, OptionError, Seat
from arena.games import game_ids, load_game
from arena.limits import Clock, Limits
from arena.record import Ply, Record, Unanswered
from arena.referee import (
    EVENTS,
    Ask,
    Command,
    Finish,
    Greet,
    Inquire,
    ProtocolViolation,
    Referee,
    Setup,
    State,
    Wait,
)
from arena.side import REMARK_CHARACTERS, REMARKS_PER_PLY

MS = 10**6
SMALL = {"size": "3"}
"""Blockade on nine cells: P1 wins at once with the middle."""


def opened(**setup: Any) -> tuple[Referee, Command]:
    """A match of Blockade in which both have shaken hands."""
    referee = Referee(Setup(**({"game": "blockade", "options": SMALL} | setup)))
    referee.begin()
    assert referee.line(P1, b"ready", MS, 0) == Wait()
    return referee, referee.line(P2, b"ready", MS, 0)


def asked(command: Command) -> Ask:
    assert isinstance(command, Ask), command
    return command


def text_of(command: Command) -> list[str]:
    return asked(command).data.decode("ascii").splitlines()


def judged(referee: Referee, command: Command, evidence: Evidence | None = None) -> Record:
    """The record after a fault."""
    assert isinstance(command, Inquire), command
    finish = referee.evidence(evidence or Evidence())
    assert isinstance(finish, Finish)
    assert finish.record.fault is not None
    assert finish.record.reason == finish.record.fault.code == command.code
    assert finish.record.winner is command.seat.other
    return finish.record


# The greeting


def test_the_greeting_names_all_that_a_bot_needs() -> None:
    setup = Setup("blockade", SMALL, 7, Limits(clock=Clock(60_000 * MS, 500 * MS)))
    text = """\
arena 1
game blockade size=3
seat {}
limits start=10000 turn=1000 strikes=3 clock=60000 increment=500
seed 7
? ready | ready
"""
    both = text.format("P1").encode(), text.format("P2").encode()
    assert Referee(setup).begin() == Greet(both, 10_010 * MS)


@pytest.mark.parametrize("order", [(P1, P2), (P2, P1)])
def test_play_begins_when_both_are_ready_in_either_order(order: tuple[Seat, Seat]) -> None:
    referee = Referee(Setup("blockade", SMALL))
    referee.begin()
    assert referee.listens_to(P1)
    assert referee.listens_to(P2)
    assert referee.line(order[0], b"READY\r", MS, 0) == Wait()
    assert not referee.listens_to(order[0])
    first = asked(referee.line(order[1], b" ready ", MS, 0))
    assert (first.seat, first.fresh, first.limit_ns) == (P1, True, 1010 * MS)
    assert text_of(first)[:2] == ["board .../.../...", "time 1000"]
    assert referee.listens_to(P1)
    assert not referee.listens_to(P2)


def test_a_wrong_word_in_the_handshake_is_a_strike_and_asked_again() -> None:
    referee = Referee(Setup("blockade", SMALL))
    referee.begin()
    again = asked(referee.line(P2, b"hello", MS, 0))
    assert (again.seat, again.fresh) == (P2, False)
    assert text_of(again) == [
        "error malformed the handshake is answered with the word ready",
        "? ready | ready",
    ]
    assert referee.line(P1, b"ready", MS, 0) == Wait()
    assert asked(referee.line(P2, b"ready", 2 * MS, 0)).seat is P1
    assert asked(referee.line(P1, b"1 1", MS, 0)).seat is P2
    assert isinstance(referee.line(P2, b"9 9", MS, 0), Ask)
    assert judged(referee, referee.line(P2, b"9 9", MS, 0)).reason == "illegal"


BOTH_FAIL: list[tuple[str, Callable[[Referee, Seat], Command], str]] = [
    ("timeout", lambda r, s: r.timeout(s, 10_010 * MS, 0), "start-timeout"),
    ("late", lambda r, s: r.line(s, b"ready", 10_011 * MS, 0), "start-timeout"),
    ("exit", lambda r, s: r.exited(s, "exit 1", MS, 0), "crash"),
    ("closed", lambda r, s: r.closed(s, MS, 0), "closed-output"),
    ("overflow", lambda r, s: r.overflow(s, b"x" * 1025, MS, 0), "output-limit"),
    ("long", lambda r, s: r.line(s, b"x" * 1025, MS, 0), "output-limit"),
]


@pytest.mark.parametrize(("name", "fail", "reason"), BOTH_FAIL, ids=[row[0] for row in BOTH_FAIL])
def test_a_seat_that_fails_the_handshake_waits_for_the_other(
    name: str, fail: Callable[[Referee, Seat], Command], reason: str
) -> None:
    for order in ((P1, P2), (P2, P1)):  # one fails, the other is ready
        referee = Referee(Setup("blockade", SMALL))
        referee.begin()
        assert fail(referee, order[0]) == Inquire(order[0], Code(reason))
        assert referee.state is State.INQUIRY
        assert referee.evidence(Evidence(stderr="oh")) == Wait()
        finish = referee.line(order[1], b"ready", MS, 0)
        assert isinstance(finish, Finish)
        assert (finish.record.winner, finish.record.reason) == (order[1], reason)
        assert finish.record.unanswered is not None
        assert finish.record.unanswered.prompt == "ready"
        assert finish.record.headers == ()
    for order in ((P1, P2), (P2, P1)):  # both fail: P1 loses, whoever was first
        referee = Referee(Setup("blockade", SMALL))
        referee.begin()
        fail(referee, order[0])
        assert referee.evidence(Evidence()) == Wait()
        fail(referee, order[1])
        finish = referee.evidence(Evidence())
        assert isinstance(finish, Finish)
        assert (finish.record.winner, finish.record.reason) == (P2, reason)
        assert finish.record.headers == (("AlsoFailed", f"P2 {reason}"),)


def test_one_may_resign_instead_of_shaking_hands() -> None:
    referee = Referee(Setup("blockade", SMALL))
    referee.begin()
    assert referee.line(P2, b"resign", MS, 0) == Wait()
    finish = referee.line(P1, b"ready", MS, 0)
    assert isinstance(finish, Finish)
    assert (finish.record.winner, finish.record.reason, finish.record.fault) == (P1, "resign", None)


# Turns


def test_a_whole_match_with_two_prompts_a_turn() -> None:
    referee, command = opened(game="gridlock", options={"size": "3"}, bots=("a@1", "b@2"))
    assert text_of(command) == ["board 1../.../..2", "time 1000", "? move | 0 1 | 1 0"]
    command = referee.line(P1, b"1 0", 400_000, 300_000)
    assert asked(command) == Ask(P1, b"? lock | 0 0 | 1 1 | 2 0\n", 1010 * MS, False)
    command = referee.line(P1, b"1 1", 900_000, 500_000)
    assert text_of(command) == [
        "played P1 move 1 0",
        "played P1 lock 1 1",
        "board .../1L./..2",
        "time 1000",
        "? move | 1 2 | 2 1",
    ]
    assert asked(command).fresh
    referee.line(P2, b"2 1", 5000, 4000)
    referee.line(P2, b"2 0", 6000, 4000)
    assert referee.plies == (
        Ply(P1, "move", "1 0", 400, 300),
        Ply(P1, "lock", "1 1", 500, 200),
        Ply(P2, "move", "2 1", 5, 4),
        Ply(P2, "lock", "2 0", 1, 0),
    )
    referee.line(P1, b"0 0", 1000, 0)
    referee.line(P1, b"1 0", 1000, 0)
    referee.line(P2, b"2 2", 1000, 0)
    referee.line(P2, b"2 1", 1000, 0)
    referee.line(P1, b"0 1", 1000, 0)
    referee.line(P1, b"0 0", 1000, 0)
    referee.line(P2, b"1 2", 1000, 0)
    referee.line(P2, b"2 2", 1000, 0)
    referee.line(P1, b"0 2", 1000, 0)
    finish = referee.line(P1, b"0 1", 1000, 0)
    assert isinstance(finish, Finish)
    assert (finish.record.winner, finish.record.reason) == (P1, "immobilised")
    assert finish.last_words == (
        b"board LL1/LL2/LLL\nend P1 immobilised\n",
        b"played P1 move 0 2\nplayed P1 lock 0 1\nboard LL1/LL2/LLL\nend P1 immobilised\n",
    )
    assert referee.state is State.OVER


@pytest.mark.parametrize("raw", [b"2 2", b" 2  2", b"(2,2)", b"2,2\r", b"2\t2"])
def test_other_spellings_are_told_and_recorded_in_canonical_form(raw: bytes) -> None:
    referee, _ = opened()
    finish = referee.line(P1, raw, MS, 0)
    assert isinstance(finish, Finish)
    assert finish.record.plies == (Ply(P1, "move", "2 2", 1000, 0),)
    assert finish.last_words[1].startswith(b"played P1 move 2 2\n")


REFUSED = [
    (b"9 9", "illegal", "9 9 is off the board"),
    (b"Thinking...", "malformed", "'Thinking...' is not a cell"),
    (b"", "malformed", "an empty line is not a reply"),
    (b"  \r", "malformed", "an empty line is not a reply"),
    (b"\xff\xfe", "malformed", "not printable ASCII"),
    (b"\x1b[1m2 2", "malformed", "not printable ASCII"),
    (b"ready", "malformed", "is not a cell"),
    (b"? move | 2 2", "malformed", "is not a cell"),
]


@pytest.mark.parametrize(("raw", "verdict", "why"), REFUSED, ids=[repr(row[0]) for row in REFUSED])
def test_a_refused_reply_is_answered_with_the_reason_and_the_same_prompt(
    raw: bytes, verdict: str, why: str
) -> None:
    referee, first = opened()
    again = referee.line(P1, raw, 5 * MS, 0)
    error, prompt = text_of(again)
    assert error.startswith(f"error {verdict} ")
    assert why in error
    assert prompt == text_of(first)[-1]
    assert (asked(again).fresh, asked(again).limit_ns) == (False, asked(first).limit_ns)
    referee.line(P1, b"1 1", 9 * MS, 2 * MS)
    (ply,) = referee.plies
    assert (ply.reply, ply.wall_us) == ("1 1", 9000)
    assert ply.refused[0][1] == verdict


@pytest.mark.parametrize("strikes", [1, 2, 3, 5])
@pytest.mark.parametrize(("raw", "reason"), [(b"9 9", "illegal"), (b"so", "malformed"), (None, "malformed")])
def test_the_last_strike_forfeits_for_its_own_reason(strikes: int, raw: bytes | None, reason: str) -> None:
    referee, command = opened(limits=Limits(strikes=strikes))
    for _ in range(strikes - 1):
        command = referee.line(P1, b"9 9" if reason == "malformed" else b"so", MS, 0)
        assert isinstance(command, Ask)
    command = referee.early(P1, b"1 1") if raw is None else referee.line(P1, raw, MS, 0)
    assert isinstance(command, Inquire)
    assert command == Inquire(P1, Code(reason))
    finish = referee.evidence(Evidence())
    assert isinstance(finish, Finish)
    assert (finish.record.winner, finish.record.reason) == (P2, reason)
    assert finish.record.unanswered is not None
    assert len(finish.record.unanswered.refused) == strikes
    error, _, end = finish.last_words[0].decode().splitlines()
    assert error.startswith(f"error {reason} received `")
    assert end == f"end P2 {reason}"


def test_strikes_add_up_over_the_match_for_each_seat() -> None:
    referee, _ = opened(options={"size": "5"}, limits=Limits(strikes=2))
    assert isinstance(referee.line(P1, b"x", MS, 0), Ask)
    assert asked(referee.line(P1, b"1 1", MS, 0)).seat is P2
    assert isinstance(referee.line(P2, b"x", MS, 0), Ask)
    assert asked(referee.line(P2, b"5 5", MS, 0)).seat is P1
    judged(referee, referee.line(P1, b"x", MS, 0))


def test_remarks_are_kept_within_bounds_and_are_never_replies() -> None:
    referee, _ = opened()
    assert referee.line(P1, b"# score 12\r", MS, 0) == Wait()
    assert referee.line(P1, b"#" + b"x" * 900, MS, 0) == Wait()
    assert referee.line(P1, b"#\xff\x1b", MS, 0) == Wait()
    for _ in range(30):
        assert referee.line(P1, b"#", MS, 0) == Wait()
    referee.line(P1, b"1 1", MS, 0)
    remarks = referee.plies[0].remarks
    assert remarks[0] == "score 12"
    assert remarks[1] == "x" * REMARK_CHARACTERS + "..."
    assert remarks[2] == "\\xff\\x1b"
    assert len(remarks) == REMARKS_PER_PLY


def test_more_lines_than_the_bound_are_a_flood_remarks_or_not() -> None:
    referee, _ = opened(limits=Limits(lines_per_prompt=5, strikes=99))
    for raw in (b"# a", b"x", b"9 9", b"# b", b""):
        assert not isinstance(referee.line(P1, raw, MS, 0), Inquire)
    assert judged(referee, referee.line(P1, b"# c", MS, 0)).reason == "output-limit"


def test_the_bound_of_lines_is_for_one_prompt() -> None:
    referee, _ = opened(options={"size": "5"}, limits=Limits(lines_per_prompt=2))
    for seat, raw in ((P1, b"1 1"), (P2, b"5 5"), (P1, b"1 2"), (P2, b"5 4")):
        referee.line(seat, b"# one", MS, 0)
        referee.line(seat, b"# two", MS, 0)
        assert asked(referee.line(seat, raw, MS, 0)).seat is seat.other


def test_a_line_out_of_turn_is_dropped_and_told() -> None:
    referee, command = opened(options={"size": "5"})
    command = referee.early(P1, b"3 3")
    lines = text_of(command)
    assert lines[0].startswith("error malformed a line came before the prompt")
    assert lines[1:3] == ["board ...../...../...../...../.....", "time 1000"]
    assert asked(command).fresh
    two = referee.early(P1, b"2 2")
    assert text_of(two)[1:] == lines
    assert asked(referee.line(P1, b"1 1", MS, 0)).seat is P2
    assert [text for text, _, _ in referee.plies[0].refused] == ["3 3", "2 2"]
    with pytest.raises(ProtocolViolation):
        referee.early(P1, b"1 1")


def test_a_bot_that_loses_before_it_is_asked_still_hears_what_was_played() -> None:
    referee, _ = opened(options={"size": "5"}, limits=Limits(strikes=1))
    referee.line(P1, b"3 3", MS, 0)
    assert isinstance(referee.early(P2, b"1 1"), Inquire)
    finish = referee.evidence(Evidence())
    assert isinstance(finish, Finish)
    assert finish.last_words[1].startswith(b"played P1 move 3 3\nerror malformed ")


def test_a_remark_out_of_turn_is_no_strike() -> None:
    referee, command = opened()
    for _ in range(10):
        assert referee.early(P1, b"# thinking ahead") == command
    referee.line(P1, b"1 1", MS, 0)
    assert referee.plies[0].remarks == ("thinking ahead",) * 10
    assert referee.plies[0].refused == ()


def test_a_flood_before_the_prompt_ends_too() -> None:
    referee, _ = opened(limits=Limits(lines_per_prompt=3))
    for _ in range(3):
        assert isinstance(referee.early(P1, b"#"), Ask)
    assert judged(referee, referee.early(P1, b"#")).reason == "output-limit"


@pytest.mark.parametrize("raw", [b"resign", b"RESIGN", b" resign \r"])
def test_a_bot_may_resign_at_any_prompt(raw: bytes) -> None:
    referee, _ = opened(game="gridlock", options={})
    referee.line(P1, b"1 0", MS, MS)
    referee.line(P1, b"# hopeless", MS, MS)
    finish = referee.line(P1, raw, 3 * MS, 2 * MS)
    assert isinstance(finish, Finish)
    found = finish.record
    assert (found.winner, found.reason, found.fault) == (P2, "resign", None)
    assert found.unanswered == Unanswered(P1, "lock", 2000, 1000, ("hopeless",))
    assert finish.last_words[0].endswith(b"end P2 resign\n")
    assert record.read(record.write(found)) == found


# Time


def test_a_reply_within_the_margin_counts_and_one_after_it_does_not() -> None:
    referee, command = opened(options={"size": "5"})
    assert asked(command).limit_ns == 1010 * MS
    assert asked(referee.line(P1, b"1 1", 1010 * MS, 0)).seat is P2
    found = judged(referee, referee.line(P2, b"5 5", 1010 * MS + 1, 0))
    assert found.reason == "timeout"
    assert found.fault is not None
    assert found.fault.received == "5 5"
    assert found.unanswered == Unanswered(P2, "move", 1010_000, 0)


def test_the_clock_of_a_turn_is_one_for_all_its_prompts_and_retries() -> None:
    referee, _ = opened(game="gridlock", options={})
    referee.line(P1, b"1 0", 600 * MS, 0)
    again = asked(referee.line(P1, b"9 9", 900 * MS, 0))
    assert (again.fresh, again.limit_ns) == (False, 1010 * MS)
    found = judged(referee, referee.line(P1, b"0 0", 1011 * MS, 0))
    assert found.reason == "timeout"


def test_a_match_clock_is_charged_by_turn_and_grows_by_the_increment() -> None:
    limits = Limits(turn_ns=1000 * MS, clock=Clock(1500 * MS, 100 * MS))
    referee, command = opened(options={"size": "5"}, limits=limits)
    assert "time 1000 clock=1500" in text_of(command)
    command = referee.line(P1, b"1 1", 900 * MS, 0)
    assert "time 1000 clock=1500" in text_of(command)
    command = referee.line(P2, b"5 5", 100 * MS, 0)
    assert "time 700 clock=700" in text_of(command)
    assert asked(command).limit_ns == 710 * MS
    command = referee.line(P1, b"1 2", 705 * MS, 0)  # within the margin: the budget is spent, not overdrawn
    assert "time 1000 clock=1500" in text_of(command)
    command = referee.line(P2, b"5 4", 0, 0)
    assert "time 100 clock=100" in text_of(command)
    assert judged(referee, referee.timeout(P1, 110 * MS, 0)).reason == "timeout"


FAULTS: list[tuple[str, Callable[[Referee], Command], str, bool]] = [
    ("timeout", lambda r: r.timeout(P1, 1010 * MS, 5 * MS), "timeout", True),
    ("closed", lambda r: r.closed(P1, MS, 0), "closed-output", True),
    ("exited", lambda r: r.exited(P1, "signal SIGSEGV", MS, 0), "crash", False),
    ("overflow", lambda r: r.overflow(P1, b"x" * 1025, MS, 0), "output-limit", True),
    ("long line", lambda r: r.line(P1, b"x" * 1025, MS, 0), "output-limit", True),
    ("late line", lambda r: r.line(P1, b"1 1", 2000 * MS, 0), "timeout", True),
]


@pytest.mark.parametrize(("name", "fail", "reason", "hears"), FAULTS, ids=[row[0] for row in FAULTS])
def test_every_fault_loses_for_its_reason(
    name: str, fail: Callable[[Referee], Command], reason: str, hears: bool
) -> None:
    referee, _ = opened()
    command = fail(referee)
    assert command == Inquire(P1, Code(reason))
    finish = referee.evidence(Evidence(stderr="boom\n", exit_status="exit 3" if not hears else None))
    assert isinstance(finish, Finish)
    fault = finish.record.fault
    assert fault is not None
    assert (finish.record.winner, finish.record.reason, fault.code, fault.seat) == (P2, reason, reason, P1)
    assert fault.stderr == "boom\n"
    assert finish.last_words[1] == f"board .../.../...\nend P2 {reason}\n".encode()
    assert finish.last_words[0].startswith(f"error {reason} ".encode() if hears else b"")
    assert bool(finish.last_words[0]) is hears
    assert record.read(record.write(finish.record)) == finish.record


def test_a_void_match_is_nobodys() -> None:
    for steps in range(3):
        referee = Referee(Setup("blockade", SMALL))
        if steps:
            referee.begin()
        if steps > 1:
            referee.timeout(P1, 1, 1)
        finish = referee.void("the disk is full")
        assert (finish.record.winner, finish.record.reason) == (None, "void")
        assert finish.record.headers == (("Void", "the disk is full"),)
        assert record.read(record.write(finish.record)) == finish.record


# Order of events


CALLS: dict[str, Callable[[Referee], Command]] = {
    "begin": lambda r: r.begin(),
    "line": lambda r: r.line(P1, b"ready", MS, 0),
    "timeout": lambda r: r.timeout(P1, MS, 0),
    "closed": lambda r: r.closed(P1, MS, 0),
    "exited": lambda r: r.exited(P1, "exit 0", MS, 0),
    "overflow": lambda r: r.overflow(P1, b"x", MS, 0),
    "early": lambda r: r.early(P1, b"x"),
    "evidence": lambda r: r.evidence(Evidence()),
    "void": lambda r: r.void("why"),
}


def in_state(state: State) -> Referee:
    if state is State.NEW:
        return Referee(Setup("blockade", SMALL))
    if state is State.GREETING:
        referee = Referee(Setup("blockade", SMALL))
        referee.begin()
        return referee
    referee, _ = opened()
    if state is State.INQUIRY:
        referee.timeout(P1, MS, 0)
    if state is State.OVER:
        referee.line(P1, b"resign", MS, 0)
    return referee


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("event", CALLS)
def test_an_event_that_cannot_happen_is_our_own_bug(state: State, event: str) -> None:
    referee = in_state(state)
    assert referee.state is state
    if event in EVENTS[state]:
        CALLS[event](referee)
    else:
        with pytest.raises(ProtocolViolation, match=event):
            CALLS[event](referee)
        assert referee.state is state


def test_every_event_has_its_place_in_the_table() -> None:
    assert set(EVENTS) == set(State)
    assert frozenset().union(*EVENTS.values()) == set(CALLS)


@pytest.mark.parametrize("event", ["line", "timeout", "closed", "exited", "overflow", "early"])
def test_a_seat_that_is_not_asked_is_not_listened_to(event: str) -> None:
    referee, _ = opened(options={"size": "5"})
    referee.line(P1, b"3 3", MS, 0)
    with pytest.raises(ProtocolViolation, match="P1"):
        CALLS[event](referee)
    assert referee.listens_to(P2)


def test_a_bad_setup_is_refused_before_the_match() -> None:
    with pytest.raises(KeyError):
        Referee(Setup("chess"))
    with pytest.raises(OptionError):
        Referee(Setup("blockade", {"size": "big"}))


# Openings and forced plies


@pytest.mark.parametrize("game", game_ids())
@pytest.mark.parametrize("plies", [0, 1, 2, 4, 7])
def test_an_opening_is_the_same_for_the_same_seed_and_ends_with_a_turn(game: str, plies: int) -> None:
    start = load_game(game).start({}, 3)
    first, second = openings.draw(start, plies, 3), openings.draw(start, plies, 3)
    assert first == second
    drawn = [ply for ply in first.plies if ply.by == "opening"]
    assert plies <= len(drawn) <= plies + 1
    assert first.position.outcome is None
    if plies:
        assert any(
            openings.draw(start, 4, seed).plies != openings.draw(start, 4, 3).plies for seed in range(9)
        )
    position = start
    for ply in first.plies:
        assert (position.seat, position.prompt) == (ply.seat, ply.prompt)
        position = position.apply(ply.reply)
    assert position == first.position


def test_an_opening_that_would_end_the_match_is_shorter() -> None:
    start = load_game("blockade").start({"size": "1"}, 0)
    assert openings.draw(start, 4, 0).plies == ()
    for seed in range(20):  # the middle would end it
        opening = openings.draw(load_game("blockade").start(SMALL, 0), 1, seed)
        assert [ply.reply for ply in opening.plies] != ["2 2"]


def test_both_seats_are_told_the_opening_and_it_is_recorded() -> None:
    referee, command = opened(options={"size": "5"}, opening=3, seed=11)
    plies = referee.plies
    assert [ply.by for ply in plies] == ["opening"] * 3
    told = [f"played {ply.seat} move {ply.reply}" for ply in plies]
    assert asked(command).seat is P2
    assert text_of(command)[:3] == told
    reply = text_of(command)[-1].split(" | ")[1]
    command = referee.line(P2, reply.encode(), MS, 0)
    assert text_of(command)[:4] == [*told, f"played P2 move {reply}"]


def test_a_forced_pass_is_played_without_a_prompt_and_told_to_both() -> None:
    """Grid Runner with walls: search for a match in which somebody is hemmed in, and look at what is said."""
    for seed in range(300):
        source = random.Random(seed)
        heard: dict[Seat, list[str]] = {P1: [], P2: []}

        def reply(seat: Seat, data: bytes, heard: Any = heard, source: Any = source) -> bytes:
            heard[seat] += data.decode().splitlines()
            return random_reply(data, source)

        found = play(Setup("runner-walls", seed=seed), reply)
        forced = [ply for ply in found.record.plies if ply.by == "automatic"]
        if forced:
            line = f"played {forced[0].seat} {forced[0].prompt} {forced[0].reply}"
            for seat, words in zip((P1, P2), found.last_words, strict=True):
                assert line in heard[seat] + words.decode().splitlines()
            assert f"{forced[0].seat}> pass ; move automatic\n" in record.write(found.record)
            return
    pytest.fail("no forced pass in 300 matches")


# Whole matches


def random_reply(data: bytes, source: random.Random) -> bytes:
    """The four-line bot of the specification: it knows no rule."""
    for line in data.decode().splitlines():
        if line.startswith("?"):
            return source.choice(line.rstrip("\n").split(" | ")[1:]).encode()
    raise AssertionError(data)


def play(setup: Setup, reply: Callable[[Seat, bytes], bytes]) -> Finish:
    referee = Referee(setup)
    greet = referee.begin()
    referee.line(P1, reply(P1, greet.data[0]), MS, 0)
    command = referee.line(P2, reply(P2, greet.data[1]), MS, 0)
    while not isinstance(command, Finish):
        ask = asked(command)
        command = referee.line(ask.seat, reply(ask.seat, ask.data), MS, 0)
    return command


@pytest.mark.parametrize("game", game_ids())
def test_the_four_line_bot_plays_every_game_to_the_end(game: str) -> None:
    for seed in range(10):
        texts = set()
        for _ in range(2):
            source = random.Random(seed)
            finish = play(
                Setup(game, seed=seed, opening=seed % 3), lambda _, data, s=source: random_reply(data, s)
            )
            texts.add(record.write(finish.record))
            assert finish.record.fault is None
            assert finish.record.winner is not None
            assert finish.record.turns <= load_game(game).turn_bound(load_game(game).settings())
        assert len(texts) == 1, "same seed, same replies, same bytes"


@pytest.mark.parametrize("game", game_ids())
def test_the_played_lines_alone_are_enough_to_follow_the_match(game: str) -> None:
    """An incremental bot that starts from the first position sees the same board as it is sent."""
    for seed in range(5):
        source = random.Random(seed)
        start = load_game(game).start({}, seed)
        at = {P1: start, P2: start}

        def follow(seat: Seat, data: bytes, at: Any = at, source: Any = source) -> bytes:
            for line in data.decode().splitlines():
                word, _, rest = line.partition(" ")
                if word == "played":
                    at[seat] = at[seat].apply(rest.split(" ", 2)[2])
                elif word == "board":
                    assert at[seat].board() == rest
            reply = random_reply(data, source)
            if reply != b"ready":
                at[seat] = at[seat].apply(reply.decode())
            return reply

        finish = play(Setup(game, seed=seed, opening=4), follow)
        for seat, words in zip((P1, P2), finish.last_words, strict=True):
            for line in words.decode().splitlines():
                if line.startswith("played"):
                    at[seat] = at[seat].apply(line.split(" ", 3)[3])
            assert at[seat].board() == finish.record.board


raws = st.one_of(
    st.sampled_from([b"1 1", b"2 2", b"3 3", b"#", b"resign", b"ready", b"", b"9 9", b"5 5\r"]),
    st.binary(max_size=20),
)
events = st.tuples(
    st.sampled_from(["line"] * 8 + ["early", "timeout", "closed", "exited", "overflow", "void"]),
    st.sampled_from(Seat),
    raws,
    st.integers(0, 1200) | st.integers(0, 10**5),
)


@settings(max_examples=200)
@given(st.lists(events, max_size=60), st.integers(1, 4), st.integers(0, 4))
def test_no_order_of_events_breaks_the_referee(
    script: list[tuple[str, Seat, bytes, int]], strikes: int, opening: int
) -> None:
    """Only ProtocolViolation is ever raised, and every match that ends has a record that reads back."""
    referee = Referee(Setup("blockade", limits=Limits(strikes=strikes), opening=opening))
    command: Command = referee.begin()
    for event, seat, raw, ms in script:
        try:
            if event == "line":
                command = referee.line(seat, raw, ms * MS, ms)
            elif event == "early":
                command = referee.early(seat, raw)
            elif event == "exited":
                command = referee.exited(seat, "exit 1", ms * MS, ms)
            elif event == "overflow":
                command = referee.overflow(seat, raw, ms * MS, ms)
            elif event == "void":
                command = referee.void("why")
            else:
                command = getattr(referee, event)(seat, ms * MS, ms)
        except ProtocolViolation:
            assert event not in EVENTS[referee.state] or not referee.listens_to(seat)
        if isinstance(command, Inquire):
            command = referee.evidence(Evidence(stderr=raw.decode("latin-1"), partial=raw))
        if isinstance(command, Ask):
            assert command.data.endswith(b"\n")
            assert len(command.data) < 4096
        if isinstance(command, Finish):
            assert referee.state is State.OVER
            assert record.read(record.write(command.record)) == command.record
            assert all(words.isascii() for words in command.last_words)
            return
