"""The standings in a terminal. Names are shown as they are: no markup, no control characters."""

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.report import words
from arena.results import short_names
from arena.standings import Standings

_NAME = 28
"""Columns that a bot's name takes at most."""
_GAP = 2
"""Blanks between two columns."""

_DISPENSABLE = ("p99", "as P2", "as P1", "Conserv.", "Time/turn", "Forfeits", "Score")
"""What a narrow terminal does without, first to go first."""


def print_standings(tables: Standings, console: Console | None = None) -> None:
    """What a tournament prints at its end; narrow terminals get fewer columns."""
    console = console or Console()
    console.print(Text(f"\n{words.head_line(tables)}"))
    console.print(_table(tables, console.width))
    facts = tables.facts
    first = (
        f"P1 won {words.interval(facts.first_seat)}; {words.count(facts.counted, 'match', 'matches')} rated."
    )
    for line in words.duels(tables):
        console.print(Text(printable(line)))
    for line in (first, *words.notes(tables)):
        console.print(Text(printable(line), style="dim"))


def _table(tables: Standings, width: int) -> Table:
    rows = [_cells(bot) for bot in tables.records()]
    names = [printable(name) for name in short_names(tables.labels).values()]
    longest = min(_NAME, max(map(len, names), default=3))
    shown = _fitting(rows, longest, width)
    room = width - 4 - sum(shown.values()) - _GAP * (len(shown) + 2)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, _GAP - 1, 0, 0))
    table.add_column("Rank", justify="right", style="bold", no_wrap=True, min_width=4)
    table.add_column("Bot", max_width=max(1, min(longest, room)), overflow="ellipsis", no_wrap=True)
    for title, needed in shown.items():
        table.add_column(title, justify="right", no_wrap=True, min_width=needed)
    for bot, name, cells in zip(tables.records(), names, rows, strict=True):
        shown_name = Text(name, style="bold" if bot["rank"] == 1 else "")
        table.add_row(words.rank(bot["rank"], bot["tied"]), shown_name, *(cells[title] for title in shown))
    return table


def _fitting(rows: list[dict[str, Text]], name: int, width: int) -> dict[str, int]:
    """Titles that a terminal has room for beside rank and name, with their widths."""
    titles = list(rows[0]) if rows else []
    needed = {title: max(len(title), *(len(row[title]) for row in rows)) for title in titles}
    for title in _DISPENSABLE:
        if 4 + name + sum(needed.values()) + _GAP * (len(needed) + 2) <= width:
            break
        needed.pop(title, None)
    return needed


def _cells(bot: dict[str, Any]) -> dict[str, Text]:
    cells = {
        "Rating": words.rating(bot["rating"], bot["sigma"]),
        "Won-lost": words.score(bot["won"], bot["lost"]),
        "Score": words.percent(bot["score"]),
        "Conserv.": f"{bot['conservative']:.1f}",
        "as P1": words.score(bot["p1_won"], bot["p1_lost"]),
        "as P2": words.score(bot["p2_won"], bot["p2_lost"]),
        "Forfeits": str(bot["forfeits"]),
        "Time/turn": words.duration(bot["mean_us"]),
        "p99": words.duration(bot["p99_us"]),
    }
    red = {"Forfeits": "red"} if bot["forfeits"] else {}
    return {title: Text(text, style=red.get(title, "")) for title, text in cells.items()}


def printable(text: str) -> str:
    """The text with every character that could steer a terminal written out."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
