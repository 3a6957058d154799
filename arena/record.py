"""The record of a match: who played what, how it ended, and the text form of all that."""

from dataclasses import dataclass, field

from arena.game import Seat


@dataclass(frozen=True, slots=True)
class Ply:
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
    """A time loss whose CPU time was far below its wall time: the machine may be to blame."""


@dataclass(frozen=True)
class Record:
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
    headers: tuple[tuple[str, str], ...] = field(default=())
    """Anything else that a header may say, such as the tournament."""
