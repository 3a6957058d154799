"""Faults in plain words: a table of what was seen and what is said about it."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.faults import EARLY, Code, Evidence, Seen, explain
from arena.game import P2, Seat

MS = 10**6
SECOND = 1000 * MS
CELLS = ("0 1", "1 0")
TRACEBACK = """\
Traceback (most recent call last):
  File "bot.py", line 9, in <module>
    move = table[key]
KeyError: 'b7'
"""
NODE = """\
/bot/bot.js:3
    board.map(x => y)
ReferenceError: y is not defined
    at bot.js:3:20

Node.js v18.19.0
"""


def seen(code: Code, **facts: object) -> Seen:
    known: dict[str, object] = {
        "seat": P2,
        "code": code,
        "prompt": "move",
        "available": CELLS,
        "wall_ns": SECOND,
        "cpu_ns": 0,
        "limit_ns": SECOND,
        "strikes": 3,
    }
    return Seen(**(known | facts))  # type: ignore[arg-type]


def refused(
    received: bytes, code: Code = Code.MALFORMED, why: str = "that is not a cell", **facts: object
) -> Seen:
    return seen(code, received=received, why=why, **facts)


TABLE: dict[str, tuple[Seen, Evidence, str]] = {
    "forgot to flush": (
        seen(Code.TIMEOUT),
        Evidence(waiting=True),
        (
            "no complete line arrived in 1.00 s at the prompt `move`; the process used 0.00 s of CPU "
            "and is waiting for input: did you forget to flush?"
        ),
    ),
    "forgot to flush ready": (
        seen(Code.START_TIMEOUT, prompt="ready", wall_ns=10 * SECOND, limit_ns=10 * SECOND),
        Evidence(waiting=True, cpu_ns=SECOND // 5),
        (
            "no complete line arrived in 10.00 s at the handshake; the process used 0.20 s of CPU "
            "and is waiting for input: did you forget to flush?"
        ),
    ),
    "forgot the newline": (
        seen(Code.TIMEOUT),
        Evidence(partial=b"1 0", waiting=True),
        "only `1 0` arrived in 1.00 s, without the end of a line: finish each reply with a newline and flush",
    ),
    "thinks too long": (
        seen(Code.TIMEOUT, cpu_ns=980_000_000),
        Evidence(waiting=False),
        (
            "no complete line arrived in 1.00 s at the prompt `move`; the process used 0.98 s of CPU "
            "and was still busy: stop thinking in time, the `time` line says how long you have"
        ),
    ),
    "thinks in a child": (
        seen(Code.TIMEOUT, cpu_ns=0),
        Evidence(waiting=False, cpu_ns=980_000_000),
        (
            "no complete line arrived in 1.00 s at the prompt `move`; the process used 0.98 s of CPU "
            "and was still busy: stop thinking in time, the `time` line says how long you have"
        ),
    ),
    "the machine was busy": (
        seen(Code.TIMEOUT, cpu_ns=120_000_000),
        Evidence(starved_ns=800_000_000),
        (
            "no complete line arrived in 1.00 s at the prompt `move`; the process used 0.12 s of CPU; "
            "the machine was too busy to let it run for 0.80 s of that, so this time loss is in doubt"
        ),
    ),
    "nobody knows whether the machine was busy": (
        seen(Code.TIMEOUT, cpu_ns=120_000_000),
        Evidence(),
        (
            "no complete line arrived in 1.00 s at the prompt `move`; the process used 0.12 s of CPU; "
            "the machine may have been too busy, so this time loss is in doubt"
        ),
    ),
    "sleeps": (
        seen(Code.TIMEOUT, cpu_ns=120_000_000),
        Evidence(starved_ns=1_000_000),
        (
            "no complete line arrived in 1.00 s at the prompt `move`; the process used 0.12 s of CPU "
            "and was not waiting for input: did it sleep, or wait for something else?"
        ),
    ),
    "one hair too late": (
        seen(Code.TIMEOUT, wall_ns=1_001_000_000, cpu_ns=900_000_000, received=b"1 0"),
        Evidence(),
        "`1 0` came after 1.00 s, too late for the prompt `move`, with 0.90 s of CPU used",
    ),
    "nobody looked when it came": (
        seen(Code.TIMEOUT, wall_ns=1_020_000_000, cpu_ns=900_000_000, received=b"1 0"),
        Evidence(),
        (
            "`1 0` came after 1.02 s, too late for the prompt `move`, with 0.90 s of CPU used; the machine "
            "was too busy to look whether it came in the 1.00 s allowed, so this time loss is in doubt"
        ),
    ),
    "a carriage return": (
        seen(Code.TIMEOUT),
        Evidence(partial=b"1 0\r", waiting=True),
        (
            "only `1 0\\x0d` arrived in 1.00 s, without the end of a line: a carriage return alone ends "
            "no line, write a newline (\\n)"
        ),
    ),
    "a byte order mark": (
        refused(b"\xef\xbb\xbf1 0"),
        Evidence(),
        (
            "received `\\xef\\xbb\\xbf1 0` where a reply was expected: it begins with a byte order mark; "
            "write plain ASCII, without one (strike 3 forfeits)"
        ),
    ),
    "UTF-16": (
        refused(b"\x001\x00 \x000\x00"),
        Evidence(),
        (
            "received `\\x001\\x00 \\x000\\x00` where a reply was expected: it holds NUL bytes; write plain "
            "ASCII, neither UTF-16 nor the end of a C string (strike 3 forfeits)"
        ),
    ),
    "resigns with a reason": (
        refused(b"resign: lost"),
        Evidence(),
        (
            "received `resign: lost` where a reply was expected: `resign` stands alone on its line "
            "(strike 3 forfeits)"
        ),
    ),
    "an echo": (
        refused(b"seat P1", earlier="arena 1"),
        Evidence(),
        (
            "received `seat P1` where a reply was expected: it looks like a line of the referee, "
            "written back; one of `0 1`, `1 0` can be played; the first line refused here was `arena 1` "
            "(strike 3 forfeits)"
        ),
    ),
    "debugging": (
        refused(b"Thinking..."),
        Evidence(),
        (
            "received `Thinking...` where a reply was expected: print debugging to stderr, or start the line "
            "with #; one of `0 1`, `1 0` can be played (strike 3 forfeits)"
        ),
    ),
    "brackets": (
        refused(b"[1, 0]"),
        Evidence(),
        (
            "received `[1, 0]` where a reply was expected: did you mean `1 0`? that is not a cell "
            "(strike 3 forfeits)"
        ),
    ),
    "the prompt itself": (
        refused(b"? move | 0 1 | 1 0"),
        Evidence(),
        (
            "received `? move | 0 1 | 1 0` where a reply was expected: it looks like the prompt itself; "
            "one of `0 1`, `1 0` can be played (strike 3 forfeits)"
        ),
    ),
    "empty": (
        refused(b"\r", strikes=1),
        Evidence(),
        (
            "received `\\x0d` where a reply was expected: it is an empty line; print each reply once, "
            "with one newline (the first refused line forfeits)"
        ),
    ),
    "binary": (
        refused(b"\xff\xfe"),
        Evidence(),
        (
            "received `\\xff\\xfe` where a reply was expected: it holds bytes that are not ASCII text; "
            "is something else printed to stdout? (strike 3 forfeits)"
        ),
    ),
    "out of turn": (
        refused(b"1 0", why=f"{EARLY}: one reply for each prompt"),
        Evidence(),
        (
            f"received `1 0` where a reply was expected: {EARLY}; print exactly one line for each prompt, "
            "and debugging to stderr (strike 3 forfeits)"
        ),
    ),
    "illegal": (
        refused(b"5 5", Code.ILLEGAL, "5 5 is a lock", available=("0 1",)),
        Evidence(),
        (
            "received `5 5` where a reply was expected: 5 5 is a lock; only `0 1` can be played "
            "(strike 3 forfeits)"
        ),
    ),
    "many choices": (
        refused(b"7 x", why="'7 x' is not a cell", available=tuple(f"{n} {n}" for n in range(9))),
        Evidence(),
        (
            "received `7 x` where a reply was expected: print debugging to stderr, or start the line with #; "
            "one of `0 0`, `1 1`, `2 2`, `3 3`, ... can be played (strike 3 forfeits)"
        ),
    ),
    "a traceback": (
        seen(Code.CRASH, why="exit 1"),
        Evidence(stderr=TRACEBACK, exit_status="exit 1"),
        "the process ended when it was asked for `move` (exit 1); stderr says `KeyError: 'b7'`",
    ),
    "a node error": (
        seen(Code.CRASH, why="exit 1", prompt="ready"),
        Evidence(stderr=NODE),
        "the process ended before it said ready (exit 1); stderr says `ReferenceError: y is not defined`",
    ),
    "a segmentation fault": (
        seen(Code.CRASH, why="signal SIGSEGV"),
        Evidence(exit_status="signal SIGSEGV"),
        (
            "the process ended when it was asked for `move` (signal SIGSEGV): "
            "it used memory that was not its own"
        ),
    ),
    "left too early": (
        seen(Code.CRASH, why="exit 0"),
        Evidence(partial=b"1 "),
        (
            "the process ended when it was asked for `move` (exit 0), after `1 ` without the end of a line: "
            "it left as if the match were over; read until `end` before you leave, "
            "and start another program with exec, not beside you"
        ),
    ),
    "closed its output": (
        seen(Code.CLOSED_OUTPUT),
        Evidence(stderr="bye"),
        (
            "it closed its output at the prompt `move` but still runs: without stdout there is no way "
            "to reply; stderr ends with `bye`"
        ),
    ),
    "a huge line": (
        seen(Code.OUTPUT_LIMIT, why="a line of more than 1024 bytes", received=b"x" * 1100),
        Evidence(stderr="noise"),
        (
            f"a line of more than 1024 bytes arrived, beginning `{'x' * 40}...`: a reply is one short line, "
            "and debugging belongs on stderr"
        ),
    ),
}


@pytest.mark.parametrize(("facts", "evidence", "sentence"), TABLE.values(), ids=TABLE)
def test_each_fault_is_explained_as_a_friend_would(facts: Seen, evidence: Evidence, sentence: str) -> None:
    fault = explain(facts, evidence)
    assert fault.sentence == sentence
    assert (fault.seat, fault.code) == (P2, facts.code.value)


class Doubt(NamedTuple):
    """Times in milliseconds of a turn of one second."""

    doubtful: bool
    cpu: int
    starved: int | None = None
    wall: int = 1000
    waiting: bool | None = None
    partial: bytes = b""
    code: Code = Code.TIMEOUT


DOUBTS = {
    "stood in line for a processor": Doubt(True, cpu=500, starved=480),
    "stood in line in the handshake": Doubt(True, cpu=500, starved=480, code=Code.START_TIMEOUT),
    "hardly had to stand in line": Doubt(False, cpu=700, starved=249),
    "slept on purpose": Doubt(False, cpu=0, starved=0),
    "slept, and was woken late": Doubt(False, cpu=0, starved=100),
    "its own threads were in each other's way": Doubt(False, cpu=1900, starved=6000),
    "thought all the time": Doubt(False, cpu=990, starved=10),
    "we woke up late": Doubt(True, cpu=10, starved=0, wall=1400),
    "we woke up a little late": Doubt(False, cpu=10, starved=0, wall=1100),
    "not known, little CPU time": Doubt(True, cpu=499),
    "not known, half of the CPU time": Doubt(False, cpu=500),
    "not known, waits for input": Doubt(False, cpu=100, waiting=True),
    "not known, has begun a line": Doubt(False, cpu=100, partial=b"half"),
    "a crash": Doubt(False, cpu=100, starved=900, code=Code.CRASH),
    "a malformed line": Doubt(False, cpu=100, starved=900, code=Code.MALFORMED),
}


@pytest.mark.parametrize("case", DOUBTS.values(), ids=DOUBTS)
def test_only_a_time_loss_for_want_of_a_processor_is_in_doubt(case: Doubt) -> None:
    facts = seen(case.code, cpu_ns=case.cpu * MS, wall_ns=case.wall * MS, why="exit 1")
    evidence = Evidence(
        waiting=case.waiting,
        partial=case.partial,
        starved_ns=None if case.starved is None else case.starved * MS,
    )
    fault = explain(facts, evidence)
    assert fault.doubtful is case.doubtful
    assert ("in doubt" in fault.sentence) is case.doubtful


def test_what_was_received_is_kept_escaped_and_short() -> None:
    assert explain(refused(b"\x00" * 500), Evidence()).received == "\\x00" * 80 + "..."
    assert explain(seen(Code.TIMEOUT), Evidence(partial=b"half")).received == "half"
    assert explain(seen(Code.TIMEOUT), Evidence()).received is None


@given(
    st.builds(
        Seen,
        seat=st.sampled_from(Seat),
        code=st.sampled_from(Code),
        prompt=st.sampled_from(["ready", "move"]),
        available=st.lists(st.text(), min_size=1, max_size=9).map(tuple),
        wall_ns=st.integers(0, 10**12),
        cpu_ns=st.integers(0, 10**12),
        limit_ns=st.integers(0, 10**12),
        strikes=st.integers(1, 9),
        received=st.none() | st.binary(),
        why=st.text(),
    ),
    st.builds(
        Evidence,
        stderr=st.text(),
        partial=st.binary(),
        waiting=st.none() | st.booleans(),
        cpu_ns=st.none() | st.integers(0, 10**12),
        starved_ns=st.none() | st.integers(0, 10**12),
        exit_status=st.none() | st.text(),
    ),
)
def test_whatever_was_seen_there_is_a_sentence(facts: Seen, evidence: Evidence) -> None:
    fault = explain(facts, evidence)
    assert fault.sentence
    assert fault.code == facts.code
