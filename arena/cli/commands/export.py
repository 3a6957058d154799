"""`arena export`: matches and standings for other programs."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common import UserError
from arena.cli.names import complete_tournament
from arena.cli.results import open_store, results_folder, results_options, tournament_id

if TYPE_CHECKING:
    import pandas as pd


@click.command()
@click.argument("tournament", metavar="[ID]", required=False, shell_complete=complete_tournament)
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "json", "parquet"]),
    default="csv",
    show_default=True,
    help="Format.",
)
@click.option(
    "--what",
    type=click.Choice(["matches", "standings", "both"]),
    default="both",
    show_default=True,
    help="Which table.",
)
@click.option(
    "--output",
    "-O",
    type=click.Path(path_type=Path),
    help="Folder for the files, or '-' to print one table.  [default: the tournament's folder]",
)
@results_options
def command(
    tournament: str | None,
    form: str,
    what: str,
    output: Path | None,
    results: Path | None,
    home: Path | None,
) -> None:
    """Write the matches and standings of a tournament as tables; the newest one without an ID.

    \b
    Example:
      arena export --format parquet
      arena export my-cup --what matches --format csv --output - | head
    """
    from arena.standings import standings

    folder = results_folder(results, home)
    with open_store(folder) as store:
        name = tournament_id(store, tournament)
        tables = standings(store.info(name), store.rows(name))
    frames = {"matches": tables.matches, "standings": tables.table}
    chosen = list(frames) if what == "both" else [what]
    if output == Path("-"):
        if form == "parquet" or len(chosen) > 1:
            raise UserError(
                "only one table, as csv or json, can be printed", "add --what matches --format csv"
            )
        click.echo(_text(frames[chosen[0]], form), nl=False)
        return
    target = output or folder / name
    target.mkdir(parents=True, exist_ok=True)
    for table in chosen:
        path = target / f"{table}.{form}"
        _write(frames[table], form, path)
        click.echo(str(path))


def _text(frame: "pd.DataFrame", form: str) -> str:
    if form == "csv":
        return str(frame.to_csv(index=False))
    return str(frame.to_json(orient="records", indent=1)) + "\n"


def _write(frame: "pd.DataFrame", form: str, path: Path) -> None:
    if form != "parquet":
        path.write_text(_text(frame, form), encoding="utf-8")
        return
    try:
        frame.to_parquet(path, index=False)
    except ImportError:
        raise UserError(
            "parquet needs the package pyarrow", "pip install pyarrow, or use --format csv"
        ) from None
