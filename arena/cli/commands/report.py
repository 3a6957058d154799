"""`arena report`: make a tournament's report again, and open it."""

from pathlib import Path

import click

from arena.cli.common import echo_json, json_option
from arena.cli.names import complete_tournament
from arena.cli.results import open_store, results_folder, results_options, tournament_id


@click.command()
@click.argument("tournament", metavar="[ID]", required=False, shell_complete=complete_tournament)
@click.option("--open", "open_it", is_flag=True, help="Open the page in a browser.")
@results_options
@json_option
def command(
    tournament: str | None, open_it: bool, results: Path | None, home: Path | None, as_json: bool
) -> None:
    """Write the report of a tournament again; the newest one without an ID.

    \b
    Example:
      arena report
      arena report gridlock-20261118-101500 --open
    """
    from arena.report.terminal import print_standings
    from arena.reporting import make_report

    folder = results_folder(results, home)
    with open_store(folder) as store:
        name = tournament_id(store, tournament)
        tables = make_report(store, folder, name)
    page = folder / name / "report.html"
    if as_json:
        echo_json({"id": name, "report": str(page), "standings": tables.records()}, indent=2)
    else:
        print_standings(tables)
        click.echo(f"report: {page}", err=True)
    if open_it:
        click.launch(page.as_uri())
