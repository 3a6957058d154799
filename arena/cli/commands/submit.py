"""`arena submit`: put a bot on the roster."""

from pathlib import Path
from typing import Any

import click

from arena.bot import BotError
from arena.cli.common import UserError, echo_json, json_option
from arena.cli.playing import home_option
from arena.cli.sandboxing import caps_given, open_sandbox, sandbox_options


class Refused(UserError):
    """The bot was not taken: exit status 1."""

    exit_code = 1


@click.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--name", metavar="NAME", help="Name on the roster; by default the manifest's or the file's.")
@click.option("--game", "games", metavar="GAME", multiple=True, help="A game it plays; may be repeated.")
@home_option
@sandbox_options
@json_option
def command(
    path: Path, name: str | None, games: tuple[str, ...], home: Path | None, as_json: bool, **confined: Any
) -> None:
    """Put a bot on the roster: copy it, build it, check it, register it.

    PATH is a script, a source file, a program, a folder (with a bot.toml, or one file that must be the bot),
    or a .zip or .tar.gz. A lone file is started by its shebang line or its suffix. Submitting again makes a
    new version; the old one stays playable as NAME@VERSION. A bot that is refused leaves nothing behind.

    \b
    Exit status: 0 registered, 1 refused, 2 wrong usage.

    \b
    Example:
      arena submit my_bot.py
      arena submit crab/ --name crab2
      arena submit crab.zip --game gridlock --game blockade --json
    """
    from arena.sandbox.building import step_runner
    from arena.submit import conformance, submit

    sandbox = open_sandbox(confined["sandbox"], caps_given(confined), quiet=as_json).sandbox
    if not as_json:
        click.echo(f"building and checking {path} ...", err=True)
    try:
        done = submit(
            path,
            home=home,
            name=name,
            games=games,
            checker=conformance(sandbox),
            runner=step_runner(sandbox),
        )
    except BotError as error:
        raise Refused(str(error)) from None
    bot = done.bot
    if as_json:
        echo_json(
            {
                "name": bot.name,
                "version": bot.version,
                "language": bot.language,
                "games": list(bot.games),
                "folder": str(bot.folder),
                "new": not done.known,
            }
        )
        return
    note = "known already, now the current version" if done.known else "registered"
    click.echo(f"{bot.label}: {note}")
    click.echo(f"next: arena match {(bot.games or ('gridlock',))[0]} {bot.name} random --watch")
