"""Setting a tournament up: who takes part and what they play, all written down before the first match."""

import random
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from arena import __version__, schedule
from arena.bot import Bot, BotError
from arena.game import Game
from arena.limits import Limits
from arena.limits import limits as read_limits
from arena.results import BotInfo, TournamentInfo
from arena.roster import find_bot, playable_bots
from arena.schedule import Job, Plan
from arena.store import Entrant, Store, StoreError


class OrganiserError(ValueError):
    """A tournament that cannot be set up as asked; a sentence for the user."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """What the user asked for; one order may be a tournament in each of several games."""

    options: tuple[tuple[str, str], ...] = ()
    """Checked by the caller: only those that differ from the game's defaults."""
    seed: int
    rounds: int
    opening: int
    format: str = "round-robin"
    limits: Limits = field(default_factory=Limits)
    ponder: bool = True
    keep: bool = True
    sandbox: str = "auto"
    caps: dict[str, int] = field(default_factory=dict)
    sandbox_in_force: str = "off"
    faults: int = 10
    replay_doubtful: bool = True
    name: str = ""
    group: str = ""
    """Shared by the tournaments of one order over several games; empty for a single one."""
    resume: str = ""
    reproduce: str = ""
    """The commands, for the report."""


@dataclass(frozen=True)
class Entry:
    """A bot that takes part, and what the user typed to name it."""

    given: str
    bot: Bot


@dataclass(frozen=True)
class Field:
    """Who takes part in a game, and who would but cannot be started here (`unavailable` says why)."""

    entries: tuple[Entry, ...]
    left_out: tuple[Bot, ...] = ()
    champion: str = ""
    """Label of the bot that meets all others in a gauntlet."""

    @property
    def bots(self) -> dict[str, Bot]:
        """By label."""
        return {entry.bot.label: entry.bot for entry in self.entries}


def new_seed() -> int:
    """A seed for a user who named none; short enough to be typed again."""
    return random.SystemRandom().randrange(1, 1_000_000)


def new_id(store: Store, name: str, game: str) -> str:
    """An id for folders and commands that is not taken: the name, or the game with the time."""
    text = name or f"{game}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:60] or game
    taken = {info.id for info, _ in store.tournaments()}
    candidates = (slug if n == 1 else f"{slug}-{n}" for n in range(1, len(taken) + 2))
    return next(candidate for candidate in candidates if candidate not in taken)


def choose_bots(
    game: Game, wanted: Sequence[str], excluded: Iterable[str], home: Path | None, champion: str = ""
) -> Field:
    """Who was named, or all that can play, and the champion; raises OrganiserError and BotError."""
    without = set(excluded)
    if wanted:
        entries = [Entry(text, find_bot(text, home)) for text in wanted]
        left_out: tuple[Bot, ...] = ()
    else:
        ready, missing = playable_bots(game.id, home)
        entries = [Entry(bot.label, bot) for bot in ready]
        left_out = tuple(bot for bot in missing if bot.name not in without)
    leader = Entry(champion, find_bot(champion, home)) if champion else None
    if leader is not None and all(entry.bot.label != leader.bot.label for entry in entries):
        entries.insert(0, leader)
    known = {entry.bot.name for entry in entries} | {bot.name for bot in left_out}
    for name in without - known - {entry.bot.label for entry in entries}:
        raise OrganiserError(f"--exclude {name}: no such bot takes part")
    kept = {e.bot.label: e for e in entries if e.bot.name not in without and e.bot.label not in without}
    unfit = [e.bot.name for e in kept.values() if not e.bot.plays(game.id)]
    if unfit:
        raise OrganiserError(f"{unfit[0]} does not play {game.id}")
    if len(kept) < 2:
        raise OrganiserError(f"a tournament needs two bots or more that play {game.id}; there is {len(kept)}")
    if leader is not None and leader.bot.label not in kept:
        raise OrganiserError(f"--champion {champion} is excluded by --exclude")
    return Field(tuple(kept.values()), left_out, leader.bot.label if leader else "")


def set_up(store: Store, tournament: str, game: Game, order: Order, entered: Field) -> TournamentInfo:
    """Write a tournament and all its jobs into the store; raises OrganiserError and StoreError."""
    infos = tuple(
        BotInfo(bot.label, bot.language, bot.author, str(bot.source)) for bot in entered.bots.values()
    )
    jobs = list(_jobs(game, order, [info.label for info in infos], entered.champion))
    info = TournamentInfo(
        id=tournament,
        name=order.name or tournament,
        game=game.id,
        options=order.options,
        seed=order.seed,
        format=order.format,
        champion=entered.champion,
        rounds=order.rounds,
        opening=order.opening,
        limits=order.limits.text(),
        bots=infos,
        date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        sandbox=order.sandbox_in_force,
        state="running",
        jobs=len(jobs),
        resume=order.resume.format(id=shlex.quote(tournament)),
        reproduce=order.reproduce,
        arena_version=__version__,
    )
    settings = {
        "limits": order.limits.text(),
        "ponder": order.ponder,
        "keep": order.keep,
        "sandbox": order.sandbox,
        "caps": order.caps,
        "faults": order.faults,
        "replay_doubtful": order.replay_doubtful,
        "group": order.group,
    }
    entrants = [Entrant(i, e.given) for i, e in zip(infos, entered.entries, strict=True)]
    store.add_tournament(info, settings, entrants, jobs)
    return info


def _jobs(game: Game, order: Order, labels: list[str], champion: str) -> Iterable[Job]:
    plan = Plan(game.id, order.seed, order.options, order.rounds, order.opening)
    if order.format == "round-robin":
        return schedule.round_robin(labels, plan)
    if not champion:
        raise OrganiserError("a gauntlet needs --champion NAME: the bot that meets all the others")
    return schedule.gauntlet(champion, labels, plan)


def same_bots(store: Store, tournament: str, home: Path | None) -> dict[str, Bot]:
    """The bots of a stored tournament, by label, exactly as they were; raises OrganiserError."""
    bots = {}
    for label, given in store.entrants(tournament).items():
        try:
            bot = find_bot(given, home)
        except BotError as error:
            raise OrganiserError(f"{label} took part in {tournament} and is not here now: {error}") from None
        if bot.label != label:
            raise OrganiserError(
                f"{bot.name} has changed since {tournament} began ({label} then, {bot.label} now): "
                "bring the old version back, or start a new tournament"
            )
        bots[label] = bot
    return bots


def limits_of(store: Store, tournament: str) -> Limits:
    """The limits a stored tournament is played under."""
    return read_limits(store.settings(tournament)["limits"])


def find_tournament(store: Store, given: str | None, *, unfinished: bool = False) -> str:
    """The id a user means: exact, by its beginning when that is unique, or the newest; raises StoreError."""
    if given is None:
        newest = store.latest(unfinished=unfinished)
        if newest is None:
            raise StoreError("no tournament is unfinished" if unfinished else "no tournament was played yet")
        return newest
    ids = [info.id for info, _ in store.tournaments()]
    if given in ids:
        return given
    found = [name for name in ids if name.startswith(given)]
    if len(found) == 1:
        return found[0]
    raise StoreError(
        f"{given!r} is the beginning of several tournaments: {', '.join(found[:5])}"
        if found
        else f"there is no tournament {given!r}: 'arena tournaments' lists them"
    )
