"""What the commands share that read stored results: where the store is, and which tournament is meant."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli.common import UserError
from arena.cli.playing import home_option

if TYPE_CHECKING:
    from arena.store import Store

F = TypeVar("F", bound=Callable[..., Any])


def results_options(function: F) -> F:
    """`--results DIR` and `--home DIR`."""
    return home_option(
        click.option(
            "--results",
            type=click.Path(path_type=Path, file_okay=False),
            help="Folder of the results.  [default: results/ in the home folder]",
        )(function)
    )


def results_folder(results: Path | None, home: Path | None) -> Path:
    """The folder of the results, absolute."""
    from arena.workspace import open_workspace

    return (results if results is not None else open_workspace(home).results).absolute()


def open_store(results: Path, *, create: bool = False) -> "Store":
    """The store in this folder; UserError where there is none that can be used."""
    from arena.store import Store, StoreError

    try:
        return Store(results, create=create)
    except StoreError as error:
        raise UserError(str(error), "play one with: arena tournament --game gridlock") from None


def tournament_id(store: "Store", given: str | None) -> str:
    """The tournament a user means, the newest by default; UserError for an unknown one."""
    from arena.organiser import find_tournament
    from arena.store import StoreError

    try:
        return find_tournament(store, given)
    except StoreError as error:
        raise UserError(str(error)) from None
