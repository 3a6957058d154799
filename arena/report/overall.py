"""One table over the tournaments of several games, as files."""

from collections.abc import Sequence
from pathlib import Path

from arena.report.words import markdown
from arena.standings import Standings, overall


def write_overall(folder: Path, tournaments: Sequence[Standings]) -> Path:
    """Write `overall.md`, `overall.csv` and `overall.json` into `folder`; the file for people."""
    table = overall(tournaments)
    games = [one.info.game for one in tournaments]
    folder.mkdir(parents=True, exist_ok=True)
    table.to_csv(folder / "overall.csv", index=False)
    table.to_json(folder / "overall.json", orient="records", indent=1)
    lines = [
        "# All games",
        "",
        f"| Rank | Bot | Conservative | Rating | Won-lost | {' | '.join(games)} |",
        f"|--:|:--|--:|--:|--:|{'--:|' * len(games)}",
    ]
    for row in table.to_dict(orient="records"):
        ratings = " | ".join(f"{row[game]:.1f}" if row[game] == row[game] else "" for game in games)
        who = f"| {row['rank']} | {markdown(str(row['bot']))}"
        score = f"{row['conservative']:.1f} | {row['rating']:.1f} | {row['won']}-{row['lost']}"
        lines.append(f"{who} | {score} | {ratings} |")
    lines += ["", "Reports of the games:", ""]
    lines += [f"- [{one.info.game}](../{one.info.id}/report.html)" for one in tournaments]
    page = folder / "overall.md"
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return page
