"""`arena submit`: put a bot on the roster."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.bot import BotError
from arena.cli.common import UserError, echo_json, json_option, marks, printable
from arena.cli.names import complete_game
from arena.cli.playing import home_option
from arena.cli.sandboxing import caps_given, open_sandbox, sandbox_options

if TYPE_CHECKING:
    from arena.submit import Submission


_SHOWN_LINES = 3
"""What is shown of a compiler's or the check's words below each of many bots."""


class Refused(UserError):
    """The bot was not taken: exit status 1."""

    exit_code = 1


@click.command()
@click.argument(
    "paths", type=click.Path(exists=True, path_type=Path), metavar="PATH...", nargs=-1, required=True
)
@click.option("--name", metavar="NAME", help="Name on the roster; by default the manifest's or the file's.")
@click.option(
    "--game",
    "games",
    metavar="GAME",
    multiple=True,
    shell_complete=complete_game,
    help="A game it plays; may be repeated.",
)
@home_option
@sandbox_options
@json_option
def command(paths: tuple[Path, ...], as_json: bool, **asked: Any) -> None:
    """Put bots on the roster: copy, build, check and register each.

    PATH is a script, a source file, a program, a folder (with a bot.toml, or one file that must be the bot),
    or a .zip or .tar.gz. A lone file is started by its shebang line or its suffix. Submitting again makes a
    new version; the old one stays playable as NAME@VERSION. A bot that is refused leaves nothing behind.

    With several PATHs each is taken or refused by itself, and a line at the end says how many were.

    \b
    Exit status: 0 registered, 1 at least one was refused, 2 wrong usage.

    \b
    Example:
      arena submit my_bot.py
      arena submit crab/ --name crab2
      arena submit crab.zip --game gridlock --game blockade --json
      arena submit homework/*
    """
    from arena.sandbox.building import step_runner
    from arena.submit import conformance

    if asked["name"] and len(paths) > 1:
        raise UserError("--name is for one bot", "without it each is named by its manifest or its file")
    sandbox = open_sandbox(asked["sandbox"], caps_given(asked), quiet=as_json).sandbox
    terms = {"checker": conformance(sandbox), "runner": step_runner(sandbox)}
    terms |= {key: asked[key] for key in ("home", "name", "games")}
    if len(paths) == 1:
        _submit_one(paths[0], terms, as_json=as_json)
    else:
        _submit_each(paths, terms, as_json=as_json)


def _submit_one(path: Path, terms: Mapping[str, Any], *, as_json: bool) -> None:
    from arena.submit import submit

    if not as_json:
        click.echo(f"building and checking {path} ...", err=True)
    try:
        done = submit(path, **terms)
    except BotError as error:
        sentence, *details = str(error).splitlines()
        raise Refused(sentence, details=details) from None
    if as_json:
        echo_json(_data(done))
        return
    click.echo(_sentence(done))
    click.echo(f"next: arena match {(done.bot.games or ('gridlock',))[0]} {done.bot.name} random --watch")


def _submit_each(paths: tuple[Path, ...], terms: Mapping[str, Any], *, as_json: bool) -> None:
    """One line (or object) a path; the names taken so far count, so that no student replaces another."""
    from arena.submit import submit

    refused = 0
    taken: dict[str, Path] = {}
    for number, path in enumerate(paths, 1):
        try:
            done = submit(path, **terms, taken=taken)
            taken[done.bot.name] = path
            mark, said, data = marks().yes, _sentence(done), _data(done)
        except BotError as error:
            refused += 1
            mark, said, data = marks().no, f"{path}: {error}", {"refused": str(error)}
        if as_json:
            echo_json({"path": str(path), **data})
            continue
        first, *more = said.splitlines()
        click.echo(f"[{number}/{len(paths)}] {mark} {printable(first)}")
        for line in more[:_SHOWN_LINES]:
            click.echo(f"    {printable(line)}")
        if len(more) > _SHOWN_LINES:
            click.echo(
                f"    … {len(more) - _SHOWN_LINES} more lines: 'arena submit' with it alone shows them"
            )
    if not as_json:
        click.echo(f"{len(paths) - refused} of {len(paths)} are on the roster: 'arena bots' lists it")
    if refused:
        sys.exit(Refused.exit_code)


def _sentence(done: "Submission") -> str:
    note = "known already, now the current version" if done.known else "registered"
    return f"{done.bot.label}: {note}"


def _data(done: "Submission") -> dict[str, Any]:
    bot = done.bot
    return {
        "name": bot.name,
        "version": bot.version,
        "language": bot.language,
        "games": list(bot.games),
        "folder": str(bot.folder),
        "new": not done.known,
    }
