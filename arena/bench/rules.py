"""Microseconds a ply of random playouts, for each game and for others' games beside it."""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import click

from arena.bench import Bench, Row, interleaved, row
from arena.game import Game
from arena.games import game_ids, load_game

DEFAULT_PLIES = 4000
"""Plies that one run of one game plays at least: some ten milliseconds, far above the clock's grain."""

Playout = Callable[[Callable[[], float]], tuple[int, int]]
"""Plays one match with these random numbers; plies and nanoseconds, its setting up not counted."""


def playout(game: Game, number: Callable[[], float]) -> tuple[int, int]:
    """One random match: available replies, choose, parse, apply, outcome."""
    position = game.start(seed=int(number() * 2**32))
    plies = 0
    began = time.perf_counter_ns()
    while position.outcome is None:
        replies = position.available()
        position = position.apply(position.parse(replies[int(number() * len(replies))]))
        plies += 1
    return plies, time.perf_counter_ns() - began


def _microseconds(play: Playout, plies: int) -> Callable[[int], float]:
    def measure(seed: int) -> float:
        number = random.Random(seed).random
        played = spent = 0
        while played < plies:
            more, nanoseconds = play(number)
            played += more
            spent += nanoseconds
        return spent / played / 1000

    return measure


def _pettingzoo(module: Any) -> Playout:
    env = module.env()

    def play(number: Callable[[], float]) -> tuple[int, int]:
        env.reset(seed=int(number() * 2**31))
        plies = 0
        began = time.perf_counter_ns()
        for _ in env.agent_iter():
            observation, _, over, cut, _ = env.last()
            if over or cut:
                break
            actions = observation["action_mask"].nonzero()[0]
            env.step(actions[int(number() * len(actions))])
            plies += 1
        return plies, time.perf_counter_ns() - began

    return play


def _open_spiel(game: Any) -> Playout:
    def play(number: Callable[[], float]) -> tuple[int, int]:
        state = game.new_initial_state()
        plies = 0
        began = time.perf_counter_ns()
        while not state.is_terminal():
            seat = state.current_player()
            replies = [state.action_to_string(seat, action) for action in state.legal_actions()]
            state.apply_action(state.string_to_action(seat, replies[int(number() * len(replies))]))
            plies += 1
        return plies, time.perf_counter_ns() - began

    return play


def _others() -> Iterator[tuple[str, Playout] | str]:
    """Other people's games, where they are installed; else a remark on how to get them."""
    try:
        from pettingzoo.classic import connect_four_v3, tictactoe_v3
    except ImportError as error:
        yield f"PettingZoo is left out ({error}): pip install 'grid-arena[bench]'"
    else:
        yield "pettingzoo connect_four", _pettingzoo(connect_four_v3)
        yield "pettingzoo tictactoe", _pettingzoo(tictactoe_v3)
    try:
        import pyspiel
    except ImportError as error:
        yield f"OpenSpiel is left out ({error}): pip install 'grid-arena[bench]'"
    else:
        yield "openspiel connect_four, as strings", _open_spiel(pyspiel.load_game("connect_four"))


def measure(repetitions: int, plies: int = DEFAULT_PLIES) -> Iterator[Row | str]:
    """All games and all others in one run, interleaved."""
    subjects = {}
    for game_id in game_ids():
        game = load_game(game_id)
        subjects[game_id] = _microseconds(lambda number, game=game: playout(game, number), plies)  # type: ignore[misc]
    for other in _others():
        if isinstance(other, str):
            yield other
        else:
            subjects[other[0]] = _microseconds(other[1], plies)
    for name, values in interleaved(subjects, repetitions).items():
        yield row(name, "µs/ply", values)


BENCH = Bench(
    title="Rules: random playouts",
    help="""Time random playouts of every game, in microseconds a ply.

    A ply is: list the available replies, choose one, parse it, apply it, look whether the match is over.
    Beside them, in the same run, PettingZoo's and OpenSpiel's games when they are installed.

    \b
    Example:
      arena bench rules
      arena bench rules --repetitions 11 --json
    """,
    measure=measure,
    repetitions=7,
    parameters=(
        click.Option(
            ["--plies"],
            type=click.IntRange(min=1),
            default=DEFAULT_PLIES,
            show_default=True,
            help="Plies that each run plays at least.",
        ),
    ),
)
