"""What the shell completes: names of games, bots, tournaments and starter kits.

Each function is the `shell_complete` of an argument or option. Whatever goes wrong (no results here, a store
that cannot be read) completes to nothing: a shell that complains at the Tab key helps nobody.
"""

from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from arena.games import game_ids

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completer(known: Callable[[click.Context], Iterable[str]]) -> Completer:
    """A completer from what gives all the names."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        del param
        return _beginning(known(ctx), incomplete)

    return complete


def _beginning(known: Iterable[str], incomplete: str, before: str = "") -> list[CompletionItem]:
    return [CompletionItem(before + name) for name in known if name.startswith(incomplete)]


def complete_bot(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names on the roster, versions after `@`, and files for all that is no name."""
    del param
    return _beginning(_bots(ctx, incomplete), incomplete) or [CompletionItem(incomplete, type="file")]


def complete_bots(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The last of several bots with commas between them."""
    before, comma, last = incomplete.rpartition(",")
    if not comma:
        return complete_bot(ctx, param, incomplete)
    given = before.split(",")
    return _beginning((name for name in _bots(ctx, last) if name not in given), last, before + comma)


def _bots(ctx: click.Context, incomplete: str) -> list[str]:
    from arena.bot import BotError
    from arena.roster import list_bots, list_versions

    home, (name, at, _) = ctx.params.get("home"), incomplete.partition("@")
    try:
        return [bot.label for bot in list_versions(name, home)] if at else [b.name for b in list_bots(home)]
    except (BotError, OSError):
        return []


def _tournaments(ctx: click.Context) -> list[str]:
    from arena.cli.results import open_store, results_folder

    try:
        with open_store(results_folder(ctx.params.get("results"), ctx.params.get("home"))) as store:
            return [info.id for info, _ in store.tournaments()]
    except (click.ClickException, OSError):
        return []


def _languages(_: Any) -> list[str]:
    from arena.starters import list_starters

    return [kit.id for kit in list_starters()]


complete_game = _completer(lambda _: game_ids())
complete_games = _completer(lambda _: [*game_ids(), "all"])
complete_tournament = _completer(_tournaments)
complete_language = _completer(_languages)
