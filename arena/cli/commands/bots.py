"""`arena bots`: what is on the roster."""

from pathlib import Path
from typing import Any

import click

from arena.bot import Bot, BotError, Source
from arena.cli.common import UserError, echo_json, game_option, json_option
from arena.cli.names import complete_bot
from arena.cli.playing import home_option
from arena.game import Game


@click.group(invoke_without_command=True)
@game_option()
@home_option
@json_option
@click.pass_context
def command(ctx: click.Context, game: Game | None, home: Path | None, as_json: bool) -> None:
    """List the bots: bundled ones and those you submitted.

    \b
    Exit status: 0 done, 1 the bot was not removed, 2 wrong usage.

    \b
    Example:
      arena bots
      arena bots --game gridlock --json
      arena bots show crab
      arena bots remove crab --yes
    """
    if ctx.invoked_subcommand is not None:
        ctx.obj = (home, as_json)
        return
    from arena.roster import list_bots

    try:
        found = [bot for bot in list_bots(home) if game is None or bot.plays(game.id)]
    except BotError as error:
        raise UserError(str(error)) from None
    if as_json:
        echo_json([_data(bot) for bot in found])
        return
    rows = [(b.name, b.version, b.language or "?", ", ".join(b.games) or "all", str(b.source)) for b in found]
    _echo_table([("NAME", "VERSION", "LANGUAGE", "GAMES", "SOURCE"), *rows])
    for bot in found:
        if bot.unavailable:
            click.echo(f"not available here: {bot.name}: {bot.unavailable}")


@command.command()
@click.argument("name", shell_complete=complete_bot)
@home_option
@json_option
@click.pass_context
def show(ctx: click.Context, name: str, home: Path | None, as_json: bool) -> None:
    """Show one bot: NAME or NAME@VERSION, a path or a quoted command line.

    \b
    Example:
      arena bots show random
      arena bots show ./my-bot --json
    """
    from arena.roster import find_listed, list_versions

    home, as_json = _inherited(ctx, home, as_json)
    try:
        bot = find_listed(name, home)
    except BotError as error:
        raise UserError(str(error)) from None
    versions = [b.version for b in list_versions(bot.name, home)] if bot.source is Source.SUBMITTED else []
    if as_json:
        echo_json({**_data(bot), "versions": versions or [bot.version]}, indent=2)
        return
    facts = {
        "name": bot.name,
        "version": bot.version,
        "language": bot.language,
        "author": bot.author,
        "description": bot.description,
        "games": ", ".join(bot.games) or "all",
        "source": str(bot.source),
        "command": " ".join(bot.command),
        "folder": str(bot.folder),
        "environment": " ".join(f"{key}={value}" for key, value in bot.environment),
        "versions": ", ".join(versions),
        "not available": bot.unavailable,
    }
    for key, value in facts.items():
        if value:
            click.echo(f"{key + ':':<15}{value}")


@command.command()
@click.argument("name", shell_complete=complete_bot)
@click.option("--yes", is_flag=True, help="Do not ask.")
@home_option
@click.pass_context
def remove(ctx: click.Context, name: str, yes: bool, home: Path | None) -> None:
    """Remove a bot you submitted: NAME with all its versions, or one NAME@VERSION.

    Matches it has played stay in the store.

    \b
    Example:
      arena bots remove crab
      arena bots remove crab@1f2e3d --yes
    """
    from arena.roster import find_removable, remove_versions

    home, _ = _inherited(ctx, home, False)
    try:
        found = find_removable(name, home)
        what = ", ".join(f"{r.name}@{r.version}" for r in found)
        if not yes and not click.confirm(f"Remove {what}?", err=True):
            raise click.ClickException("nothing was removed")
        remove_versions(found, home)
    except BotError as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{name} could not be removed: {error.strerror}") from None
    click.echo(f"removed {what}")


def _inherited(ctx: click.Context, home: Path | None, as_json: bool) -> tuple[Path | None, bool]:
    """`arena bots --home X show NAME` is as good as `arena bots show NAME --home X`."""
    outer_home, outer_json = ctx.obj or (None, False)
    return home or outer_home, as_json or outer_json


def _data(bot: Bot) -> dict[str, Any]:
    return {
        "name": bot.name,
        "version": bot.version,
        "language": bot.language,
        "author": bot.author,
        "description": bot.description,
        "games": list(bot.games),
        "source": str(bot.source),
        "command": list(bot.command),
        "folder": str(bot.folder),
        "unavailable": bot.unavailable or None,
    }


def _echo_table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
