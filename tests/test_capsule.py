"""Crash capsules: bounded, exact to the byte, and never a traceback for a damaged file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import capsule
from arena.capsule import HEAD_BYTES, TAIL_BYTES, Capsule, CapsuleError, Line, Said
from arena.game import P1, P2, Seat
from arena.record import Fault, Record

RECORD = Record(
    game="gridlock",
    options=(("wrap", "on"),),
    seed=7,
    bots=("first@aa", "second@bb"),
    limits="start=10000 turn=1000 strikes=3",
    plies=(),
    winner=P1,
    reason="crash",
    turns=3,
    board="1./.2",
    fault=Fault(P2, "crash", "the process ended (exit 1)", None, "Trace\n", "exit 1"),
)
TRAFFIC = [
    Said(1000, P1, True, b"? ready | ready\n"),
    Said(2000, P2, True, b"? ready | ready\n"),
    Said(5500, P2, False, b"ready\r"),
    Said(9000, P2, True, b"board 1./.2\n? move | 0 1\n"),
    Said(9999, P2, False, b"\xff\x00;"),
]


def made(traffic: list[Said] = TRAFFIC) -> Capsule:
    found = capsule.of(RECORD, traffic)
    assert found is not None
    return found


def test_it_is_about_the_bot_that_failed() -> None:
    found = made()
    assert (found.bot, found.opponent, found.seat) == ("second@bb", "first@aa", P2)
    assert found.sent() == b"? ready | ready\nboard 1./.2\n? move | 0 1\n"
    assert [line.at_us for line in found.lines] == [2, 5, 9, 9]
    assert (found.code, found.exit_status, found.stderr) == ("crash", "exit 1", "Trace\n")
    assert capsule.of(RECORD._replace(fault=None), TRAFFIC) is None


def test_the_text_is_json_and_reads_back() -> None:
    text = capsule.write(made())
    assert json.loads(text)["lines"][3] == [9, "<", "\xff\x00;"]
    assert text.isascii()
    assert capsule.read(text) == made()
    assert capsule.write(capsule.read(text)) == text


@given(st.lists(st.tuples(st.integers(0, 10**12), st.sampled_from(Seat), st.booleans(), st.binary())))
def test_every_byte_survives(traffic: list[tuple[int, Seat, bool, bytes]]) -> None:
    found = made([Said(*said) for said in traffic])
    assert capsule.read(capsule.write(found)) == found


def test_a_long_match_keeps_its_head_and_its_tail() -> None:
    traffic = [Said(n * 1000, P2, True, b"%06d" % n + b"x" * 994) for n in range(1000)]
    found = made(traffic)
    numbers = [int(line.data[:6]) for line in found.lines]
    assert numbers == [*range(HEAD_BYTES // 1000), *range(1000 - TAIL_BYTES // 1000, 1000)]
    assert found.gap == HEAD_BYTES // 1000
    assert found.omitted == 1000 - len(numbers)
    assert len(capsule.write(found)) < 2 * (HEAD_BYTES + TAIL_BYTES)
    assert capsule.read(capsule.write(found)) == found


def test_one_huge_entry_does_not_break_the_bound() -> None:
    found = made([Said(0, P2, False, b"x" * 10**6), Said(1, P2, False, b"y")])
    assert found.lines == (Line(0, False, b"y"),)
    assert (found.gap, found.omitted) == (0, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "{}",
        "null",
        '{"capsule": 2}',
        "[" * 100_000,
        capsule.write(made()).replace('"seat": "P2"', '"seat": "P3"'),
        capsule.write(made()).replace('"seed": 7', '"seed": "7"'),
        capsule.write(made()).replace('[2, ">"', '[2, "?"'),
        capsule.write(made()).replace('[2, ">"', "[2"),
        capsule.write(made()).replace("\\u00ff", "\\u2026"),
        capsule.write(made()) + " " * capsule.TEXT_BYTES,
    ],
    ids=range(13),
)
def test_a_text_that_is_no_capsule_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(CapsuleError):
        capsule.read(text)


@given(st.text())
def test_reading_anything_raises_nothing_else(text: str) -> None:
    with pytest.raises(CapsuleError):
        capsule.read(text)
