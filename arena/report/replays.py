"""Matches for the replay viewer: which ones a page embeds, and how they are packed.

Packed means JSON, deflated, in base64; the browser undoes that itself, from a file and without a network too.
A match is a few columns (replies, times) and one first board with the cells that each ply changed.
"""

import base64
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.game import Position, ReplyError
from arena.games import load_game
from arena.record import Fault, Ply, Record, Unanswered
from arena.standings import Standings

EMBEDDED = 1_000
"""Matches that a page embeds at most."""
BUDGET = 1_400_000
"""Characters that the packed matches may take: a page stays below 2 MB, for mail and for phones."""
LISTED = 5_000
"""Matches that a page lists at most, embedded or not."""
_CHUNK = 25
"""Matches packed together: enough to share their common words, few enough to unpack at a click."""
_REMARK = 240
"""Characters of a remark, a refused reply or an error text that are shown."""
_REMARKS = 8
"""Remarks of one ply that are shown."""
_CHOICE = "forfeits first, then the greatest upsets, one match of each pair, and a spread of the rest"
_SIDE = {("P1", "bot"): "1", ("P2", "bot"): "2", ("P1", "opening"): "a", ("P2", "opening"): "b"}
"""Who played a ply, in one character; what is not here the referee played because there was no choice."""


class Replays(NamedTuple):
    """What the page embeds."""

    matches: str
    """Packed: the list of matches."""
    chunks: tuple[str, ...]
    """Packed: the replays."""
    embedded: int
    listed: int
    chosen: str
    """Which matches were chosen, in words; empty when all were."""


def pack(value: object) -> str:
    """JSON, deflated, in base64."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def replays(tables: Standings, record_of: Callable[[int], Record | None]) -> Replays:
    """Choose matches, read their records and pack them; records are asked for one at a time."""
    wanted = choose(tables)
    chunks: list[str] = []
    place: dict[int, int] = {}
    size = 0
    for numbers, packed in _packed_chunks(wanted, record_of):
        if chunks and size + len(packed) > BUDGET:
            break
        size += len(packed)
        place.update(dict.fromkeys(numbers, len(chunks)))
        chunks.append(packed)
    listed = _index(tables, place)
    all_in = len(place) >= tables.facts.played
    return Replays(pack(listed), tuple(chunks), len(place), len(listed["matches"]), "" if all_in else _CHOICE)


def choose(tables: Standings, limit: int = EMBEDDED) -> list[int]:
    """Numbers of the matches worth looking at, the most interesting first."""
    played = (tables.matches["winner"] != "") & ~tables.matches["withdrawn"]
    frame = tables.matches.loc[played, ["number", "p1", "p2", "winner", "forfeit"]]
    if not len(frame):
        return []
    mu = dict(zip(tables.table["bot"], tables.table["rating"], strict=True))
    edge = frame["p1"].map(mu).astype(float) - frame["p2"].map(mu).astype(float)
    upset = np.where(frame["winner"] == "P1", -edge, edge)
    numbers = frame["number"].to_numpy()
    by_upset = np.argsort(-upset, kind="stable")
    first = _first_of_pairs(frame, tables.labels)
    spread = numbers[np.unique(np.linspace(0, len(numbers) - 1, min(limit, len(numbers))).astype(int))]
    kinds: tuple[Iterable[int], ...] = (
        frame.loc[frame["forfeit"] != "", "number"].to_numpy()[: limit // 3],
        numbers[by_upset[: int((upset > 0).sum())]][: limit // 4],
        first[: limit // 3],
        spread,
        numbers[:limit],
    )
    chosen = dict.fromkeys(int(number) for kind in kinds for number in kind)
    return list(chosen)[:limit]


def _first_of_pairs(frame: pd.DataFrame, labels: Sequence[str]) -> NDArray[np.int64]:
    place = {label: number for number, label in enumerate(labels)}
    p1, p2 = (frame[seat].map(place).to_numpy(np.int64) for seat in ("p1", "p2"))
    pairs = np.minimum(p1, p2) * len(labels) + np.maximum(p1, p2)
    return frame["number"].to_numpy()[np.sort(np.unique(pairs, return_index=True)[1])]


def _packed_chunks(
    numbers: Iterable[int], record_of: Callable[[int], Record | None]
) -> Iterator[tuple[list[int], str]]:
    waiting: dict[int, dict[str, Any]] = {}
    for number in numbers:
        record = record_of(number)
        if record is not None:
            waiting[number] = encode(record)
        if len(waiting) == _CHUNK:
            yield list(waiting), pack(waiting)
            waiting = {}
    if waiting:
        yield list(waiting), pack(waiting)


def _index(tables: Standings, place: dict[int, int]) -> dict[str, Any]:
    """The list of matches in columns; bots and reasons are numbers into lists."""
    frame = tables.matches
    if len(frame) > LISTED:
        frame = frame[frame["number"].isin(list(place))]
    bots = {label: number for number, label in enumerate(tables.labels)}
    reasons = list(dict.fromkeys(frame["reason"].astype(str)))
    flags = (frame["forfeit"] != "") + 2 * frame["doubtful"] + 4 * frame["withdrawn"] + 8 * frame["identical"]
    columns = (
        frame["number"],
        frame["p1"].map(bots),
        frame["p2"].map(bots),
        frame["winner"].map({"P1": 1, "P2": 2, "": 0}),
        frame["reason"].map({reason: number for number, reason in enumerate(reasons)}),
        frame["turns"],
        flags,
        frame["seed"],
        frame["number"].map(lambda number: place.get(number, -1)),
    )
    matches = list(zip(*(column.astype(int).tolist() for column in columns), strict=True))
    return {"matches": matches, "reasons": reasons, "all": len(tables.matches)}


def encode(record: Record) -> dict[str, Any]:
    """One match for the page. A record that the rules do not follow any more is shown as far as they do."""
    position = load_game(record.game).start(dict(record.options), record.seed)
    drawn = position.data()
    boards, states, broken = _replay(position, record.plies)
    packed: dict[str, Any] = {
        "board": boards[0],
        "rows": drawn["rows"],
        "columns": drawn["columns"],
        "changes": [changes(*pair) for pair in pairwise(boards)],
        "sides": "".join(
            _SIDE.get((ply.seat, ply.by), "A" if ply.seat == "P1" else "B") for ply in record.plies
        ),
        "prompts": [ply.prompt for ply in record.plies],
        "replies": [ply.reply for ply in record.plies],
        "wall": [_rounded(ply.wall_us) for ply in record.plies],
        "cpu": [_rounded(ply.cpu_us) for ply in record.plies],
        "remarks": {n: _remarks(ply) for n, ply in enumerate(record.plies) if ply.remarks},
        "refused": {n: _refused(ply) for n, ply in enumerate(record.plies) if ply.refused},
        "states": states,
    }
    if broken:
        packed["broken"] = broken
    if record.unanswered is not None:
        packed["open"] = _unanswered(record.unanswered)
    if record.fault is not None:
        packed["fault"] = _fault(record.fault)
    return packed


def _replay(position: Position, plies: Iterable[Ply]) -> tuple[list[str], dict[int, Any], str]:
    """Boards before and after each ply, what else is known where that changes, and why it stopped early."""
    boards, states = [position.board()], {0: dict(position.state())}
    known = states[0]
    for number, ply in enumerate(plies, 1):
        try:
            position = position.apply(ply.reply)
        except ReplyError as error:
            return boards, states, f"ply {number} cannot be played by the rules as they are now: {error}"
        boards.append(position.board())
        if (state := dict(position.state())) != known:
            states[number] = known = state
    return boards, {n: s for n, s in states.items() if n or s}, ""


def changes(before: str, after: str) -> str:
    """Cells that differ, four characters each: place in the text in base 36, and what is there now."""
    found = [_base36(n) + new for n, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    return "".join(found)


def _base36(number: int) -> str:
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    return digits[number // 1296] + digits[number // 36 % 36] + digits[number % 36]


def _rounded(microseconds: int) -> int:
    """Three digits: more is noise, and noise does not compress."""
    return int(float(f"{microseconds:.3g}"))


def _cut(text: str, limit: int = _REMARK) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _remarks(ply: Ply | Unanswered) -> list[str]:
    shown = [_cut(remark) for remark in ply.remarks[:_REMARKS]]
    left = len(ply.remarks) - len(shown)
    return [*shown, f"… and {left} more"] if left else shown


def _refused(ply: Ply | Unanswered) -> list[list[str]]:
    return [[_cut(text), verdict, _cut(reason)] for text, verdict, reason in ply.refused[:_REMARKS]]


def _unanswered(last: Unanswered) -> dict[str, Any]:
    return {
        "seat": str(last.seat),
        "prompt": last.prompt,
        "wall": _rounded(last.wall_us),
        "cpu": _rounded(last.cpu_us),
        "remarks": _remarks(last),
        "refused": _refused(last),
    }


def _fault(fault: Fault) -> dict[str, Any]:
    said = {
        "seat": str(fault.seat),
        "code": fault.code,
        "text": _cut(fault.sentence, 600),
        "received": _cut(fault.received) if fault.received is not None else None,
        "exit": fault.exit_status,
        "stderr": fault.stderr[-1500:],
        "doubtful": fault.doubtful,
    }
    return {key: value for key, value in said.items() if value}
