"""`arena tournaments`: what was played."""

from pathlib import Path

import click

from arena.cli.common import echo_json, json_option
from arena.cli.results import open_store, results_folder, results_options


@click.command()
@results_options
@json_option
def command(results: Path | None, home: Path | None, as_json: bool) -> None:
    """List the tournaments of the results folder, newest first.

    \b
    Example:
      arena tournaments
      arena tournaments --json
    """
    folder = results_folder(results, home)
    with open_store(folder) as store:
        found = store.tournaments()
    if as_json:
        echo_json(
            [
                {
                    "id": info.id,
                    "game": info.game,
                    "state": info.state,
                    "matches": matches,
                    "jobs": info.jobs,
                    "bots": len(info.bots),
                    "date": info.date,
                    "seed": info.seed,
                    "report": str(folder / info.id / "report.html"),
                }
                for info, matches in found
            ],
            indent=2,
        )
        return
    width = max((len(info.id) for info, _ in found), default=0)
    for info, matches in found:
        state = info.state if info.state == "complete" else f"{info.state}, resume with: {info.resume}"
        click.echo(f"{info.id:<{width}}  {info.game:<15}  {matches:>6} of {info.jobs:<6}  {state}")
