"""`arena judge`: referee a written match, without any bot."""

import sys
from collections.abc import Iterator
from typing import BinaryIO

import click

from arena.cli.common import (
    UserError,
    echo_json,
    game_argument,
    json_option,
    listed,
    marks,
    printable,
    rules_options,
    shortened,
)
from arena.game import Game, OptionError
from arena.judge import LINE_BYTES, Final, Judge, Ruled, TranscriptError, Verdict, final_data, ruled_data


@click.command()
@game_argument
@click.argument("file", required=False, default="-", metavar="[FILE]")
@click.option(
    "--seed", type=click.IntRange(min=0), help="Seed of the match; a record's own by default, or 0."
)
@rules_options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    game: Game,
    file: str,
    seed: int | None,
    option: tuple[tuple[str, str], ...],
    as_json: bool,
) -> None:
    """Referee a written match: is each line legal, and if not, why?

    Reads lines such as 'P1> MOVE B1', bare replies, or a match record, from FILE or standard input. A refused
    line changes nothing: the same player is asked again. Blank lines and '#' comments are skipped.

    \b
    Exit status: 0 all lines are legal, 1 at least one is not, 2 wrong usage.

    \b
    Example:
      printf '3 3\\n1 1\\n' | arena judge blockade
      arena judge gridlock match.txt --option wrap=on
      arena judge runner-walls match.txt --seed 7 --json
    """
    judge = Judge(game, dict(option), seed)
    try:
        with _opened(file) as source:
            asking = source.isatty() and not as_json
            for raw in _lines(source, judge if asking else None):
                ruled = judge.rule(raw)
                if ruled is not None:
                    _show(ruled, as_json=as_json)
        final = judge.final()
    except TranscriptError as error:
        raise UserError(str(error)) from None
    except OptionError as error:
        raise UserError(str(error), f"'arena rules {game.id}' lists the options") from None
    if as_json:
        echo_json(final_data(final))
    else:
        _show_final(judge, final)
    if not judge.said_something:
        raise UserError(
            f"there is no reply in {'standard input' if file == '-' else shortened(file)}",
            f"write one a line, such as 'P1> {game.prompts[0].example}'",
        )
    ctx.exit(1 if judge.refused else 0)


def _opened(file: str) -> BinaryIO:
    if file == "-":
        return sys.stdin.buffer
    try:
        return open(file, "rb")  # noqa: PTH123  # a name with a zero byte is told apart below
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UserError(
            f"cannot read {shortened(file)}: {why.lower()}", "name a text file, or - for stdin"
        ) from None


def _lines(source: BinaryIO, ask: Judge | None) -> Iterator[bytes]:
    """Lines, none longer than the judge looks at; the rest of a longer one is read and dropped."""
    while ask is None or _ask(ask):
        try:
            line = source.readline(LINE_BYTES + 1)
            tail = line
            while tail and not tail.endswith(b"\n") and len(tail) > LINE_BYTES:
                tail = source.readline(LINE_BYTES + 1)
        except OSError as error:
            raise UserError(f"cannot read on: {(error.strerror or str(error)).lower()}") from None
        if not line:
            return
        yield line


def _ask(judge: Judge) -> bool:
    """At a terminal the judge asks, as the rule books' sessions do; False when the match is over."""
    final = judge.final()
    if final.to_move is None:
        return False
    click.echo(f"\n{_standing(judge)}\n{_available(final)}", err=True)
    click.echo(f"{final.to_move} {final.prompt}> ", nl=False, err=True)
    return True


def _standing(judge: Judge) -> str:
    """The board, and what it does not show."""
    position = judge.position
    return "\n".join([position.diagram(), *(f"{key}: {value}" for key, value in position.state().items())])


def _available(final: Final) -> str:
    return listed("available: ", final.available, " " * 11)


def _show(ruled: Ruled, *, as_json: bool) -> None:
    if as_json:
        echo_json(ruled_data(ruled))
        return
    legal = ruled.verdict is Verdict.LEGAL
    reply = printable(shortened(ruled.reply, 40))
    said = f"{ruled.line:>4}  {ruled.seat or '--'} {ruled.prompt or '':<9} {reply:<14}"
    click.echo(f"{said} {marks().yes}" if legal else f"{said} {marks().no} {ruled.verdict}: {ruled.reason}")


def _show_final(judge: Judge, final: Final) -> None:
    click.echo(f"\n{_standing(judge)}\n")
    if final.to_move is None:
        turns = "1 turn" if final.turns == 1 else f"{final.turns} turns"
        click.echo(f"{final.winner} wins: {final.reason}, after {turns}.")
    else:
        asks = next((p.asks for p in judge.game.prompts if p.name == final.prompt), "")
        click.echo(f"{final.to_move} is to reply: {final.prompt} ({asks})")
        click.echo(_available(final))
    claim = judge.claim
    if claim is not None and claim != judge.outcome:
        click.echo(f"The record says that {claim.winner} won: {printable(claim.reason)}.")
    if judge.refused:
        click.echo(f"{judge.refused} of {judge.ruled} lines refused.")
