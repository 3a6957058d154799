"""Who meets whom: every job of a tournament as a plain value, generated up front from one seed."""

import hashlib
import math
import random
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class Job(NamedTuple):
    """The instruction to play one match."""

    number: int
    """From 1, in the order of play; unique within a tournament."""
    encounter: int
    """From 1; the two jobs of an encounter share game, options, seed and opening, with the seats swapped."""
    game: str
    options: tuple[tuple[str, str], ...]
    """Only the options that differ from the game's defaults."""
    seed: int
    opening: int
    """Random plies that the referee plays first, drawn from the seed."""
    bots: tuple[str, str]
    """Labels (`name@version`) of P1 and P2."""

    @property
    def opens_encounter(self) -> bool:
        """Whether it is the first of the two jobs of its encounter."""
        return self.number == 2 * self.encounter - 1


class Plan(NamedTuple):
    """What all the jobs of a tournament have in common."""

    game: str
    seed: int
    options: tuple[tuple[str, str], ...] = ()
    rounds: int = 1
    """Encounters of each pairing."""
    opening: int = 0


def round_robin(bots: Iterable[str], plan: Plan) -> Iterator[Job]:
    """Everybody meets everybody, `rounds` encounters a pairing; ValueError when there are not two bots.

    The jobs are a function of the set of bots and the plan: the order in which the bots are given does not
    matter. Pairings are spread so that at any moment all bots have played nearly equally often and against
    different opponents; standings of a stopped tournament mean something.
    """
    everyone = _distinct(bots)
    if len(everyone) < 2:
        raise ValueError(f"a round robin needs two bots or more; there is {'one' if everyone else 'none'}")
    for turn in range(plan.rounds):
        drawn = list(everyone)
        _random(plan, "order", turn).shuffle(drawn)
        pairings = (pairing for circle in _circle(drawn) for pairing in circle)
        yield from _encounters(pairings, plan, turn, math.comb(len(everyone), 2))


def gauntlet(champion: str, challengers: Iterable[str], plan: Plan) -> Iterator[Job]:
    """The champion meets every challenger, `rounds` encounters each; ValueError without a challenger."""
    others = [bot for bot in _distinct(challengers) if bot != champion]
    if not others:
        raise ValueError("a gauntlet needs a challenger besides the champion")
    for turn in range(plan.rounds):
        drawn = list(others)
        _random(plan, "order", turn).shuffle(drawn)
        yield from _encounters(((champion, other) for other in drawn), plan, turn, len(others))


def _encounters(pairings: Iterable[tuple[str, str]], plan: Plan, turn: int, in_turn: int) -> Iterator[Job]:
    for place, pairing in enumerate(pairings):
        encounter = turn * in_turn + place + 1
        low, high = sorted(pairing)
        # Whoever sits first in the first match changes from round to round, so that a tournament that is
        # stopped between the two matches of an encounter favours nobody.
        starts_low = _random(plan, "seats", low, high).random() < 0.5
        first, second = (low, high) if starts_low == (turn % 2 == 0) else (high, low)
        seed = encounter_seed(plan, low, high, turn)
        for second_match, seats in enumerate(((first, second), (second, first))):
            number = 2 * encounter - 1 + second_match  # `opens_encounter` reads it
            yield Job(number, encounter, plan.game, plan.options, seed, plan.opening, seats)


def encounter_seed(plan: Plan, one: str, other: str, turn: int) -> int:
    """Seed of an encounter: 31 bits, so that people can type it.

    It comes from the bots' names without their versions: a new version of a bot meets the same opponents on
    the same boards as the old one did, and adding a bot to a tournament leaves the other seeds as they were.
    """
    names = sorted(label.rpartition("@")[0] or label for label in (one, other))
    return _random(plan, "seed", *names, turn).getrandbits(31)


def _random(plan: Plan, *what: object) -> random.Random:
    """A stream of its own for each purpose, the same on every Python version."""
    text = "\0".join(str(part) for part in (plan.seed, plan.game, *what))
    return random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))


def _distinct(bots: Iterable[str]) -> list[str]:
    return sorted(set(bots))


def _circle(bots: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """The circle method: every bot plays once a circle, and after all circles has met every other once."""
    ring: deque[str | None] = deque(bots[1:])
    if len(bots) % 2 == 0:
        fixed: str | None = bots[0]
    else:
        ring = deque(bots)
        fixed = None
    for _ in range(len(ring)):
        table = [fixed, *ring]
        half = len(table) // 2
        facing = zip(table[:half], reversed(table[half:]), strict=True)
        yield [(one, other) for one, other in facing if one is not None and other is not None]
        ring.rotate(1)


class FaultStreaks:
    """Says when a bot has faulted so often in a row that it is withdrawn.

    "In a row" is in the order of the jobs, not of their ends, so that the answer does not depend on the
    number of workers: a result counts once all earlier jobs of that bot have theirs.
    """

    def __init__(self, jobs: Iterable[Job], limit: int) -> None:
        self._limit = limit
        self._waiting: dict[str, deque[int]] = {}
        for job in jobs:
            for bot in job.bots:
                self._waiting.setdefault(bot, deque()).append(job.number)
        self._faulted: dict[str, dict[int, bool | None]] = {bot: {} for bot in self._waiting}
        self._streak = dict.fromkeys(self._waiting, 0)
        self.withdrawn_after: dict[str, int] = {}
        """Number of the job whose fault was one too many; all later jobs of that bot are walkovers."""

    def finished(self, job: Job, faulty: str | None) -> tuple[str, ...]:
        """Take in a result and the label of the bot that forfeited, if any; who is withdrawn by it.

        Walkovers are reported too; they neither lengthen nor break the streak of the bot that turned up.
        """
        walkover = self.is_walkover(job)
        return tuple(
            bot for bot in job.bots if self._take(bot, job.number, None if walkover else bot == faulty)
        )

    def is_walkover(self, job: Job) -> bool:
        """Whether this job is not to be played, or its result not to be kept, for a bot was withdrawn."""
        if not self.withdrawn_after:
            return False
        return any(job.number > self.withdrawn_after.get(bot, job.number) for bot in job.bots)

    def _take(self, bot: str, number: int, faulted: bool | None) -> bool:
        known, waiting = self._faulted[bot], self._waiting[bot]
        known[number] = faulted
        if self._limit <= 0 or bot in self.withdrawn_after:
            return False
        while waiting and waiting[0] in known:
            current = waiting.popleft()
            fault = known.pop(current)
            if fault is not None:
                self._streak[bot] = self._streak[bot] + 1 if fault else 0
            if self._streak[bot] >= self._limit:
                self.withdrawn_after[bot] = current
                return True
        return False
