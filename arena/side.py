"""What the referee keeps of one seat during a match."""

from arena import wire
from arena.faults import Code
from arena.record import Fault, Unanswered

REMARKS_PER_PLY = 16
"""More remarks at one prompt are read and dropped: a record stays readable."""
REMARK_CHARACTERS = 200
"""A longer remark is cut; it is a note, not a log."""


class Side:
    """One seat: what it has yet to be told, what it has said beside its replies, and how it failed."""

    __slots__ = (
        "budget_ns",
        "fault",
        "lines",
        "news",
        "refused",
        "remarks",
        "resigned",
        "settled",
        "strikes",
        "told",
        "unanswered",
    )

    def __init__(self, budget_ns: int) -> None:
        self.budget_ns = budget_ns
        """What is left of its match clock, if there is one."""
        self.fault: Fault | None = None
        self.resigned = False
        self.unanswered: Unanswered | None = None
        self.settled = False
        """Whether the handshake is done with this seat, well or badly."""
        self.news = ""
        """`played` lines that it has not been told yet."""
        self.told = ""
        """Those that it was told when its last turn began."""
        self.lines = 0
        """Lines without a reply since the prompt that is open now."""
        self.strikes = 0
        self.refused: tuple[tuple[str, str, str], ...] = ()
        self.remarks: tuple[str, ...] = ()

    def strike(self, raw: bytes, code: Code, why: str) -> int:
        """Keep a refused line with the ply that follows; how many there have been in this match."""
        self.strikes += 1
        self.refused += ((wire.shown(raw), code.value, why),)
        return self.strikes

    def keep_remark(self, raw: bytes) -> None:
        """Keep a remark with the ply that follows, up to the bounds."""
        if len(self.remarks) < REMARKS_PER_PLY:
            text = raw.removesuffix(b"\r")[1:].strip()
            self.remarks += (wire.shown(text, REMARK_CHARACTERS),)

    def last_words(self, end: str) -> bytes:
        """What it hears last: plies it has not been told, why it failed if it did, and the end."""
        fault = self.fault
        if fault is not None and fault.code == Code.CRASH:
            return b""
        error = wire.error_line(fault.code, fault.sentence) if fault else ""
        return f"{self.news}{error}{end}".encode("ascii")
