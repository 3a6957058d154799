"""Grid Runner with barriers: run to the opponent's corner, catch its runner, or bar its way."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from arena import grid
from arena.game import (
    P1,
    P2,
    R_LIMIT,
    R_REPEAT,
    R_RETRY,
    R_SEATS,
    REPETITION,
    TURN_LIMIT,
    Example,
    Game,
    Illegal,
    Malformed,
    Outcome,
    Prompt,
    Ruling,
    Seat,
    Settings,
    board_data,
    choice,
    limited,
    turn_limit,
)

SIZE = 5
CELLS = SIZE * SIZE
BOARD = (1 << CELLS) - 1
CORNERS = (0, CELLS - 1)
"""Where P1 and P2 start: A1 and E5."""
BARRIERS = 3
LATTICE = grid.lattice(SIZE, SIZE)
AROUND = grid.orthogonal(SIZE, SIZE)
NAMES = tuple(f"{'ABCDE'[cell % SIZE]}{cell // SIZE + 1}" for cell in range(CELLS))
NUMBERS = {name: cell for cell, name in enumerate(NAMES)}
MOVED_TO = {f"MOVE {name}": cell for name, cell in NUMBERS.items()}
BARRED = {f"BARRIER {name}": 1 << cell for name, cell in NUMBERS.items()}
ROWS = tuple(
    tuple(tuple(f"BARRIER {NAMES[row * SIZE + c]}" for c in grid.bits(part)) for part in range(1 << SIZE))
    for row in range(SIZE)
)
"""For each row and each set of cells in it, the replies that place a barrier there."""
PASS = ("pass",)
HANDS: tuple[tuple[Mapping[str, str], ...], ...] = tuple(
    tuple(
        MappingProxyType({"barriers-P1": str(first), "barriers-P2": str(second)})
        for second in range(BARRIERS + 1)
    )
    for first in range(BARRIERS + 1)
)
"""What `state` says, for the barriers in hand of P1 and P2."""
FAR = CELLS
"""Longer than any path: what a runner without a path counts as."""

_CELL = re.compile("[A-Z][0-9]{1,2}")


class Rules(NamedTuple):
    """The settings of a match, read once."""

    capture: bool
    adjacent: bool
    """Whether a barrier may stand next to the runner of the player who places it."""
    path: bool
    """Whether a barrier has to leave a path to the goal, or else only one free cell beside the runner."""
    unique: bool
    """Whether every board has to be new."""
    limit: int | None


@lru_cache(maxsize=1 << 16)
def bottlenecks(barriers: int, runner: int, goal: int) -> int:
    """The cells that every way of a runner to its goal uses."""
    return LATTICE.bottlenecks(1 << runner, 1 << goal, BOARD & ~barriers)


class RunnerPosition(NamedTuple):
    """The runners and barriers, seen by the player to act: `own` and `own_left` are its cell and its hand."""

    rules: Rules
    own: int
    other: int
    barriers: int
    own_left: int
    other_left: int
    turns: int
    seen: int
    """Where the two runners have stood since the last barrier came: bit 25 * (cell of P1) + (cell of P2)."""
    moves: tuple[str, ...]
    """The moves that are available, or the pass of a player without any action."""
    places: int
    """The cells on which the player to act may place a barrier."""
    outcome: Outcome | None

    @property
    def seat(self) -> Seat | None:
        """P1 acts on even turns."""
        if self.outcome:
            return None
        return P2 if self.turns & 1 else P1

    @property
    def prompt(self) -> str | None:
        """There is one question only."""
        return None if self.outcome else "action"

    @property
    def automatic(self) -> str | None:
        """A player without any action passes (possible with capture=off only)."""
        return "pass" if self.moves == PASS else None

    def available(self) -> tuple[str, ...]:
        """The moves, then the barriers, each row by row."""
        places = self.places
        if not places:
            return self.moves
        return (
            self.moves
            + ROWS[0][places & 31]
            + ROWS[1][places >> 5 & 31]
            + ROWS[2][places >> 10 & 31]
            + ROWS[3][places >> 15 & 31]
            + ROWS[4][places >> 20]
        )

    def parse(self, text: str) -> str:
        """`MOVE B2` and `BARRIER C3`, in any case and with any run of blanks."""
        words = text.upper().split() if text.isascii() else []
        if self.outcome:
            raise Illegal("the match is over")
        if words == ["PASS"]:
            if self.moves == PASS:
                return "pass"
            raise Illegal("you have an action, so you cannot pass")
        if len(words) != 2 or words[0] not in ("MOVE", "BARRIER") or not _CELL.fullmatch(words[1]):
            raise Malformed(
                f"{grid.shown(text)} is not an action: type MOVE or BARRIER and a cell, like MOVE B2"
            )
        action, name = words
        if name not in NUMBERS:
            raise Illegal(f"{name} is off the board: columns go from A to E and rows from 1 to 5")
        why = self._no_move(NUMBERS[name]) if action == "MOVE" else self._no_barrier(NUMBERS[name])
        if why:
            raise Illegal(why)
        return f"{action} {name}"

    def apply(self, reply: str) -> "RunnerPosition":
        """Move the runner or place a barrier; the other player is to act."""
        if reply in self.moves:
            return self._after(MOVED_TO.get(reply, self.own), 0)
        barrier = BARRED.get(reply, 0)
        if not barrier & self.places:
            return self.apply(self.parse(reply))
        return self._after(self.own, barrier)

    def cell(self, seat: Seat) -> int:
        """The cell of this seat's runner."""
        return self.own if (seat is P1) == (self.turns & 1 == 0) else self.other

    def board(self) -> str:
        """1 and 2 are the runners; the one that moved last stands on the one it has captured."""
        own, other = ("2", "1") if self.turns & 1 else ("1", "2")
        return grid.set_two(grid.walled_board(SIZE, self.barriers), SIZE, self.own, own, self.other, other)

    def state(self) -> Mapping[str, str]:
        """The barriers in hand."""
        if self.turns & 1:
            return HANDS[self.other_left][self.own_left]
        return HANDS[self.own_left][self.other_left]

    def diagram(self) -> str:
        """Columns A to E, rows 1 to 5, as in the rule book."""
        return "\n".join(
            ["  A  B  C  D  E", *(f"{n} {row}" for n, row in enumerate(grid.runner_rows(self.board()), 1))]
        )

    def data(self) -> dict[str, Any]:
        """Rows are numbered from 1, columns have letters."""
        return board_data(self, list("12345"), list("ABCDE"))

    def _after(self, runner: int, barrier: int) -> "RunnerPosition":
        """The next position, with the runner that acts on this cell and this barrier (or none) added."""
        after = (self.rules, self.other, runner, self.barriers | barrier, self.other_left)
        left, turns = self.own_left - 1 if barrier else self.own_left, self.turns + 1
        mover = P2 if self.turns & 1 else P1
        if runner == self.other:
            return RunnerPosition(*after, left, turns, self.seen, (), 0, Outcome(mover, "capture"))
        if runner == CORNERS[mover is P1]:
            return RunnerPosition(*after, left, turns, self.seen, (), 0, Outcome(mover, "arrival"))
        # A board with one barrier more is new, and none of the old ones can come back.
        return _settled(*after, left, turns, 0 if barrier else self.seen)

    def _no_move(self, to: int) -> str | None:
        """Why the runner cannot move there, or None if it can."""
        name, here = NAMES[to], NAMES[self.own]
        if f"MOVE {name}" in self.moves:
            return None
        if to == self.own:
            return f"your runner is on {name} already"
        if not AROUND[self.own] >> to & 1:
            return f"{name} is not one step up, down, left or right of your runner on {here}"
        if self.barriers >> to & 1:
            return f"{name} is a barrier"
        if to == self.other:
            return f"{name} is taken by the other runner, and capture is off"
        return f"going back to {name} would repeat a board of this match"

    def _no_barrier(self, cell: int) -> str | None:
        """Why a barrier cannot be placed there, or None if it can."""
        name, bit = NAMES[cell], 1 << cell
        if self.places & bit:
            return None
        if not self.own_left:
            return "you have no barriers left"
        if self.barriers & bit:
            return f"{name} is a barrier already"
        if cell in (self.own, self.other):
            return f"{name} is taken by {'your own' if cell == self.own else 'the other'} runner"
        if not self.rules.adjacent and AROUND[self.own] & bit:
            return f"{name} is next to your own runner"
        shut = _vital(self.rules, self.barriers, self.own, CORNERS[1 - (self.turns & 1)]) & bit
        seat = self.seat if shut or self.seat is None else self.seat.other
        if self.rules.path:
            return f"{name} would leave {seat} without a path to {NAMES[CORNERS[seat is P1]]}"
        return f"{name} would enclose the runner of {seat}"


@cache
def _steps(near: int, stride: int) -> grid.Steps:
    """The moves to these cells."""
    return grid.steps({f"MOVE {NAMES[to]}": to for to in grid.bits(near)}, stride)


def _settled(
    rules: Rules,
    own: int,
    other: int,
    barriers: int,
    own_left: int,
    other_left: int,
    turns: int,
    seen: int,
) -> RunnerPosition:
    """The position with its moves filled in and, if it goes no further, its outcome."""
    stride, base = (1, other * CELLS) if turns & 1 else (CELLS, other)
    if rules.unique:
        seen |= 1 << own * stride + base
    closed = barriers if rules.capture else barriers | 1 << other
    moves = _steps(AROUND[own] & ~closed, stride).leading_to_new(seen >> base)
    places = _places(rules, own, other, barriers, turns) if own_left else 0
    position = RunnerPosition(
        rules, own, other, barriers, own_left, other_left, turns, seen, moves, places, None
    )
    if not moves and not places:
        position = _stuck(position, closed)
    if turns == rules.limit and position.outcome is None:
        return position._replace(moves=(), places=0, outcome=_adjudicated(position))
    return position


def _places(rules: Rules, own: int, other: int, barriers: int, turns: int) -> int:
    """The cells on which the player to act may place a barrier, as long as it has one."""
    odd = turns & 1
    taken = barriers | 1 << own | 1 << other
    taken |= _vital(rules, barriers, own, CORNERS[1 - odd]) | _vital(rules, barriers, other, CORNERS[odd])
    if not rules.adjacent:
        taken |= AROUND[own]
    return BOARD & ~taken


def _vital(rules: Rules, barriers: int, runner: int, goal: int) -> int:
    """The cells that a barrier would take from a runner against the enclosure rule."""
    if rules.path:
        return bottlenecks(barriers, runner, goal)
    near = AROUND[runner] & ~barriers
    return 0 if near & near - 1 else near


def _stuck(position: RunnerPosition, closed: int) -> RunnerPosition:
    """A player without a reply has lost by repetition, or passes, or nobody can do anything any more."""
    if AROUND[position.own] & ~closed:
        return position._replace(outcome=Outcome(P1 if position.turns & 1 else P2, "repetition"))
    rules, own, other, barriers, _, other_left, turns = position[:7]
    moves = AROUND[other] & ~(barriers | 1 << own)
    if moves or (other_left and _places(rules, other, own, barriers, turns + 1)):
        return position._replace(moves=PASS)
    return position._replace(outcome=_adjudicated(position))


def _adjudicated(position: RunnerPosition) -> Outcome:
    """The runner with the shorter path to its goal wins; level goes to P1."""
    free = BOARD & ~position.barriers
    lengths = (
        LATTICE.distance(1 << position.cell(seat), 1 << goal, free)
        for seat, goal in zip((P1, P2), reversed(CORNERS), strict=True)
    )
    first, second = (FAR if length is None else length for length in lengths)
    return Outcome(P1 if first <= second else P2, "adjudicated")


def _build(settings: Settings, seed: int) -> RunnerPosition:
    del seed  # nothing in this game is drawn
    rules = Rules(
        capture=settings["capture"] == "on",
        adjacent=settings["adjacent-barriers"] == "allowed",
        path=settings["enclosure"] == "path",
        unique=settings["repetition"] == "forbidden",
        limit=turn_limit(settings),
    )
    return _settled(rules, *CORNERS, 0, BARRIERS, BARRIERS, 0, 0)


def _turn_bound(settings: Settings) -> int:
    """Every turn but a pass makes a new board, and a pass is never answered by a pass.

    With k barriers there are (25 - k)(24 - k) boards. The first one is there before any turn; the board of
    a capture, with one runner, is the only one that is not among them. So such turns are no more than boards.
    """
    boards = sum((CELLS - k) * (CELLS - 1 - k) for k in range(2 * BARRIERS + 1))
    return limited(boards if settings["capture"] == "on" else 2 * boards + 1, settings)


GAME = Game(
    id="runner-barriers",
    title="Grid Runner with barriers",
    goal="Bring your runner to the opponent's starting corner (P1 from A1 to E5, P2 from E5 to A1), "
    "or move it onto the opponent's runner.",
    play="On a board of 5 by 5 the runner of P1 starts on A1 at the top left, that of P2 on E5 at the "
    "bottom right, and each player has three barriers. In a turn you either move your runner one cell "
    "up, down, left or right, or place a barrier on an empty cell. Barriers stay for good, and no "
    "runner can enter them.",
    notation="MOVE or BARRIER and a cell: column A to E, row 1 to 5 from the top. MOVE B2 moves your runner "
    "one cell; BARRIER C3 places one of your three barriers. Upper or lower case, any run of blanks.",
    prompts=(Prompt("action", "move your runner or place a barrier", "MOVE B2"),),
    symbols={"1": "the runner of P1", "2": "the runner of P2", "X": "a barrier", ".": "an empty cell"},
    options=(
        choice("capture", "on", "off", meaning="whether moving onto the other runner is allowed, and wins"),
        choice(
            "adjacent-barriers",
            "banned",
            "allowed",
            meaning="whether a barrier may be placed next to your own runner",
        ),
        choice(
            "enclosure",
            "path",
            "cell",
            meaning="what a barrier must leave each runner: a path to its goal, or one free cell beside it",
        ),
        REPETITION,
        TURN_LIMIT,
    ),
    rulings=(
        Ruling(
            "RB-CAPTURE",
            "Moving onto the opponent's runner is legal and wins (reason: capture), on a goal corner too. "
            "With capture=off that cell is closed.",
            "capture",
        ),
        Ruling(
            "RB-ADJACENT",
            "A barrier may not be placed directly above, below, left or right of your own runner; next to "
            "the opponent's it may.",
            "adjacent-barriers",
        ),
        Ruling(
            "RB-ENCLOSURE",
            "A barrier must leave both runners a path of cells without barriers to their goals; runners "
            "do not block paths. So no goal corner is ever barred. With enclosure=cell it must only leave "
            "both runners one cell beside them without a barrier, and that may be the cell of the other "
            "runner.",
            "enclosure",
        ),
        Ruling(
            "RB-CELLS",
            "Barriers may go on any cell that is empty, a starting corner that was left included, as far "
            "as RB-ENCLOSURE lets them.",
        ),
        Ruling(
            "RB-REPEAT",
            "A board is both runners and all barriers, whoever placed them. A barrier always makes a new "
            "board, so a player who can still place one has not lost by repetition.",
            "repetition",
        ),
        Ruling(
            "RB-PASS",
            "With capture=off a runner can be hemmed in by the other. A player who can neither move nor "
            "place a barrier passes by itself; a pass is a turn, leaves the board as it is and is no "
            "repetition.",
            "capture",
        ),
        Ruling(
            "RB-STANDOFF",
            "With capture=off and enclosure=cell both runners can be hemmed in at once. When neither "
            "player has any action left, the match is adjudicated as RB-LIMIT says (reason: adjudicated).",
            "enclosure",
        ),
        Ruling(
            "RB-LIMIT",
            "At the turn limit the runner with the shorter path to its goal wins (reason: adjudicated), "
            "level goes to P1. Only barriers block paths; a runner without a path is further away than "
            "any other. A win, or a loss by repetition, that comes with the last turn counts as such.",
            "turn-limit",
        ),
        R_REPEAT,
        R_LIMIT,
        R_SEATS,
        R_RETRY,
    ),
    example=Example(
        (
            "P1> MOVE B1",
            "P2> MOVE E4",
            "P1> MOVE C1",
            "P2> MOVE E3",
            "P1> BARRIER D3",
            "P2> MOVE E2",
            "P1> MOVE D1",
            "P2> MOVE E1",
            "P1> MOVE E1",
        )
    ),
    turn_bound=_turn_bound,
    build=_build,
)
