"""Records: text ↔ value without loss, for every value and for the texts that were written."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import record
from arena.game import P1, P2, Seat
from arena.record import Fault, Ply, Record, RecordError, Unanswered

TEXT = """\
[Game "gridlock"]
[Options "wrap=on size=6"]
[Seed "8134"]
[Date "2024-05-01T10:00:00Z"]
[P1 "greedy@0123456789ab"]
[P2 "it's \\"mine\\"@ba9876543210"]
[Limits "start=10000 turn=1000 strikes=3"]
[Opening "1"]
[Sandbox "off"]
[Winner "P1"]
[Reason "timeout"]
[Turns "1"]
[Board "1...../......"]
[Fault "P2 timeout"]
[FaultText "no complete line arrived in 1.01 s"]
[FaultReceived "THIN"]
[FaultExit "exit 1"]
[FaultDoubtful "yes"]
[FaultStderr "one\\ntwo\\n"]
[Tournament "spring"]

P1> 1 0 ; move opening
P1! 0 5\\; ; illegal: 0 5 is off the board
P1# depth 4
P1> 0 0 ; lock wall=412 cpu=301
P2> pass ; move automatic
P2! \\\\xff ; malformed: bytes
P2- move wall=1010000 cpu=3
"""

VALUE = Record(
    game="gridlock",
    options=(("wrap", "on"), ("size", "6")),
    seed=8134,
    bots=("greedy@0123456789ab", 'it\'s "mine"@ba9876543210'),
    limits="start=10000 turn=1000 strikes=3",
    plies=(
        Ply(P1, "move", "1 0", by="opening"),
        Ply(P1, "lock", "0 0", 412, 301, "bot", ("depth 4",), (("0 5;", "illegal", "0 5 is off the board"),)),
        Ply(P2, "move", "pass", by="automatic"),
    ),
    winner=P1,
    reason="timeout",
    turns=1,
    board="1...../......",
    opening=1,
    date="2024-05-01T10:00:00Z",
    fault=Fault(
        P2,
        "timeout",
        "no complete line arrived in 1.01 s",
        "THIN",
        "one\ntwo\n",
        "exit 1",
        doubtful=True,
    ),
    headers=(("Tournament", "spring"),),
    unanswered=Unanswered(P2, "move", 1010000, 3, (), (("\\xff", "malformed", "bytes"),)),
)


def test_the_text_is_as_documented() -> None:
    assert record.write(VALUE) == TEXT
    assert record.read(TEXT) == VALUE


words = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
seats = st.sampled_from(Seat)
counts = st.integers(0, 10**12)
tries = st.lists(st.tuples(st.text(), st.sampled_from(["illegal", "malformed"]), st.text()), max_size=3)
remarks = st.lists(st.text(), max_size=3)
plies = st.one_of(
    st.builds(
        Ply,
        seats,
        words,
        st.text(),
        counts,
        counts,
        st.just("bot"),
        remarks.map(tuple),
        tries.map(tuple),
    ),
    st.builds(
        lambda seat, prompt, reply, by: Ply(seat, prompt, reply, by=by),
        seats,
        words,
        st.text(),
        st.sampled_from(["opening", "automatic"]),
    ),
)
faults = st.builds(
    Fault, seats, words, st.text(), st.none() | st.text(), st.text(), st.none() | st.text(), st.booleans()
)
records = st.builds(
    Record,
    game=words,
    options=st.lists(st.tuples(words, words), max_size=3, unique_by=lambda pair: pair[0]).map(tuple),
    seed=st.integers(0, 2**63),
    bots=st.tuples(st.text(), st.text()),
    limits=st.text(),
    plies=st.lists(plies, max_size=5).map(tuple),
    winner=st.none() | seats,
    reason=words,
    turns=counts,
    board=st.text(),
    opening=st.integers(0, 50),
    date=st.text(),
    sandbox=st.text(),
    fault=st.none() | faults,
    headers=st.lists(
        st.tuples(st.from_regex(r"X[A-Za-z0-9-]{0,5}", fullmatch=True), st.text()),
        max_size=3,
        unique_by=lambda pair: pair[0],
    ).map(tuple),
    unanswered=st.none()
    | st.builds(Unanswered, seats, words, counts, counts, remarks.map(tuple), tries.map(tuple)),
)


@given(records)
def test_what_is_written_reads_back_to_the_same_value_and_the_same_bytes(value: Record) -> None:
    text = record.write(value)
    assert record.read(text) == value
    assert record.write(record.read(text)) == text
    assert record.read(text.encode().decode()) == value


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('[Game "gridlock"]\n', "", "Game is missing"),
        ('[Seed "8134"]', '[Seed "many"]', "header cannot be read"),
        ('[Seed "8134"]', "[Seed 8134]", "line 3"),
        ('[Turns "1"]', '[Turns "1"]\n[Turns "2"]', "twice"),
        ("P1> 1 0 ; move opening", "P3> 1 0 ; move opening", "P1 or P2"),
        ("P1> 1 0 ; move opening", "P1> 1 0", "a ply is written"),
        ("P1> 1 0 ; move opening", "P1? 1 0", "begins with"),
        ("wall=412 cpu=301", "wall=412", "microseconds"),
        ("; illegal: 0 5", "; illegal 0 5", "refused reply"),
        ("P2- move wall=1010000 cpu=3\n", "", "belong to no prompt"),
        ("cpu=3\n", "cpu=3\nP1> 1 0 ; move opening\n", "nothing may follow"),
        ('[Sandbox "off"]', '[Sandbox "\\Uffffffff"]', "not a character"),
    ],
)
def test_a_broken_text_is_refused_with_a_sentence(old: str, new: str, says: str) -> None:
    assert old in TEXT
    with pytest.raises(RecordError, match=says):
        record.read(TEXT.replace(old, new, 1))


@given(st.text())
def test_reading_anything_raises_nothing_else(text: str) -> None:
    with pytest.raises(RecordError):
        record.read(text)


@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)), st.text(max_size=3))
def test_nor_does_a_damaged_record(start: int, end: int, patch: str) -> None:
    with contextlib.suppress(RecordError):
        record.read(TEXT[:start] + patch + TEXT[end:])


@pytest.mark.parametrize("name", ["Game", "Fault", "two words", "", 'a"'])
def test_an_extra_header_cannot_pose_as_another(name: str) -> None:
    with pytest.raises(ValueError, match="extra header"):
        record.write(VALUE._replace(headers=((name, "x"),)))
    with pytest.raises(ValueError, match="extra header"):
        record.write(VALUE._replace(headers=(("Twice", "x"), ("Twice", "x"))))
