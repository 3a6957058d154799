"""Grid Snatchers: two tokens hunt each other; whoever lands on the other wins."""

from functools import cache
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
BOARDS = CELLS * CELLS
"""A board is a number: 25 times the cell of P1 plus the cell of P2. A set of boards is 625 bits."""

DIRECTIONS = ("up", "down", "left", "right")
CAPTURED = (Outcome(P1, "capture"), Outcome(P2, "capture"))
REPEATED = (Outcome(P1, "repetition"), Outcome(P2, "repetition"))
ADJUDICATED = Outcome(P2, "adjudicated")

Landings = dict[str, tuple[int, int]]
"""For each direction the board after 1 and after 2 spaces, as a set of one; empty (0) where there is none."""


class Walks(NamedTuple):
    """Where one seat can go, whatever stood on the board before."""

    landings: tuple[Landings, ...]
    """By the number of the board."""
    reach: tuple[int, ...]
    """By the number of the board, every board that one turn leads to."""


@cache
def walks(screen: bool) -> tuple[Walks, Walks]:
    """The walks of P1 and of P2; made when first needed."""
    return _walks_of(P1, screen), _walks_of(P2, screen)


def _walks_of(seat: Seat, screen: bool) -> Walks:
    steps = _steps(seat, screen)
    landings = tuple(
        {name: _landings(seat, board, step) for name, step in steps.items()} for board in range(BOARDS)
    )
    return Walks(landings, tuple(sum(one | two for one, two in here.values()) for here in landings))


def _steps(seat: Seat, screen: bool) -> dict[str, tuple[int, int]]:
    """What each direction adds to x and y. Up leads away from the home row, or to the top of the screen."""
    up = 1 if seat is P1 and not screen else -1
    return {"up": (0, up), "down": (0, -up), "left": (-1, 0), "right": (1, 0)}


def _landings(seat: Seat, board: int, step: tuple[int, int]) -> tuple[int, int]:
    """The boards after 1 and 2 spaces as sets of one; 0 beyond the edge or behind the other token."""
    first, second = divmod(board, CELLS)
    own, other = (first, second) if seat is P1 else (second, first)
    y, x = divmod(own, SIZE)
    found = [0, 0]
    for index in range(2):
        x, y = x + step[0], y + step[1]
        if not (0 <= x < SIZE and 0 <= y < SIZE):
            break
        cell = y * SIZE + x
        found[index] = 1 << (cell * CELLS + other if seat is P1 else other * CELLS + cell)
        if cell == other:
            break
    return found[0], found[1]


class Variant(NamedTuple):
    """The options of a match."""

    screen: bool
    repeats: bool
    limit: int | None
    """Turns after which the match is adjudicated."""


class SnatchersPosition(NamedTuple):
    """`board_number` says where both tokens stand; P1 has the even turns."""

    variant: Variant
    board_number: int
    seen: int
    """The boards of this match so far, none when they may come back."""
    open: int
    """The boards that the player to reply can still bring about in this turn."""
    direction: str | None
    """What was chosen when spaces are asked."""
    turns: int
    outcome: Outcome | None

    @property
    def seat(self) -> Seat | None:
        """P1 has the even turns."""
        if self.outcome:
            return None
        return P2 if self.turns & 1 else P1

    @property
    def prompt(self) -> str | None:
        """First the direction, then the number of spaces."""
        if self.outcome:
            return None
        return "spaces" if self.direction else "direction"

    @property
    def automatic(self) -> str | None:
        """Nobody ever passes."""
        return None

    def _landings(self) -> Landings:
        """What each direction leads to for the player to reply."""
        return walks(self.variant.screen)[self.turns & 1].landings[self.board_number]

    def available(self) -> tuple[str, ...]:
        """A direction is there when at least one number of spaces is."""
        if self.outcome:
            return ()
        open_, landings = self.open, self._landings()
        if self.direction is None:
            return tuple([name for name, (one, two) in landings.items() if (one | two) & open_])
        one, two = landings[self.direction]
        if one & open_:
            return ("1", "2") if two & open_ else ("1",)
        return ("2",)

    def parse(self, text: str) -> str:
        """A direction in any case, or a number of spaces."""
        if self.outcome:
            raise Illegal("the match is over")
        word = text.strip().lower()
        if self.direction is None:
            return self._parse_direction(word, text)
        if word not in ("1", "2"):
            raise Malformed(f"{grid.shown(text)} is not a number of spaces: type 1 or 2")
        cause = self._refusal(self.direction, int(word))
        if cause:
            raise Illegal(f"{self.direction} {word} {cause}")
        return word

    def _parse_direction(self, word: str, text: str) -> str:
        if word not in DIRECTIONS:
            both = word.rstrip("0123456789 \t") in DIRECTIONS
            hint = " alone: the number of spaces is asked next" if both else ""
            raise Malformed(f"{grid.shown(text)} is not a direction: type up, down, left or right{hint}")
        one, two = self._refusal(word, 1), self._refusal(word, 2)
        if one and two:
            raise Illegal(f"{word} {one}" if one == two else f"{word} 1 {one}, and {word} 2 {two}")
        return word

    def _refusal(self, direction: str, spaces: int) -> str:
        """What this turn would do against the rules; nothing at all when it can be made."""
        one, two = self._landings()[direction]
        landing = one if spaces == 1 else two
        if landing & self.open:
            return ""
        if landing:
            return "would repeat a board of this match"
        if one.bit_length() % (CELLS + 1) == 1:  # the board after one space has both tokens on one cell
            return "would pass through the other token"
        return "would leave the board"

    def apply(self, reply: str) -> "SnatchersPosition":
        """Note the direction, or move and hand over."""
        variant, number, seen, open_, direction, turns, outcome = self
        if direction is None:
            landings = self._landings().get(reply)
            if landings is None or outcome or not (landings[0] | landings[1]) & open_:
                return self.apply(self.parse(reply))
            return SnatchersPosition(variant, number, seen, open_, reply, turns, None)
        one, two = self._landings()[direction]
        landing = one if reply == "1" else two if reply == "2" else 0
        if not landing & open_:
            return self.apply(self.parse(reply))
        return _handed_over(variant, landing, seen, turns)

    def board(self) -> str:
        """1 and 2 are the tokens; one that was captured is gone."""
        outcome = self.outcome
        return _shown(self.board_number, outcome.winner if outcome and outcome.reason == "capture" else None)

    def state(self) -> dict[str, str]:
        """The direction, once chosen."""
        return {"direction": self.direction} if self.direction else {}

    def diagram(self) -> str:
        """Columns are x and rows are y, as cells are written."""
        shown = {"1": "P1", "2": "P2", ".": " ."}
        rows = self.board().split("/")
        lines = [f"{y} " + " ".join(shown[cell] for cell in row) for y, row in enumerate(rows, 1)]
        return "\n".join(["   " + "  ".join(str(x) for x in range(1, SIZE + 1)), *lines])

    def data(self) -> dict[str, Any]:
        """The columns are x and the rows y, both numbered from 1."""
        labels = [str(n) for n in range(1, SIZE + 1)]
        return board_data(self, labels, labels)


@cache
def _shown(number: int, captor: Seat | None) -> str:
    """The board with this number as text; after a capture only the token of the captor is left."""
    pieces = {"1": 1 << number // CELLS, "2": 1 << number % CELLS}
    if captor is not None:
        del pieces["2" if captor is P1 else "1"]
    return grid.board_text(SIZE, SIZE, pieces)


def _handed_over(variant: Variant, landing: int, seen: int, turns: int) -> SnatchersPosition:
    """The position after a turn that made the board `landing`. What is won by play goes before the limit."""
    number = landing.bit_length() - 1
    if not variant.repeats:
        seen |= landing
    mover, turns = turns & 1, turns + 1
    open_ = walks(variant.screen)[turns & 1].reach[number] & ~seen
    outcome = None
    if number % (CELLS + 1) == 0:
        outcome = CAPTURED[mover]
    elif not open_:
        outcome = REPEATED[mover]
    elif turns == variant.limit:
        outcome = ADJUDICATED
    return SnatchersPosition(variant, number, seen, open_, None, turns, outcome)


def _build(settings: Settings, seed: int) -> SnatchersPosition:
    del seed  # nothing in this game is drawn
    variant = Variant(settings["up"] == "screen", settings["repetition"] == "allowed", turn_limit(settings))
    number = CELLS - 1  # P1 on the first cell, P2 on the last
    seen = 0 if variant.repeats else 1 << number
    reach = walks(variant.screen)[0].reach[number]
    return SnatchersPosition(variant, number, seen, reach, None, 0, None)


def turn_bound(settings: Settings) -> int:
    """The most turns a match can have.

    There are 600 boards with the tokens on different cells, and the first one is there before the first turn:
    at most 599 turns bring about another one, and one more can capture.
    """
    return limited(BOARDS - CELLS, settings)


GAME = Game(
    id="snatchers",
    title="Grid Snatchers",
    goal="Land on the opponent's token.",
    play="On a board of 5 by 5 the token of P1 starts on (1,1) at the top left, that of P2 on (5,5) at the "
    "bottom right. In a turn you move your token one or two cells in a straight line.",
    notation="First a direction: up, down, left or right. Then the number of spaces: 1 or 2.",
    prompts=(
        Prompt("direction", "the direction your token moves in", "up"),
        Prompt("spaces", "how many spaces it moves", "2"),
    ),
    symbols={"1": "the token of P1", "2": "the token of P2", ".": "an empty cell"},
    options=(
        choice(
            "up",
            "forward",
            "screen",
            meaning="up leads away from your own home row, or to the top of the screen for both",
        ),
        REPETITION,
        TURN_LIMIT,
    ),
    rulings=(
        Ruling(
            "S-UP",
            "Cells are (x,y) with (1,1) at the top left. Up leads away from your own home row: it raises y "
            "for P1 and lowers y for P2. Left lowers x for both.",
            "up",
        ),
        Ruling("S-DIRECTION", "A direction is available when at least one number of spaces is."),
        Ruling("S-BLOCK", "A token never passes through the other; landing on it wins (reason: capture)."),
        Ruling(
            "S-LIMIT", "At a turn limit P2 wins, who moved second, unless that turn decided it.", "turn-limit"
        ),
        R_REPEAT,
        R_LIMIT,
        R_SEATS,
        R_RETRY,
    ),
    example=Example(("P1> up", "P1> 2", "P2> left", "P2> 2", "P1> right", "P1> 2", "P2> up", "P2> 2")),
    turn_bound=turn_bound,
    build=_build,
)
