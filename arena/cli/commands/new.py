"""`arena new`: write a starter kit."""

from pathlib import Path

import click

from arena.bot import BotError
from arena.cli.common import UserError, echo_json, json_option
from arena.cli.names import complete_language


@click.command()
@click.argument("language", required=False, shell_complete=complete_language)
@click.argument("name", required=False)
@click.option("--list", "show_list", is_flag=True, help="List the languages instead.")
@json_option
def command(language: str | None, name: str | None, show_list: bool, as_json: bool) -> None:
    """Write a starter kit: a bot in LANGUAGE that plays as it is, in a new folder NAME.

    The bot reads board, plies and prompts, and has one marked place for your idea.

    \b
    Exit status: 0 done, 2 wrong usage.

    \b
    Example:
      arena new --list
      arena new rust crab
      arena check crab && arena submit crab
    """
    from arena.starters import find_starter, list_starters, write_starter

    if show_list:
        kits = list_starters()
        if as_json:
            echo_json([{"language": k.id, "title": k.title, "missing": k.missing or None} for k in kits])
            return
        for kit in kits:
            click.echo(f"{kit.id:<12} {kit.title:<24} {kit.missing}".rstrip())
        return
    if language is None or name is None:
        raise UserError(
            "say which LANGUAGE and which NAME",
            "for example: arena new python my-bot; --list names the languages",
        )
    try:
        kit = find_starter(language)
        files = write_starter(kit, name, Path(name))
    except BotError as error:
        raise UserError(str(error)) from None
    if as_json:
        echo_json({"language": kit.id, "name": name, "files": [str(file) for file in files]})
        return
    click.echo(f"{name}: a bot in {kit.title}: {', '.join(str(file) for file in files)}")
    if kit.missing:
        click.echo(f"note: {kit.missing}")
    click.echo(f"next: look for YOUR IDEA HERE, then: arena check {name} && arena submit {name}")
