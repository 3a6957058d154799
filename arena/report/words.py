"""Numbers as people read them; shared by the page, the Markdown and the terminal."""

import re
from collections.abc import Iterable

from arena.bradley_terry import Estimate, wilson
from arena.ratings import Z95
from arena.results import short_names
from arena.standings import Standings

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"

OVERALL = (
    "Each game's column is the conservative rating there (mu - 3 sigma), and the overall rating is their "
    "mean; a game that a bot did not play counts 0."
)


def rank(number: int, tied: bool) -> str:
    """`3`, or `3=` for a rank that is shared."""
    return f"{number}=" if tied else str(number)


def rating(mu: float, sigma: float) -> str:
    """A rating with half the width of its 95 % interval."""
    return f"{mu:.1f} ± {Z95 * sigma:.1f}"


def score(won: int, lost: int) -> str:
    """Won and lost, as in a crosstable."""
    return f"{won}{DASH}{lost}"


def percent(share: float, digits: int = 0) -> str:
    """A share of one in percent."""
    return f"{100 * share:.{digits}f} %"


def interval(estimate: Estimate) -> str:
    """A share with its 95 % interval, in percent."""
    return f"{percent(estimate.value, 1)} (95 %: {100 * estimate.low:.1f}{DASH}{100 * estimate.high:.1f})"


def signed(number: float) -> str:
    """A whole number with its sign."""
    return f"{number:+.0f}".replace("-", MINUS)


def duration(microseconds: float) -> str:
    """A time in the unit that leaves it between 1 and 1,000, three digits."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= 0.9995 * size:
            return f"{_three_digits(microseconds / size)} {unit}"
    return f"{microseconds:.0f} µs" if microseconds else DASH


def _three_digits(number: float) -> str:
    decimals = 2 if number < 9.995 else 1 if number < 99.95 else 0
    return f"{number:.{decimals}f}"


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 match`, `1,024 matches`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def forfeits(text: str) -> list[tuple[str, int]]:
    """The column `forfeits_by_reason` as pairs, most frequent first."""
    pairs = (pair.rpartition(":") for pair in text.split())
    return [(code, int(number)) for code, _, number in pairs]


def markdown(text: object) -> str:
    """Text that Markdown, and HTML within it, show as it is; also inside a table's cell."""
    plain = re.sub(r"\s+", " ", str(text))
    plain = plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~#!])", r"\\\1", plain)


def report_address(tables: Standings, suffix: str) -> str:
    """From the folder of an overall table to the report of a tournament beside it, fit for a link."""
    safe = "-._~"
    letters = (c if c.isascii() and (c.isalnum() or c in safe) else _escaped(c) for c in tables.info.id)
    return f"../{''.join(letters)}/report.{suffix}"


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())


def head_line(tables: Standings) -> str:
    """The tournament in one sentence."""
    info, facts = tables.info, tables.facts
    kind = "gauntlet" if info.format == "gauntlet" else "round robin"
    words = f"{count(facts.matches, 'match', 'matches')} of a {kind} among {count(len(tables.labels), 'bot')}"
    if info.state != "complete" and info.jobs > facts.matches:
        words += f", {info.state} after {percent(facts.matches / info.jobs)} of {info.jobs:,}"
    return words


def duels(tables: Standings) -> list[str]:
    """Who beat whom, when the tournament was about that: a champion's matches, or those of two bots.

    Copies and walkovers are left out, because the interval would lie.
    """
    info, names = tables.info, short_names(tables.labels)
    hero = info.champion or (tables.labels[0] if len(tables.labels) == 2 else "")
    fresh = tables.matches[tables.matches["counted"]]
    found = []
    for other in tables.labels if hero in names else ():
        if other == hero:
            continue
        as_p1 = fresh[(fresh["p1"] == hero) & (fresh["p2"] == other)]["winner"]
        as_p2 = fresh[(fresh["p1"] == other) & (fresh["p2"] == hero)]["winner"]
        won, played = int((as_p1 == "P1").sum() + (as_p2 == "P2").sum()), len(as_p1) + len(as_p2)
        share = wilson(won, played)
        verdict = (
            "clearly stronger"
            if share.low > 0.5
            else "clearly weaker"
            if share.high < 0.5
            else "not decided, more --rounds would tell"
        )
        result = f"{score(won, played - won)}, {interval(share)}"
        found.append(f"{names[hero]} against {names[other]}: {result}: {verdict}.")
    return found


def options(pairs: Iterable[tuple[str, str]]) -> str:
    """Variant options, or a word for none."""
    return " ".join(f"{key}={value}" for key, value in pairs) or "none"


def notes(tables: Standings) -> list[str]:
    """What a reader should know before trusting the numbers; empty when there is nothing."""
    facts, info = tables.facts, tables.info
    found = []
    if facts.identical:
        found.append(
            f"{count(facts.identical, 'match is a copy', 'matches are copies')} of an earlier one: copies "
            "show in the score and count once in the ratings. Random openings (--openings) make them rare."
        )
    if facts.doubtful:
        found.append(
            f"{count(facts.doubtful, 'time loss', 'time losses')} may be the machine's fault: "
            "the bot was ready to run and got no processor. They count, and are marked doubtful."
        )
    if facts.withdrawn:
        short = short_names(tables.labels)
        names = ", ".join(short.get(label, label) for label in info.withdrawn) or "a bot"
        found.append(
            f"{count(facts.withdrawn, 'match was', 'matches were')} not played, for {names} had been "
            "withdrawn after too many faults in a row: they count in the score and not in the ratings."
        )
    if info.voids:
        found.append(
            f"{count(info.voids, 'match', 'matches')} failed through the arena's own fault and did not count."
        )
    return found
