"""`arena tournament`: play a tournament and rank the bots."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from arena.cli.common import UserError, echo_json, find_game, json_option, rules_options
from arena.cli.names import complete_bot, complete_bots, complete_games, complete_tournament
from arena.cli.playing import home_option, time_options
from arena.cli.sandboxing import sandbox_options
from arena.game import Game
from arena.games import game_ids


@click.command()
@click.option(
    "--game",
    "games",
    multiple=True,
    metavar="GAME",
    shell_complete=complete_games,
    help="Game to play; may be repeated; 'all' for every game.",
)
@click.option(
    "--bots",
    multiple=True,
    metavar="A,B,…",
    shell_complete=complete_bots,
    help="Who takes part: names, paths or command lines.",
)
@click.option("--exclude", multiple=True, metavar="A,B,…", shell_complete=complete_bots, help="Who does not.")
@click.option(
    "--rounds",
    type=click.IntRange(1, 100_000),
    default=5,
    show_default=True,
    help="Encounters of each pairing; an encounter is two matches with seats swapped.",
)
@click.option(
    "--openings",
    type=click.IntRange(0, 200),
    default=4,
    show_default=True,
    metavar="K",
    help="Random plies at the start, the same for both matches of an encounter.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["round-robin", "gauntlet"]),
    default="round-robin",
    show_default=True,
    help="Everybody meets everybody, or one champion meets all others.",
)
@click.option(
    "--champion",
    default="",
    metavar="NAME",
    shell_complete=complete_bot,
    help="The bot that meets all others in a gauntlet; --format gauntlet can be left out.",
)
@time_options
@rules_options
@click.option(
    "--seed", type=click.IntRange(0, 2**53), help="Seed of every random choice; drawn when not given."
)
@click.option("--workers", type=click.IntRange(1, 512), help="Matches at once.  [default: the cores]")
@click.option("--no-pin", is_flag=True, help="Do not keep each worker and its bots on one core.")
@click.option("--no-ponder", is_flag=True, help="Stop a bot while its opponent thinks.")
@click.option("--restart", is_flag=True, help="Start every bot afresh for each match.")
@click.option(
    "--faults",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    metavar="N",
    help="Consecutive faults after which a bot is withdrawn; 0 for never.",
)
@click.option(
    "--replay-doubtful/--no-replay-doubtful",
    default=True,
    show_default=True,
    help="Play a match again, once, that was lost on time while the machine was busy.",
)
@sandbox_options
@click.option("--name", default="", help="Name of the tournament; also of its folder.")
@click.option("--results", type=click.Path(path_type=Path, file_okay=False), help="Where results are kept.")
@home_option
@click.option(
    "--resume",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="[ID]",
    shell_complete=complete_tournament,
    help="Play what is missing in the newest unfinished tournament, or in this one.",
)
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, resume: str | None, as_json: bool, **asked: Any) -> None:
    """Play a tournament and rank the bots.

    Without --bots everybody takes part: the bundled bots and the submitted ones. Ctrl-C once finishes the
    matches that run and stops, twice stops at once; --resume plays the rest.

    \b
    Example:
      arena tournament --game gridlock
      arena tournament --game all --rounds 5 --seed 7
      arena tournament --game blockade --bots mine.py,alphabeta,mcts --turn-time 100ms
      arena tournament --game snatchers --champion mcts
      arena tournament --game gridlock --champion mybot --bots mybot@1f2e3d --rounds 100
      arena tournament --resume
    """
    from arena.cli.tournament_run import resume_tournaments, run_tournaments

    asked["quiet"] |= as_json
    if resume is not None:
        if asked["games"]:
            raise UserError("--resume goes without --game: the tournament knows what it plays")
        outcome = resume_tournaments(resume or None, asked)
    else:
        outcome = run_tournaments(_games(asked["games"]), asked)
    if as_json:
        echo_json(outcome.as_json(), indent=2)
    ctx.exit(outcome.exit_status)


def _games(given: Sequence[str]) -> list[Game]:
    if not given:
        raise UserError("name a game with --game, or --game all", f"the games are {', '.join(game_ids())}")
    names = game_ids() if "all" in given else dict.fromkeys(given)
    return [find_game(name) for name in names]
