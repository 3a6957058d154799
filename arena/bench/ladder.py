"""How much stronger each step of the ladder of bundled bots is than the one below it."""

import dataclasses
import itertools
import math
from collections.abc import Iterator

import click

from arena.bench import Bench, Row
from arena.bot import Bot
from arena.game import P1, P2
from arena.games import game_ids
from arena.limits import Limits
from arena.match import Table
from arena.referee import Setup
from arena.roster import find_bot
from arena.schedule import Plan, encounter_seed

LADDERS = {
    "blockade": ("random", "greedy", "alphabeta", "mcts", "perfect"),
    "gridlock": ("random", "greedy", "pathfinder", "alphabeta", "mcts"),
    "runner-barriers": ("random", "greedy", "pathfinder", "mcts", "alphabeta"),
    "runner-walls": ("random", "greedy", "pathfinder", "perfect"),
    "snatchers": ("random", "greedy", "mcts", "alphabeta", "perfect"),
}
"""The bots of each game from weak to strong."""
SHORT = ("random", "greedy", "alphabeta", "mcts")
"""The ladder of a game that is not listed."""

OPENINGS = {"blockade": 1, "runner-walls": 1}
"""Random plies before the first prompt. In the two smallest games more than one leaves little to decide."""
OPENING = 4

NODES = {"mcts": 200, "alphabeta": 600, "perfect": 2400}
"""States to look at in a turn, times `--effort`. A state costs mcts some three times as much."""

EFFORTS = {"blockade": 0.7}
"""Blockade is so small that with twice as much mcts makes no mistake either: nothing is left to measure."""

QUICK = 10
"""Matches a step when all benchmarks are run one after the other."""
PATIENCE = Limits(start_ns=60 * 10**9, turn_ns=60 * 10**9)
"""Nobody loses on time here: what bots think is counted in states."""


def wilson(won: int, played: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share, after Wilson."""
    share = won / played
    centre = share + z * z / (2 * played)
    spread = z * math.sqrt(share * (1 - share) / played + z * z / (4 * played * played))
    scale = 1 + z * z / played
    return (centre - spread) / scale, (centre + spread) / scale


def contender(name: str, effort: float) -> Bot:
    """A bundled bot whose thinking is a number of states."""
    bot = find_bot(name)
    if name not in NODES:
        return bot
    nodes = str(max(1, round(NODES[name] * effort)))
    return dataclasses.replace(
        bot, environment=tuple({**dict(bot.environment), "ARENA_NODES": nodes}.items())
    )


def wins(game: str, bots: tuple[Bot, Bot], matches: int, seed: int) -> int:
    """Matches that the first bot wins; the seats are swapped on each seed."""
    first, second = bots
    plan = Plan(game, seed)
    opening = OPENINGS.get(game, OPENING)
    won = 0
    with Table() as table:
        for number in range(matches):
            swapped = number % 2 == 1
            drawn = encounter_seed(plan, first.name, second.name, number // 2)
            setup = Setup(game, seed=drawn, limits=PATIENCE, opening=opening)
            record = table.play(setup, *((second, first) if swapped else (first, second))).record
            if record.fault:
                raise click.ClickException(f"{record.bots}: {record.fault.sentence}")
            won += record.winner is (P2 if swapped else P1)
    return won


def measure(
    repetitions: int, games: tuple[str, ...] = (), matches: int = QUICK, seed: int = 1, effort: float = 1.0
) -> Iterator[Row | str]:
    """A row for each step of each game."""
    del repetitions  # the interval says what repetitions would
    unclear = []
    for game in games or game_ids():
        ladder = LADDERS.get(game, SHORT)
        for low, high in itertools.pairwise(ladder):
            share = effort * EFFORTS.get(game, 1.0)
            won = wins(game, (contender(high, share), contender(low, share)), matches, seed)
            interval = wilson(won, matches)
            subject = f"{game}: {high} over {low}"
            note = "" if interval[0] > 0.5 else "not clear"
            yield Row(subject, "of matches", won / matches, *interval, matches, note)
            if note:
                unclear.append(subject)
    yield f"steps that are not clear: {', '.join(unclear)}" if unclear else "every step is clear"


BENCH = Bench(
    title="The ladder: share of matches that each bot wins against the one below it, with its 95 % interval",
    help="""Play each bundled bot against the one below it, seats swapped on each random opening.

    The bots think in numbers of states, not in time, so a run with the same seed gives the same figures on
    every machine. The interval is Wilson's; a step whose interval includes one half is marked.

    \b
    Example:
      arena bench ladder --game gridlock --matches 100
    """,
    measure=measure,
    repetitions=1,
    parameters=(
        click.Option(
            ["--game", "games"], multiple=True, help="Only this game; may be given again.  [default: all]"
        ),
        click.Option(
            ["--matches"], type=click.IntRange(min=2), default=200, show_default=True, help="Matches a step."
        ),
        click.Option(["--seed"], type=int, default=1, show_default=True, help="Openings descend from it."),
        click.Option(
            ["--effort"],
            type=click.FloatRange(min=0.01),
            default=1.0,
            show_default=True,
            help="Multiplies the number of states that bots look at.",
        ),
    ),
)
