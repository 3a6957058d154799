"""What the commands share: error style, the game argument, `--option`, `--seed` and `--json`.

Nothing heavy is imported here: every command's help pays for it.
"""

import difflib
import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import click
from click.shell_completion import CompletionItem

from arena.game import Game, OptionError
from arena.games import game_ids, load_game

F = TypeVar("F", bound=Callable[..., Any])


class UserError(click.ClickException):
    """The user's mistake: one sentence, and a hint that says what to do instead. Exit status 2.

    `details` are lines to be shown below the sentence, such as a compiler's.
    """

    exit_code = 2

    def __init__(self, sentence: str, hint: str | None = None, details: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.hint = hint
        self.details = details


def show_error(error: click.ClickException) -> None:
    """Print any mistake of the user in the one style: a sentence, then a hint."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return
    click.echo(f"arena: {printable(error.format_message())}", err=True)
    for line in error.details if isinstance(error, UserError) else ():
        click.echo(f"       {printable(line)}", err=True)
    hint = error.hint if isinstance(error, UserError) else None
    if hint is None and isinstance(error, click.UsageError) and error.ctx is not None:
        hint = f"'{error.ctx.command_path} --help' shows how it is used"
    if hint:
        click.echo(f"hint: {printable(hint)}", err=True)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt word: the nearest known one, or else all of them."""
    words = sorted(known)
    close = difflib.get_close_matches(word.lower(), words, n=1)
    return f"did you mean '{close[0]}'?" if close else f"there are {', '.join(words)}"


class GameParam(click.ParamType):  # type: ignore[type-arg]  # not generic in older versions of click
    """The id of a game; converts to the `Game`."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Game:
        """Look the game up; a misspelt id is answered with the nearest one."""
        del param, ctx
        return value if isinstance(value, Game) else find_game(str(value))

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the ids of the games."""
        del ctx, param
        return [CompletionItem(game_id) for game_id in game_ids() if game_id.startswith(incomplete)]


GAME = GameParam()


def find_game(game_id: str) -> Game:
    """The game with this id; UserError with a hint for an unknown one."""
    try:
        return load_game(game_id.lower().replace("_", "-"))
    except KeyError:
        raise UserError(
            f"there is no game {shortened(game_id)!r}", did_you_mean(game_id, game_ids())
        ) from None


def game_argument(function: F) -> F:
    """Argument GAME, handed over as `game: Game`."""
    return click.argument("game", type=GAME, metavar="GAME")(function)


def game_option(*, required: bool = False, default: str | None = None) -> Callable[[F], F]:
    """Option `--game GAME`, handed over as `game: Game` (or None)."""
    return click.option(
        "--game", type=GAME, metavar="GAME", required=required, default=default, help="Id of the game."
    )


class PairParam(click.ParamType):  # type: ignore[type-arg]  # as above
    """`KEY=VALUE` as a tuple of two."""

    name = "key=value"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Split at the first equals sign."""
        del param, ctx
        if isinstance(value, tuple):
            return value[0], value[1]
        key, equals, setting = str(value).partition("=")
        if not (equals and key.strip()):
            raise UserError(f"--option {shortened(str(value))!r} is not KEY=VALUE", "write --option wrap=on")
        return key.strip(), setting.strip()


def rules_options(function: F) -> F:
    """Repeatable `--option KEY=VALUE`, handed over as `option: tuple[tuple[str, str], ...]`."""
    return click.option(
        "--option",
        "-o",
        type=PairParam(),
        metavar="KEY=VALUE",
        multiple=True,
        help="Variant option of the game; may be repeated. 'arena rules GAME' lists them.",
    )(function)


def json_option(function: F) -> F:
    """Flag `--json`, handed over as `as_json: bool`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")(function)


def settings_of(game: Game, given: Mapping[str, str] | Sequence[tuple[str, str]]) -> dict[str, str]:
    """Complete settings for the options a user gave; UserError where they cannot be played."""
    try:
        return game.settings(dict(given))
    except OptionError as error:
        raise UserError(str(error), f"'arena rules {game.id}' lists the options") from None


def echo_json(value: Any, *, indent: int | None = None) -> None:
    """Print a value as JSON; on one line unless indented."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=indent))


def shortened(text: str, most: int = 60) -> str:
    """User input as it is quoted back: never long."""
    return text if len(text) <= most else text[:most] + "…"


def printable(text: str) -> str:
    """A stranger's text for a terminal: what could move the cursor or change colours becomes `?`."""
    return "".join(c if c.isprintable() else "?" for c in text)


def listed(before: str, replies: Iterable[str], deeper: str = "", width: int = 100) -> str:
    """Replies between bars after some words, on lines that never part a reply or begin with a bar."""
    solid = " ".join(f"{reply} |".replace(" ", "\xa0") for reply in replies).removesuffix("\xa0|")
    filled = textwrap.fill(before + solid, width, subsequent_indent=deeper, break_on_hyphens=False)
    return filled.replace("\xa0", " ")


class Marks(NamedTuple):
    """Signs for yes and no."""

    yes: str
    no: str


def marks() -> Marks:
    """Tick and cross, or words where standard output cannot encode them."""
    try:
        "✓✗".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return Marks("ok", "NO")
    return Marks(click.style("✓", fg="green"), click.style("✗", fg="red"))
