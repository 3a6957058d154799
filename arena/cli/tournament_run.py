"""Carrying out `arena tournament`: set up or resume, play, report, and say how to go on."""

import dataclasses
import os
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.bot import Bot, BotError
from arena.cli import INTERRUPTED
from arena.cli.common import UserError, settings_of
from arena.cli.live import shown_progress
from arena.cli.playing import limits_given
from arena.cli.results import open_store, results_folder
from arena.cli.sandboxing import caps_given, open_sandbox
from arena.game import Game
from arena.organiser import (
    Field,
    Order,
    OrganiserError,
    choose_bots,
    find_tournament,
    limits_of,
    new_id,
    new_seed,
    same_bots,
    set_up,
)
from arena.reporting import make_overall, make_report
from arena.results import TournamentInfo
from arena.store import Store, StoreError
from arena.tournament import Play, StopRequest, Tournament
from arena.tournament_log import TournamentLog
from arena.worker import Conditions

if TYPE_CHECKING:
    from arena.standings import Standings

VOIDS_LEFT = 3
"""Exit status when matches are left without a result through the arena's own fault."""


@dataclass
class Outcome:
    """What came of the tournaments of one command."""

    reports: list[tuple[TournamentInfo, Path, "Standings"]] = field(default_factory=list)
    interrupted: bool = False

    @property
    def exit_status(self) -> int:
        """0 when everything was played."""
        if self.interrupted:
            return INTERRUPTED
        return 0 if all(info.state == "complete" for info, _, _ in self.reports) else VOIDS_LEFT

    def as_json(self) -> list[dict[str, Any]]:
        """One object a tournament."""
        return [
            {
                "id": info.id,
                "game": info.game,
                "state": info.state,
                "matches": len(tables.matches),
                "jobs": info.jobs,
                "seed": info.seed,
                "standings": tables.records(),
                "report": str(folder / "report.html"),
                "resume": info.resume if info.state != "complete" else None,
            }
            for info, folder, tables in self.reports
        ]


def run_tournaments(games: Sequence[Game], asked: Mapping[str, Any]) -> Outcome:
    """Set up a tournament for each game and play them one after the other."""
    results = results_folder(asked["results"], asked["home"])
    quiet = asked["quiet"]
    with open_store(results, create=True) as store:
        orders = _orders(games, asked)
        fields = {game.id: _field(game, asked) for game in games}
        group = new_id(store, asked["name"], "all-games") if len(games) > 1 else ""
        bots: dict[str, Mapping[str, Bot]] = {}
        for game in games:
            tournament = f"{group}-{game.id}" if group else new_id(store, asked["name"], game.id)
            order = dataclasses.replace(orders[game.id], group=group)
            _say_left_out(fields[game.id], quiet)
            try:
                set_up(store, tournament, game, order, fields[game.id])
            except (OrganiserError, StoreError) as error:
                raise UserError(str(error)) from None
            bots[tournament] = fields[game.id].bots
        return _play_all(store, results, bots, asked)


def resume_tournaments(given: str | None, asked: Mapping[str, Any]) -> Outcome:
    """Play what is missing in one tournament, or in all of an order over several games."""
    results = results_folder(asked["results"], asked["home"])
    with open_store(results, create=False) as store:
        try:
            ids = _unfinished(store, given)
            bots: dict[str, Mapping[str, Bot]] = {name: same_bots(store, name, asked["home"]) for name in ids}
        except (StoreError, OrganiserError) as error:
            raise UserError(str(error)) from None
        return _play_all(store, results, bots, asked)


def _unfinished(store: Store, given: str | None) -> list[str]:
    everything = [info.id for info, _ in store.tournaments()][::-1]
    members = [name for name in everything if given and store.settings(name)["group"] == given]
    if not members:
        one = find_tournament(store, given, unfinished=given is None)
        group = store.settings(one)["group"]
        members = [name for name in everything if group and store.settings(name)["group"] == group] or [one]
    return members


def _play_all(
    store: Store,
    results: Path,
    bots: Mapping[str, Mapping[str, Bot]],
    asked: Mapping[str, Any],
) -> Outcome:
    """Play the tournaments whose bots these are, in that order, and report on each."""
    outcome = Outcome()
    stop = StopRequest()
    for name, taking_part in bots.items():
        if stop.level:
            break
        info = _play_one(store, results, name, taking_part, asked, stop)
        tables = make_report(store, results, name)
        outcome.reports.append((info, results / name, tables))
        if not asked["quiet"]:
            _show(info, results / name, tables)
    if len(bots) > 1 and outcome.reports:
        group = store.settings(next(iter(bots)))["group"]
        page = make_overall(results, group, [tables for _, _, tables in outcome.reports])
        if not asked["quiet"]:
            click.echo(f"all games: {page}", err=True)
    outcome.interrupted = stop.level > 0
    return outcome


def _play_one(
    store: Store,
    results: Path,
    name: str,
    bots: Mapping[str, Bot],
    asked: Mapping[str, Any],
    stop: StopRequest,
) -> TournamentInfo:
    settings = store.settings(name)
    play = Play(
        workers=asked["workers"] or len(os.sched_getaffinity(0)),
        pin=not asked["no_pin"],
        faults=settings["faults"],
        replay_doubtful=settings["replay_doubtful"],
    )
    tournament = Tournament(store, name, play)
    info = tournament.info
    if not asked["quiet"]:
        plan = f"{len(info.bots)} bots, {info.jobs} matches, {play.workers} at once, seed {info.seed}"
        click.echo(f"{info.id}: {plan}", err=True)
    conditions = Conditions(
        tournament=name,
        bots=bots,
        limits=limits_of(store, name),
        sandbox=open_sandbox(settings["sandbox"], settings["caps"], quiet=asked["quiet"]).sandbox,
        ponder=settings["ponder"],
        keep=settings["keep"],
    )
    log = TournamentLog(results / name / "arena.log")
    try:
        with _ctrl_c(stop), shown_progress(info, tournament.progress, quiet=asked["quiet"]) as update:
            return tournament.play(conditions, log, stop, update)
    finally:
        log.close()


@contextmanager
def _ctrl_c(stop: StopRequest) -> Iterator[None]:
    """Ctrl-C asks to stop, and once more to hurry; SIGTERM stops at once. As before afterwards."""

    def interrupt(number: int, _frame: object) -> None:
        level = stop.raise_level() if number == signal.SIGINT else stop.raise_level() and stop.raise_level()
        text = (
            "finishing the matches that run (Ctrl-C again to stop now) …" if level == 1 else "stopping now …"
        )
        # Not click.echo: a signal may come in the middle of another write, and this one is atomic.
        os.write(sys.stderr.fileno(), f"\n{text}\n".encode())

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _orders(games: Sequence[Game], asked: Mapping[str, Any]) -> dict[str, Order]:
    seed = asked["seed"] if asked["seed"] is not None else new_seed()
    caps = caps_given(asked)
    common = Order(
        seed=seed,
        rounds=asked["rounds"],
        opening=asked["openings"],
        format="gauntlet" if asked["champion"] else asked["form"],
        limits=limits_given(asked),
        ponder=not asked["no_ponder"],
        keep=not asked["restart"],
        sandbox=asked["sandbox"],
        caps=caps,
        sandbox_in_force=open_sandbox(asked["sandbox"], caps, quiet=True).sandbox.description,
        faults=asked["faults"],
        replay_doubtful=asked["replay_doubtful"],
        name=asked["name"],
        resume=_command(asked, "--resume", "{id}"),
        reproduce=_reproduce(sys.argv[1:], seed),
    )
    return {
        game.id: dataclasses.replace(
            common, options=tuple(game.chosen(settings_of(game, _options_for(game, games, asked))).items())
        )
        for game in games
    }


def _options_for(game: Game, games: Sequence[Game], asked: Mapping[str, Any]) -> list[tuple[str, str]]:
    """With several games, an option goes to those that have it; one that none has is a mistake."""
    known = {option.key for option in game.options}
    elsewhere = {option.key for other in games for option in other.options}
    return [(key, value) for key, value in asked["option"] if key in known or key not in elsewhere]


def _field(game: Game, asked: Mapping[str, Any]) -> Field:
    try:
        bots, without = _listed(asked["bots"]), _listed(asked["exclude"])
        return choose_bots(game, bots, without, asked["home"], asked["champion"])
    except (OrganiserError, BotError) as error:
        raise UserError(str(error), "'arena bots' lists the bots") from None


def _listed(given: Sequence[str]) -> list[str]:
    return [name for part in given for name in (n.strip() for n in part.split(",")) if name]


def _say_left_out(entered: Field, quiet: bool) -> None:
    for bot in entered.left_out if not quiet else ():
        click.echo(f"{bot.name} does not take part: {bot.unavailable}", err=True)


def _show(info: TournamentInfo, folder: Path, tables: "Standings") -> None:
    from arena.report.terminal import print_standings

    print_standings(tables)
    click.echo(f"report: {folder / 'report.html'}", err=True)
    if info.state != "complete":
        click.echo(
            f"{len(tables.matches)} of {info.jobs} matches were played; the rest: {info.resume}", err=True
        )


def _command(asked: Mapping[str, Any], *words: str) -> str:
    """An `arena tournament` command that finds the same results and bots."""
    where = []
    for option in ("results", "home"):
        if asked[option] is not None:
            where += [f"--{option}", shlex.quote(str(asked[option]))]
    return " ".join(["arena tournament", *words, *where])


def _reproduce(arguments: Sequence[str], seed: int) -> str:
    given = "--seed" in arguments or any(word.startswith("--seed=") for word in arguments)
    return shlex.join(["arena", *arguments, *([] if given else ["--seed", str(seed)])])
