"""A worker: a forked process that plays whole matches, one after the other, on one core with its bots."""

import logging
import mmap
import os
import select
import signal
import struct
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from time import monotonic_ns
from typing import NamedTuple

from arena import capsule as capsules
from arena import record as records
from arena.bot import Bot
from arena.limits import Limits
from arena.match import KEPT, LifelineCut, Table, VoidMatch
from arena.referee import Setup
from arena.results import match_row
from arena.sandbox import Sandbox
from arena.schedule import Job
from arena.store import Result
from arena.tournament_log import log_to

HOLD_NS = 20 * 10**6
"""Reports of matches that end within this time of each other travel together: waking the parent for every
match of a few hundred microseconds would cost as much as playing it."""

_log = logging.getLogger("arena.worker")


@dataclass(frozen=True)
class Conditions:
    """What is the same for every match of a tournament."""

    tournament: str
    bots: Mapping[str, Bot]
    """By label."""
    limits: Limits
    sandbox: Sandbox
    ponder: bool = True
    keep: bool = True
    """Whether a bot that stays alive after a match is used for the next one."""


@dataclass(frozen=True)
class Void:
    """A match that failed through no fault of a bot."""

    number: int
    reason: str


Report = Result | Void


class Batch(NamedTuple):
    """What a worker sends: reports in the order of its jobs, and the time it took to play them."""

    reports: tuple[Report, ...]
    spent_ns: int


class Playing:
    """The number of the match that a worker plays, in memory that it shares with its parent.

    So the parent knows which match a worker died of, though the reports of earlier ones died with it.
    """

    _NUMBER = struct.Struct("q")
    _NONE = -1

    def __init__(self) -> None:
        """Call before the worker is forked."""
        self._shared = mmap.mmap(-1, self._NUMBER.size)
        self.number = None

    @property
    def number(self) -> int | None:
        """None between two matches."""
        (number,) = self._NUMBER.unpack_from(self._shared)
        return None if number == self._NONE else number

    @number.setter
    def number(self, number: int | None) -> None:
        self._NUMBER.pack_into(self._shared, 0, self._NONE if number is None else number)


def work(
    conditions: Conditions,
    channel: Connection,
    lifeline: int,
    core: int | None,
    log: logging.Handler,
    playing: Playing,
) -> None:
    """Play the lists of jobs that come through `channel` until None comes or the parent is gone.

    `lifeline` is the reading end of a pipe whose other end only the parent holds: when it closes, a match
    that is being played is abandoned, its bots are ended, and the worker leaves.
    """
    # Ctrl-C goes to the whole foreground group; it is for the parent to decide what becomes of the matches.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    log_to(log)
    if core is not None:
        os.sched_setaffinity(0, {core})
    _log.info("plays on %s", "any core" if core is None else f"core {core}")
    with Table(
        conditions.sandbox,
        ponder=conditions.ponder,
        keep=KEPT if conditions.keep else 0,
        lifeline=lifeline,
    ) as table:
        try:
            _play_all(table, conditions, channel, playing)
        except (EOFError, BrokenPipeError, ConnectionResetError, LifelineCut):
            return  # the parent is gone


def _play_all(table: Table, conditions: Conditions, channel: Connection, playing: Playing) -> None:
    """Play and report until None comes."""
    jobs: deque[Job] = deque()
    reports: list[Report] = []
    spent_ns = sent_ns = now = 0
    more = select.poll()  # `channel.poll()` makes a selector for every look
    more.register(channel, select.POLLIN)
    recalled = False
    while not recalled:
        # Read ahead without waiting: a `None` overtakes the jobs that were sent before it.
        while not recalled and (not jobs or more.poll(0)):
            message: list[Job] | None = channel.recv()
            recalled = message is None
            jobs.extend(message or ())
        if not recalled:
            job = jobs.popleft()
            began_ns = monotonic_ns()
            playing.number = job.number
            reports.append(_play(table, conditions, job))
            playing.number = None
            now = monotonic_ns()
            spent_ns += now - began_ns
        # With one job left the parent has to be told now, or there would be none while it sends more.
        if reports and (recalled or len(jobs) <= 1 or now - sent_ns >= HOLD_NS):
            channel.send(Batch(tuple(reports), spent_ns))
            reports.clear()
            spent_ns, sent_ns = 0, now


def _leave(*_: object) -> None:
    """On SIGTERM: unwind, so that the table ends its bots."""
    raise SystemExit(1)


def _play(table: Table, conditions: Conditions, job: Job) -> Report:
    first, second = (conditions.bots[label] for label in job.bots)
    setup = Setup(
        game=job.game,
        options=dict(job.options),
        seed=job.seed,
        limits=conditions.limits,
        bots=job.bots,
        opening=job.opening,
        date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        sandbox=conditions.sandbox.description,
        headers=(("Tournament", conditions.tournament), ("Match", str(job.number))),
    )
    try:
        played = table.play(setup, first, second)
    except VoidMatch as void:
        _log.warning("match %d is void: %s", job.number, void)
        return Void(job.number, str(void))
    if played.record.fault is not None:
        _log.warning("match %d: %s", job.number, played.record.fault.sentence)
    row = match_row(conditions.tournament, job, played.record, f"{conditions.tournament}:{job.number}")
    capsule = capsules.write(played.capsule) if played.capsule else ""
    return Result(row, records.write(played.record), played.record.fault, capsule)
