"""`arena games`: the games there are."""

import textwrap

import click

from arena.cli.common import echo_json, json_option
from arena.games import game_ids, load_game


@click.command()
@json_option
def command(as_json: bool) -> None:
    """List the games that can be played.

    \b
    Example:
      arena games
      arena games --json
    """
    games = [load_game(game_id) for game_id in game_ids()]
    if as_json:
        echo_json(
            [
                {
                    "id": game.id,
                    "title": game.title,
                    "goal": game.goal,
                    "prompts": [prompt.name for prompt in game.prompts],
                    "options": {option.key: option.default for option in game.options},
                }
                for game in games
            ],
            indent=2,
        )
        return
    width = max(len(game.id) for game in games) + 2
    for game in games:
        click.echo(f"{game.id:<{width}}{game.title}")
        click.echo(textwrap.indent(textwrap.fill(game.goal, 98 - width), " " * width))
    click.echo("\n'arena rules GAME' explains one.")
