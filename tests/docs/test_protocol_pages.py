"""Every session on the protocol's pages and in its transcripts is what the referee says, to the letter.

A session is one seat's view. Lines of the bot begin with `< `; lines that begin with `# ` are comments; all
others are the referee's. Replies of the opponent are taken from the `played` lines. What no line shows begins
with `! `:

    ! opening 4          the match begins with so many random plies
    ! after 350          the next event comes so many milliseconds after the turn began
    ! early              the next line of the bot was written before the prompt
    ! timeout            no line comes
    ! line 2000          a line of so many bytes comes
    ! exit 1, ! closed   the bot ends, or closes its output
    ! opponent REPLY     a reply of the opponent that is not told afterwards, such as resign
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import limits, openings, wire
from arena.faults import Code, Evidence
from arena.game import P1, P2, Seat
from arena.games import game_ids, load_game
from arena.record import Record
from arena.referee import Ask, Command, Finish, Inquire, Referee, Setup, Wait

PROTOCOL = Path(__file__).resolve().parents[2] / "protocol"
SPECIFICATION = PROTOCOL / "README.md"
TRANSCRIPTS = sorted((PROTOCOL / "transcripts").glob("*.txt"))
BLOCK = re.compile(r"^```session\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MS = 10**6


def sessions() -> Iterator[tuple[str, str]]:
    for page in [SPECIFICATION, *sorted((PROTOCOL / "games").glob("*.md"))]:
        for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), 1):
            yield f"{page.relative_to(PROTOCOL)}:{number}", block
    for path in TRANSCRIPTS:
        yield path.name, path.read_text(encoding="utf-8")


SESSIONS = dict(sessions())


class Session:
    """A session as it is written, and the referee that says it again line by line."""

    def __init__(self, text: str) -> None:
        self.lines = [line for line in text.splitlines() if line and not line.startswith("# ")]
        said = [wire.read_message(line) for line in self.lines if line[:2] not in ("< ", "! ")]
        if not isinstance(said[0], wire.Hello):  # a page may leave the first line out
            self.lines.insert(0, "arena 1")
        game = next(m for m in said if isinstance(m, wire.NewGame))
        given = next(m for m in said if isinstance(m, wire.YourLimits))
        self.seat = Seat(next(m for m in said if isinstance(m, wire.YourSeat)).seat)
        self.theirs = [m.reply for m in said if isinstance(m, wire.Played) and m.seat == self.seat.other]
        self.theirs += [line[11:] for line in self.lines if line.startswith("! opponent ")]
        openings_said = [int(line[10:]) for line in self.lines if line.startswith("! opening ")]
        self.lines = [line for line in self.lines if not line.startswith(("! opening ", "! opponent "))]
        self.setup = Setup(
            game.game,
            game.options,
            next(m for m in said if isinstance(m, wire.Seed)).seed,
            limits.limits(wire.pairs_text(given.values.items())),
            opening=sum(openings_said),
        )
        self.referee = Referee(self.setup)
        self.at = 0
        self.after_ns = 5 * MS
        self.limit_ns = 0

    def replay(self) -> Record | None:
        """Compare everything; the record, or None when the session stops before the end."""
        greet = self.referee.begin()
        self.limit_ns = greet.limit_ns
        self.hear(greet.data[0 if self.seat is P1 else 1])
        command: Command = self.referee.line(self.seat.other, b"ready", MS, 0)
        while True:
            if isinstance(command, Finish):
                self.hear(command.last_words[0 if self.seat is P1 else 1])
                assert self.at == len(self.lines), f"the match is over, but {self.lines[self.at]!r} follows"
                return command.record
            if isinstance(command, Ask) and command.seat is not self.seat:
                played = sum(ply.seat is not self.seat for ply in self.referee.plies)
                if played == len(self.theirs):
                    assert self.at == len(self.lines), f"nobody says {self.lines[self.at]!r}"
                    return None
                command = self.referee.line(command.seat, self.theirs[played].encode(), MS, 0)
            else:
                assert isinstance(command, Ask | Wait), command
                asked = self.early(command) if isinstance(command, Ask) else command
                if isinstance(asked, Ask):
                    self.hear(asked.data)
                    self.limit_ns = asked.limit_ns
                if self.at == len(self.lines):
                    return None
                command = asked if isinstance(asked, Inquire) else self.event()
            if isinstance(command, Inquire):
                command = self.referee.evidence(Evidence(waiting=True))

    def hear(self, data: bytes) -> None:
        for line in data.decode("ascii").splitlines():
            if self.at < len(self.lines) or line.startswith("end"):
                assert self.lines[self.at : self.at + 1] == [line], f"line {self.at + 1}"
                self.at += 1

    def early(self, command: Ask) -> Command:
        """Lines that were written before the prompt."""
        found: Command = command
        while self.at < len(self.lines) and self.lines[self.at] == "! early":
            found = self.referee.early(self.seat, self.lines[self.at + 1][2:].encode())
            self.at += 2
        return found

    def event(self) -> Command:
        """What the session says the bot does next."""
        line = self.lines[self.at]
        self.at += 1
        wall_ns, self.after_ns = self.after_ns, 5 * MS
        if line.startswith("< "):
            return self.referee.line(self.seat, line[2:].encode(), wall_ns, 0)
        if line.startswith("! after "):
            self.after_ns = int(line[8:]) * MS
            return self.event()
        if line == "! timeout":
            return self.referee.timeout(self.seat, self.limit_ns, 0)
        if line.startswith("! line "):
            return self.referee.overflow(self.seat, b"x" * int(line[7:]), wall_ns, 0)
        if line.startswith("! exit "):
            return self.referee.exited(self.seat, line[2:], wall_ns, 0)
        if line == "! closed":
            return self.referee.closed(self.seat, wall_ns, 0)
        raise AssertionError(
            f"line {self.at}: {line!r} is not what the referee says, nor anything of the bot"
        )


@pytest.mark.parametrize("text", SESSIONS.values(), ids=SESSIONS)
def test_a_session_is_what_the_referee_says(text: str) -> None:
    Session(text).replay()


@pytest.mark.parametrize("game", game_ids())
def test_every_game_has_a_session_on_its_page(game: str) -> None:
    assert any(name.startswith(f"games/{game}.md:") for name in SESSIONS)


@pytest.mark.parametrize("game", ["blockade", "gridlock", "runner-barriers", "runner-walls", "snatchers"])
def test_a_whole_match_is_among_the_transcripts(game: str) -> None:
    """A bot in another language is tried on them; a game that comes later may do without."""
    session = Session((PROTOCOL / "transcripts" / f"{game}.txt").read_text(encoding="utf-8"))
    assert session.setup.game == game
    assert session.replay() is not None


def test_a_wrong_session_is_found_out() -> None:
    text = (PROTOCOL / "transcripts" / "gridlock.txt").read_text(encoding="utf-8")
    for old, new in (("time 1000", "time 999"), ("? lock | ", "? lock | 9 9 | "), ("end P", "end of P")):
        assert old in text
        with pytest.raises(AssertionError):
            Session(text.replace(old, new, 1)).replay()


def test_every_way_to_lose_by_fault_has_a_transcript() -> None:
    reasons = {record.reason for text in SESSIONS.values() if (record := Session(text).replay())}
    assert reasons >= {"resign", *(code.value for code in Code)}


def test_the_specification_states_every_number_of_the_limits() -> None:
    text = SPECIFICATION.read_text(encoding="utf-8")
    known = limits.Limits()
    for words in (
        f"| `start` | {known.start_ns // MS} |",
        f"| `turn` | {known.turn_ns // MS} |",
        f"| `strikes` | {known.strikes} |",
        f"{known.margin_ns // MS} ms",
        f"{known.line_bytes} bytes",
        f"{known.lines_per_prompt} lines",
        f"{known.stderr_bytes // 1024} KiB",
    ):
        assert words in text, words


def test_the_specification_knows_every_word_and_every_reason() -> None:
    from arena.side import REMARK_CHARACTERS, REMARKS_PER_PLY

    text = SPECIFICATION.read_text(encoding="utf-8")
    for word in (*wire._READERS, *(code.value for code in Code), "resign", "ready", "void", "#"):
        assert f"`{word}" in text, word
    assert f"first {REMARKS_PER_PLY} remarks" in text
    assert f"{REMARK_CHARACTERS} characters" in text
    assert f"`arena {wire.VERSION}`" in text


def test_the_four_line_bot_of_the_specification_plays_every_game() -> None:
    """The program on the page itself, run on what the referee sends."""
    import contextlib
    import io
    import sys

    block = re.search(r"^```python\n(.*?)^```$", SPECIFICATION.read_text(encoding="utf-8"), re.M | re.S)
    assert block is not None
    program = compile(block[1], "four_line_bot.py", "exec")
    assert len(block[1].strip().splitlines()) == 4
    assert block[0] in (PROTOCOL.parent / "README.md").read_text(encoding="utf-8")

    def reply(data: bytes) -> bytes:
        out, old = io.StringIO(), sys.stdin
        sys.stdin = io.StringIO(data.decode("ascii"))
        try:
            with contextlib.redirect_stdout(out):
                exec(program, {})
        finally:
            sys.stdin = old
        assert out.getvalue().count("\n") == 1
        return out.getvalue().rstrip("\n").encode()

    for game in game_ids():
        referee = Referee(Setup(game, seed=5))
        greet = referee.begin()
        referee.line(P1, reply(greet.data[0]), MS, 0)
        command = referee.line(P2, reply(greet.data[1]), MS, 0)
        while isinstance(command, Ask):
            command = referee.line(command.seat, reply(command.data), MS, 0)
        assert isinstance(command, Finish)
        assert command.record.fault is None


def test_an_opening_in_a_transcript_is_the_one_of_its_seed() -> None:
    """So that the transcripts pin the openings too: they are the same in every release of protocol 1."""
    start = load_game("gridlock").start({}, 8134)
    replies = [ply.reply for ply in openings.draw(start, 4, 8134).plies]
    text = (PROTOCOL / "transcripts" / "opening.txt").read_text(encoding="utf-8")
    assert [line.split(" ", 3)[3] for line in text.splitlines() if line.startswith("played")][:4] == replies
