"""The report as Markdown, for a repository or a chat."""

from collections.abc import Iterable, Sequence

import pandas as pd

from arena.games import load_game
from arena.report import words
from arena.report.words import markdown
from arena.results import short_names
from arena.standings import Standings, plain_rows

_CROSSTABLE = 24
"""Bots in the crosstable at most: wider ones cannot be read as text."""

_STANDINGS = (
    *("Rank", "Bot", "Rating", "Conservative", "Won-lost", "Score", "as P1", "as P2", "Elo"),
    *("Forfeits", "Mean turn", "p99 turn", "CPU"),
)
_READING = (
    "Rating: TrueSkill's mu with its 95 % interval, averaged over shuffles of the matches. Conservative: "
    "mu - 3 sigma. Ranks are shared (=) where intervals overlap. Elo: Bradley-Terry, as a cross-check."
)


def markdown_report(tables: Standings) -> str:
    """Standings, crosstable, what the matches say of the game, forfeits, conditions and rulings."""
    info = tables.info
    parts = [f"# {markdown(info.name)}", words.head_line(tables) + "."]
    if info.resume:
        parts.append(f"Play on: {_code(info.resume)}")
    parts += [f"> {markdown(note)}" for note in words.notes(tables)]
    parts += [
        "## Standings",
        _standings(tables),
        _READING,
        *("\n".join(f"- {markdown(line)}" for line in found) for found in (words.duels(tables),) if found),
        "## Crosstable",
        _crosstable(tables),
        "## The game",
        *_game(tables),
        "## Conditions",
        _conditions(tables),
        "## Rulings",
        "\n".join(f"- **{r.id}** {markdown(r.text)}" for r in load_game(info.game).rulings),
    ]
    return "\n\n".join(parts) + "\n"


def _code(text: str) -> str:
    """A code span; a fence longer than any run of backticks inside, as Markdown wants it."""
    plain = " ".join(text.split())
    fence = "`"
    while fence in plain:
        fence += "`"
    return f"{fence} {plain} {fence}" if "`" in plain else f"`{plain}`"


def _table(titles: Sequence[str], rows: Iterable[Sequence[object]], left: int = 2) -> str:
    """Cells are escaped here; the first `left` columns are aligned to the left, the others to the right."""
    rules = [":--" if column < left else "--:" for column in range(len(titles))]
    lines = [titles, rules, *([markdown(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _standings(tables: Standings) -> str:
    names = short_names(tables.labels)
    return _table(
        _STANDINGS,
        (
            (
                words.rank(bot["rank"], bot["tied"]),
                names[bot["bot"]],
                words.rating(bot["rating"], bot["sigma"]),
                f"{bot['conservative']:.1f}",
                words.score(bot["won"], bot["lost"]),
                words.percent(bot["score"]),
                words.score(bot["p1_won"], bot["p1_lost"]),
                words.score(bot["p2_won"], bot["p2_lost"]),
                words.signed(bot["elo"]),
                ", ".join(f"{code} {n}" for code, n in words.forfeits(bot["forfeits_by_reason"])) or "0",
                words.duration(bot["mean_us"]),
                words.duration(bot["p99_us"]),
                words.percent(bot["cpu_share"]),
            )
            for bot in tables.records()
        ),
    )


def _crosstable(tables: Standings) -> str:
    names = short_names(tables.labels)
    shown = range(min(len(tables.labels), _CROSSTABLE))
    won = tables.won
    titles = ["", *(markdown(names[tables.labels[place]]) for place in shown)]
    rows = (
        [names[tables.labels[row]]]
        + ["" if row == column else words.score(won[row, column], won[column, row]) for column in shown]
        for row in shown
    )
    table = _table(titles, rows, left=1)
    left_out = len(tables.labels) - len(shown)
    return (
        f"{table}\n\nThe best {len(shown)} bots; {left_out} more are in `standings.json`."
        if left_out
        else table
    )


def _game(tables: Standings) -> list[str]:
    facts = tables.facts
    shortest, low, median, high, longest = facts.length
    first = f"P1 won {words.interval(facts.first_seat)} of {facts.played:,} matches"
    equal = f"between equal bots {words.interval(facts.first_seat_equal)}"
    length = f"Length: {shortest:.0f} to {longest:.0f} turns, median {median:g}"
    ends = ((reason, "forfeit" if fault else "", f"{count:,}") for reason, fault, count in facts.ends)
    return [
        f"- {first}; {equal}.\n- {length}, eight of ten {low:.0f} to {high:.0f}.",
        _table(("End", "", "Matches"), ends),
    ]


def _conditions(tables: Standings) -> str:
    info, facts = tables.info, tables.facts
    lines = [
        ("Tournament", _code(info.id)),
        ("Game", f"{_code(info.game)}, options: {markdown(words.options(info.options))}"),
        (
            "Schedule",
            f"{info.format}, {words.count(info.rounds, 'encounter')} a pairing, opening plies {info.opening}",
        ),
        ("Seed", str(info.seed)),
        ("Limits", markdown(info.limits or "none")),
        ("Sandbox", markdown(info.sandbox)),
        ("Rated", f"{facts.counted:,} of {words.count(facts.matches, 'match', 'matches')}"),
    ]
    if info.reproduce:
        lines.append(("Play it again", _code(info.reproduce)))
    return "\n".join(f"- {title}: {text}" for title, text in lines)


def overall_markdown(tournaments: Sequence[Standings], table: pd.DataFrame) -> str:
    """One table over several games."""
    games = [one.info.game for one in tournaments]
    names = short_names(list(table["bot"]))
    rows = (
        [
            row["rank"],
            names[row["bot"]],
            f"{row['rating']:.1f}",
            words.score(row["won"], row["lost"]),
            *(words.DASH if pd.isna(row[game]) else f"{row[game]:.1f}" for game in games),
        ]
        for row in plain_rows(table)
    )
    titles = ("Rank", "Bot", "Overall", "Won-lost", *games)
    links = "\n".join(f"- [{one.info.game}]({words.report_address(one, 'md')})" for one in tournaments)
    return "\n\n".join(["# Overall", _table(titles, rows), words.OVERALL, links]) + "\n"
