"""`arena rules`: one game's goal, notation, prompts, options and rulings, with a worked example."""

import textwrap
from typing import Any

import click

from arena.cli.common import echo_json, game_argument, json_option, listed
from arena.game import Game, Position
from arena.judge import Judge, Ruled, final_data, ruled_data

WIDTH = 100


@click.command()
@game_argument
@json_option
def command(game: Game, as_json: bool) -> None:
    """Explain a game: goal, notation, prompts, rulings and options, and a worked example.

    \b
    Example:
      arena rules gridlock
      arena rules runner-walls --json
    """
    if as_json:
        echo_json(_data(game), indent=2)
    else:
        click.echo("\n".join(_page(game)))


def _worked_example(game: Game) -> tuple[list[Ruled], Judge]:
    judge = Judge(game, game.example.options, game.example.seed)
    ruled = [judge.rule(line.encode()) for line in game.example.lines]
    return [line for line in ruled if line is not None], judge


def _data(game: Game) -> dict[str, Any]:
    ruled, judge = _worked_example(game)
    return {
        "id": game.id,
        "title": game.title,
        "goal": game.goal,
        "play": game.play,
        "notation": game.notation,
        "prompts": [prompt._asdict() for prompt in game.prompts],
        "symbols": dict(game.symbols),
        "options": [
            {"key": o.key, "default": o.default, "values": o.values, "meaning": o.meaning}
            for o in game.options
        ],
        "rulings": [ruling._asdict() for ruling in game.rulings],
        "example": {
            "options": dict(game.example.options),
            "seed": game.example.seed,
            "lines": [ruled_data(line) for line in ruled],
            "final": final_data(judge.final()),
        },
    }


def _page(game: Game) -> list[str]:
    lines = [f"{game.title} ({game.id})", "", *_section("Goal", [game.goal])]
    if game.play:
        lines += _section("How it is played", [game.play])
    lines += _section("Notation", [game.notation])
    lines += _section("Prompts", [f"{p.name}: {p.asks}, such as '{p.example}'" for p in game.prompts])
    lines += _section("Board", [f"{symbol}  {meaning}" for symbol, meaning in game.symbols.items()])
    options = [f"{o.key}={o.values}: {o.meaning}; {o.default} by default" for o in game.options]
    lines += _section("Options", options)
    rulings = [
        f"{ruling.id}: {ruling.text}" + (f" [option {ruling.option}]" if ruling.option else "")
        for ruling in game.rulings
    ]
    return [*lines, *_section("Rulings, where the rule book leaves room", rulings), *_example_text(game)]


def _section(heading: str, items: list[str]) -> list[str]:
    if not items:
        return []
    deeper = "      " if len(items) > 1 else "  "
    return [heading, *(_wrapped(item, deeper) for item in items), ""]


def _wrapped(text: str, deeper: str = "  ") -> str:
    return textwrap.fill(text, WIDTH, initial_indent="  ", subsequent_indent=deeper, break_on_hyphens=False)


def _diagram(position: Position) -> list[str]:
    return [*(f"  {row}" for row in position.diagram().splitlines()), ""]


def _example_text(game: Game) -> list[str]:
    """The first board, the replies (as a record has them, so that they can be judged), the last board."""
    ruled, judge = _worked_example(game)
    chosen = " ".join(f"{key}={value}" for key, value in game.example.options.items())
    seed = f" seed {game.example.seed}" if game.example.seed else ""
    heading = "Worked example" + (f", with {(chosen + seed).strip()}" if chosen or seed else "")
    width = max(len(line.reply) for line in ruled)
    lines = [heading, *_diagram(game.start(game.example.options, game.example.seed))]
    lines += [f"  {line.seat}> {line.reply:<{width}} ; {line.prompt}" for line in ruled]
    lines += ["", *_diagram(judge.position)]
    final = judge.final()
    if final.winner:
        ending = f"  {final.winner} wins: {final.reason}."
    else:
        ending = listed(f"  {final.to_move} is next, prompt {final.prompt}: ", final.available, "  ", WIDTH)
    return [*lines, ending, "", f"Try it: 'arena judge {game.id}' asks both players at a terminal."]
