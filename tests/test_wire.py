"""The wire codec: a table of streams fed whole, byte by byte and with trailing data; then anything at all."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import wire
from arena.wire import HELD_BYTES, LineBuffer, LineTooLong, WireError

STREAMS = {
    "one line": (b"1 0\n", [b"1 0"], b""),
    "two lines": (b"1 0\n0 0\n", [b"1 0", b"0 0"], b""),
    "CRLF is left to decode": (b"up\r\n", [b"up\r"], b""),
    "a lone CR ends nothing": (b"up\rdown", [], b"up\rdown"),
    "empty lines are lines": (b"\n\n", [b"", b""], b""),
    "half a line": (b"1 0\nTHIN", [b"1 0"], b"THIN"),
    "any bytes": (b"\xff\x00\n\x1b", [b"\xff\x00"], b"\x1b"),
    "nothing": (b"", [], b""),
}


def lines_of(buffer: LineBuffer) -> list[bytes]:
    return list(iter(buffer.line, None))


@pytest.mark.parametrize(("stream", "lines", "rest"), STREAMS.values(), ids=STREAMS)
def test_a_stream_is_cut_into_lines_however_it_arrives(
    stream: bytes, lines: list[bytes], rest: bytes
) -> None:
    whole = LineBuffer()
    whole.feed(stream)
    assert lines_of(whole) == lines
    assert whole.partial == rest

    found = []
    drop_by_drop = LineBuffer()
    for byte in stream:
        drop_by_drop.feed(bytes([byte]))
        found += lines_of(drop_by_drop)
    assert found == lines
    assert drop_by_drop.partial == rest

    followed = LineBuffer()
    followed.feed(stream + b"\nlater\n")
    assert lines_of(followed) == [*lines, rest, b"later"]


def test_a_line_that_is_too_long_can_be_shown_from_its_beginning() -> None:
    buffer = LineBuffer(line_bytes=8)
    buffer.feed(b"123456789\n1\n")
    assert buffer.beginning == b"12345678"
    assert buffer.partial == b""


@pytest.mark.parametrize(
    ("held", "other"),
    [
        (b"", False),
        (b"ready\n", False),
        (b"Ready \r\n", False),
        (b"# well played\nready\n", False),
        (b"unfinished", False),
        (b"3 3\n", True),
        (b"ready\n3 3\n", True),
        (b"halfready\n", True),
        (b"\n", True),
    ],
)
def test_whether_anything_but_one_word_is_waiting(held: bytes, other: bool) -> None:
    buffer = LineBuffer()
    buffer.feed(held)
    assert buffer.holds_other_than(wire.READY) is other
    assert len(buffer.held) == len(held)


def test_a_line_may_be_as_long_as_the_bound_and_no_longer() -> None:
    buffer = LineBuffer(line_bytes=8)
    buffer.feed(b"12345678\n123456789\n1\n")
    assert buffer.line() == b"12345678"
    for _ in range(2):  # there is no way round it
        with pytest.raises(LineTooLong):
            buffer.line()
    buffer.clear()
    assert len(buffer.held) == 0
    buffer.feed(b"123456789")
    with pytest.raises(LineTooLong):
        buffer.line()


@given(st.lists(st.binary(max_size=3000), max_size=200), st.integers(1, 200))
def test_whatever_is_fed_the_buffer_stays_within_its_bounds(chunks: list[bytes], line_bytes: int) -> None:
    buffer = LineBuffer(line_bytes)
    taken = b""
    try:
        for chunk in chunks:
            buffer.feed(chunk)
            assert len(buffer.held) <= HELD_BYTES
            while (line := buffer.line()) is not None:
                assert len(line) <= line_bytes
                assert b"\n" not in line
                taken += line + b"\n"
            assert len(buffer.held) <= line_bytes
    except LineTooLong:
        return
    assert taken + buffer.partial == b"".join(chunks)


def test_a_buffer_that_nobody_empties_refuses_more() -> None:
    buffer = LineBuffer()
    buffer.feed(b"\n" * HELD_BYTES)
    with pytest.raises(LineTooLong):
        buffer.feed(b"\n")
    assert len(buffer.held) == HELD_BYTES


@pytest.mark.parametrize(
    ("raw", "text"),
    [(b"1 0", "1 0"), (b"1 0\r", "1 0"), (b"1\t0", "1 0"), (b"", ""), (b" up ", " up ")],
)
def test_text_is_printable_ascii(raw: bytes, text: str) -> None:
    assert wire.decode(raw) == text


@pytest.mark.parametrize("raw", [b"\xff", "é".encode(), b"1\x000", b"\x1b[31mup", b"a\rb", b"up\x7f"])
def test_other_bytes_are_refused_and_shown_escaped(raw: bytes) -> None:
    with pytest.raises(WireError):
        wire.decode(raw)
    assert "\\x" in wire.shown(raw)


@given(st.binary())
def test_any_line_is_decoded_or_refused_and_can_be_shown(raw: bytes) -> None:
    try:
        text = wire.decode(raw)
    except WireError:
        pass
    else:
        assert text.isascii()
        assert text.isprintable()
    shown = wire.shown(raw)
    assert shown.isascii()
    assert shown.isprintable()
    assert len(shown) <= 4 * wire.SHOWN_CHARACTERS + 3


@given(st.text())
def test_a_sentence_is_always_one_plain_line(text: str) -> None:
    line = wire.error_line("illegal", text)
    assert line.count("\n") == 1
    assert line[:-1].isascii()
    assert line[:-1].isprintable()


MESSAGES = {
    "arena 1": wire.Hello(1),
    "arena 1 beta": wire.Hello(1),
    "game gridlock": wire.NewGame("gridlock", {}),
    "game gridlock wrap=on size=6": wire.NewGame("gridlock", {"wrap": "on", "size": "6"}),
    "seat P2": wire.YourSeat("P2"),
    "limits start=10000 turn=1000 strikes=3": wire.YourLimits(
        {"start": "10000", "turn": "1000", "strikes": "3"}
    ),
    "seed 8134": wire.Seed(8134),
    "played P2 move 8 9": wire.Played("P2", "move", "8 9"),
    "board 1./.2": wire.BoardNow("1./.2"),
    "state P1-barriers=5 P2-barriers=4": wire.StateNow({"P1-barriers": "5", "P2-barriers": "4"}),
    "time 1000": wire.TimeLeft(1000, {}),
    "time 900 clock=59500": wire.TimeLeft(900, {"clock": "59500"}),
    "error illegal 0 5 is off the board": wire.Refused("illegal", "0 5 is off the board"),
    "? move | 0 1 | 1 0": wire.Prompt("move", ("0 1", "1 0")),
    "? ready | ready": wire.Prompt("ready", ("ready",)),
    "end P1 arrival": wire.End("P1", "arrival"),
    "end none void later words": wire.End("none", "void"),
    "weather sunny": wire.Unknown("weather sunny"),
    "": wire.Unknown(""),
}


@pytest.mark.parametrize(("text", "message"), MESSAGES.items(), ids=str)
def test_a_line_of_the_referee_is_read_as_a_message(text: str, message: wire.Message) -> None:
    found = wire.read_message(text)
    assert found == message
    assert type(found) is type(message)


@pytest.mark.parametrize("text", ["arena", "arena one", "seed x", "played P1", "time soon", "end P1"])
def test_a_known_word_with_a_broken_rest_is_an_error(text: str) -> None:
    with pytest.raises(WireError):
        wire.read_message(text)


@given(st.text())
def test_reading_a_message_raises_nothing_else(text: str) -> None:
    with contextlib.suppress(WireError):
        wire.read_message(text)


@given(
    st.sampled_from(sorted(MESSAGES)), st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126))
)
def test_nor_does_a_known_word_followed_by_anything(start: str, rest: str) -> None:
    with contextlib.suppress(WireError):
        wire.read_message(start.partition(" ")[0] + " " + rest)


def test_the_greeting_reads_back() -> None:
    data = wire.greeting("gridlock", {"wrap": "on"}, "P1", "start=10000 turn=1000 strikes=3", 8134)
    assert [wire.read_message(line) for line in data.decode().splitlines()] == [
        wire.Hello(1),
        wire.NewGame("gridlock", {"wrap": "on"}),
        wire.YourSeat("P1"),
        wire.YourLimits({"start": "10000", "turn": "1000", "strikes": "3"}),
        wire.Seed(8134),
        wire.Prompt("ready", ("ready",)),
    ]
