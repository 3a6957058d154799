r"""The record of a match: who played what, how it ended, and the text form of all that.

The text has headers, one empty line, and then the match line by line in UTF-8:

    [Game "gridlock"]                     headers: a name and a quoted value, fixed order, extra ones last
    [Options "wrap=on size=6"]
    …
    P1> 2 3 ; move opening                a ply: canonical reply, prompt, who played it if not the bot
    P2> pass ; move automatic             played by the referee: there was no choice
    P1! 0 5 ; illegal: 0 5 is …           a refused reply: its text, the verdict and the reason
    P1# depth 4, score 12                 a remark of the bot; these two stand before their ply
    P1> 1 0 ; move wall=412 cpu=301       a ply of the bot: wall and CPU time in microseconds
    P2- move wall=1010000 cpu=3           always last: the prompt that a forfeit or `resign` left open

A reader that only wants the plies takes the lines that begin `P1> ` or `P2> ` up to ` ; ` and skips the rest.
In a quoted value `\` and `"` are written `\\` and `\"`; in a line `\` and `;` are written `\\` and `\;`; in
both, a character that does not print is `\n`, `\t`, `\xNN`, `\uNNNN` or `\UNNNNNNNN`. `read(write(r)) == r`,
and `write(read(text)) == text` for every text that `write` made.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from arena.game import P1, P2, Seat
from arena.wire import pairs_text, read_pairs

VOID = "void"
"""The reason of a match that is nobody's: our fault, played again."""


class RecordError(ValueError):
    """A text that is not a record; the message is a sentence with the line number."""


class Ply(NamedTuple):
    """One decision as it was played. `by` is `bot`, or `opening`/`automatic` when the referee played it."""

    seat: Seat
    prompt: str
    reply: str
    wall_us: int = 0
    cpu_us: int = 0
    by: str = "bot"
    remarks: tuple[str, ...] = ()
    refused: tuple[tuple[str, str, str], ...] = ()
    """Replies turned down before this one: (text, verdict, reason)."""


class Unanswered(NamedTuple):
    """The prompt at which a match was forfeited or resigned, and what came instead of a reply."""

    seat: Seat
    prompt: str
    wall_us: int = 0
    cpu_us: int = 0
    remarks: tuple[str, ...] = ()
    refused: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Fault:
    """Why a match was forfeited: a code for machines, a sentence for people, and what was seen."""

    seat: Seat
    code: str
    sentence: str
    received: str | None = None
    stderr: str = ""
    exit_status: str | None = None
    """`exit 1` or `signal SIGSEGV`; None while the process was alive."""
    doubtful: bool = False
    """A time loss for want of a processor: the machine may be to blame."""


class Record(NamedTuple):
    """Everything that is kept of one match."""

    game: str
    options: tuple[tuple[str, str], ...]
    """Only the options that differ from the game's defaults."""
    seed: int
    bots: tuple[str, str]
    """P1 and P2, as `name@version`."""
    limits: str
    plies: tuple[Ply, ...]
    winner: Seat | None
    """None for a void match, and for nothing else."""
    reason: str
    turns: int
    board: str
    """The last board, one line."""
    opening: int = 0
    date: str = ""
    sandbox: str = "off"
    fault: Fault | None = None
    headers: tuple[tuple[str, str], ...] = ()
    """Anything else that a header may say, such as the tournament."""
    unanswered: Unanswered | None = None
    """Where the match stopped, when it did not stop by the rules of the game."""


HEADERS = (
    "Game",
    "Options",
    "Seed",
    "Date",
    "P1",
    "P2",
    "Limits",
    "Opening",
    "Sandbox",
    "Winner",
    "Reason",
    "Turns",
    "Board",
)
FAULT_HEADERS = ("Fault", "FaultText", "FaultReceived", "FaultExit", "FaultDoubtful", "FaultStderr")
"""`[Fault "P1 timeout"]`; those after `FaultText` are there when there is something to say."""

_HEADER = re.compile(r'\[([A-Za-z][A-Za-z0-9-]*) "(.*)"\]')
_TIMES = re.compile(r"wall=([0-9]+) cpu=([0-9]+)")
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))")
_PLIED = {P1: "P1> ", P2: "P2> "}
_NAMED = {"\n": "\\n", "\t": "\\t"}
_NAMED_BACK = {"n": "\n", "t": "\t"}


def _escape(text: str, mark: str) -> str:
    """`text` without unprintable characters, and with `mark` and the backslash escaped."""
    if text.isprintable() and "\\" not in text and mark not in text:
        return text
    return "".join(_escaped(c, mark) for c in text)


def _escaped(character: str, mark: str) -> str:
    if character in ("\\", mark):
        return "\\" + character
    if character.isprintable():
        return character
    number = ord(character)
    form = f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
    return _NAMED.get(character, form if number < 0x10000 else f"\\U{number:08x}")


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(found: re.Match[str]) -> str:
    digits = found[1] or found[2] or found[3]
    if digits is None:
        return _NAMED_BACK.get(found[4], found[4])
    number = int(digits, 16)
    if number > 0x10FFFF:
        raise RecordError(f"{found[0]} is not a character")
    return chr(number)


def write(record: Record) -> str:
    """The text of a record; ValueError when an extra header has the name of a known one or is no name."""
    lines = [f'[{name} "{_escape(value, chr(34))}"]' for name, value in _headers(record)]
    lines.append("")
    for seat, prompt, reply, wall_us, cpu_us, by, remarks, refused in record.plies:
        if refused or remarks:
            _write_attempts(lines, seat, refused, remarks)
        how = f"wall={wall_us} cpu={cpu_us}" if by == "bot" else by
        lines.append(f"{_PLIED[seat]}{_escape(reply, ';')} ; {prompt} {how}")
    last = record.unanswered
    if last is not None:
        _write_attempts(lines, last.seat, last.refused, last.remarks)
        lines.append(f"{last.seat}- {last.prompt} wall={last.wall_us} cpu={last.cpu_us}")
    lines.append("")
    return "\n".join(lines)


def _write_attempts(
    lines: list[str], seat: Seat, refused: tuple[tuple[str, str, str], ...], remarks: tuple[str, ...]
) -> None:
    for text, verdict, reason in refused:
        lines.append(f"{seat}! {_escape(text, ';')} ; {verdict}: {_escape(reason, ';')}")
    lines.extend(f"{seat}# {_escape(remark, ';')}" for remark in remarks)


def _headers(record: Record) -> list[tuple[str, str]]:
    values = (
        record.game,
        pairs_text(record.options),
        str(record.seed),
        record.date,
        *record.bots,
        record.limits,
        str(record.opening),
        record.sandbox,
        str(record.winner or "none"),
        record.reason,
        str(record.turns),
        record.board,
    )
    found = list(zip(HEADERS, values, strict=True))
    fault = record.fault
    if fault is not None:
        said = (
            f"{fault.seat} {fault.code}",
            fault.sentence,
            fault.received,
            fault.exit_status,
            "yes" if fault.doubtful else None,
            fault.stderr or None,
        )
        found += [(k, v) for k, v in zip(FAULT_HEADERS, said, strict=True) if v is not None]
    taken = {*HEADERS, *FAULT_HEADERS}
    for name, value in record.headers:
        if name in taken or not _HEADER.fullmatch(f'[{name} ""]'):
            raise ValueError(f"{name!r} cannot be an extra header")
        taken.add(name)
        found.append((name, value))
    return found


def read(text: str) -> Record:
    """The record that a text holds; raises RecordError naming the line that cannot be read."""
    lines = text.split("\n")
    try:
        blank = lines.index("")
    except ValueError:
        raise RecordError("a record has headers, an empty line, and then the plies") from None
    headers = dict(_read_header(number, line) for number, line in enumerate(lines[:blank], 1))
    if len(headers) != blank:
        raise RecordError("a header stands there twice")
    plies: list[Ply] = []
    unanswered = None
    remarks: list[str] = []
    refused: list[tuple[str, str, str]] = []
    for number, line in enumerate(lines[blank + 1 :], blank + 2):
        if not line:
            continue
        kind, seat, rest = line[2:4], _seat(line[:2], number), line[4:]
        if unanswered is not None:
            raise RecordError(f"line {number}: nothing may follow the prompt that was never answered")
        if kind == "# ":
            remarks.append(_unescape(rest))
        elif kind == "! ":
            refused.append(_read_refused(number, rest))
        elif kind == "> ":
            plies.append(
                _read_ply(number, seat, rest)._replace(remarks=tuple(remarks), refused=tuple(refused))
            )
            remarks, refused = [], []
        elif kind == "- ":
            prompt, wall, cpu = _read_times(number, rest)
            unanswered = Unanswered(seat, prompt, wall, cpu, tuple(remarks), tuple(refused))
            remarks, refused = [], []
        else:
            raise RecordError(f"line {number}: a line begins with P1> P1# P1! or P1-, or the same for P2")
    if remarks or refused:
        raise RecordError("the last remarks or refused replies belong to no prompt")
    return _record(headers, tuple(plies), unanswered)


def _read_header(number: int, line: str) -> tuple[str, str]:
    found = _HEADER.fullmatch(line)
    if found is None:
        raise RecordError(f'line {number}: a header is written [Name "value"]')
    return found[1], _unescape(found[2])


def _seat(text: str, number: int) -> Seat:
    if text not in (P1, P2):
        raise RecordError(f"line {number}: the seat is P1 or P2")
    return Seat(text)


def _read_refused(number: int, rest: str) -> tuple[str, str, str]:
    text, parted, verdict_and_reason = rest.partition(" ; ")
    verdict, colon, reason = verdict_and_reason.partition(": ")
    if not parted or not colon:
        raise RecordError(f"line {number}: a refused reply is written P1! REPLY ; VERDICT: REASON")
    return _unescape(text), verdict, _unescape(reason)


def _read_ply(number: int, seat: Seat, rest: str) -> Ply:
    reply, parted, notes = rest.partition(" ; ")
    prompt, _, how = notes.partition(" ")
    if not parted or not prompt or not how:
        raise RecordError(f"line {number}: a ply is written P1> REPLY ; PROMPT wall=N cpu=N")
    if how.startswith("wall="):
        _, wall, cpu = _read_times(number, notes)
        return Ply(seat, prompt, _unescape(reply), wall, cpu)
    return Ply(seat, prompt, _unescape(reply), by=how)


def _read_times(number: int, notes: str) -> tuple[str, int, int]:
    prompt, _, times = notes.partition(" ")
    found = _TIMES.fullmatch(times)
    if found is None:
        raise RecordError(f"line {number}: times are written wall=N cpu=N, in microseconds")
    return prompt, int(found[1]), int(found[2])


def _record(headers: dict[str, str], plies: tuple[Ply, ...], unanswered: Unanswered | None) -> Record:
    try:
        winner = headers["Winner"]
        return Record(
            game=headers["Game"],
            options=tuple(read_pairs(headers["Options"]).items()),
            seed=int(headers["Seed"]),
            bots=(headers["P1"], headers["P2"]),
            limits=headers["Limits"],
            plies=plies,
            winner=None if winner == "none" else Seat(winner),
            reason=headers["Reason"],
            turns=int(headers["Turns"]),
            board=headers["Board"],
            opening=int(headers["Opening"]),
            date=headers["Date"],
            sandbox=headers["Sandbox"],
            fault=_fault(headers),
            headers=tuple((k, v) for k, v in headers.items() if k not in HEADERS and k not in FAULT_HEADERS),
            unanswered=unanswered,
        )
    except KeyError as missing:
        raise RecordError(f"the header {missing.args[0]} is missing") from None
    except ValueError as error:
        raise RecordError(f"a header cannot be read: {error}") from None


def _fault(headers: dict[str, str]) -> Fault | None:
    if "Fault" not in headers:
        return None
    seat, _, code = headers["Fault"].partition(" ")
    return Fault(
        seat=Seat(seat),
        code=code,
        sentence=headers["FaultText"],
        received=headers.get("FaultReceived"),
        exit_status=headers.get("FaultExit"),
        doubtful=headers.get("FaultDoubtful") == "yes",
        stderr=headers.get("FaultStderr", ""),
    )
