"""A worker: a forked process that plays whole matches, one after the other, on one core with its bots."""

import logging
import os
import signal
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import Connection

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


def work(
    conditions: Conditions, channel: Connection, lifeline: int, core: int | None, log: logging.Handler
) -> None:
    """Play the jobs that come through `channel` until None comes or the parent is gone.

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
    jobs: deque[Job] = deque()
    with Table(
        conditions.sandbox,
        ponder=conditions.ponder,
        keep=KEPT if conditions.keep else 0,
        lifeline=lifeline,
    ) as table:
        try:
            while True:
                # Read ahead without waiting: a `None` overtakes the jobs that were sent before it.
                while not jobs or channel.poll():
                    message = channel.recv()
                    if message is None:
                        return
                    jobs.append(message)
                channel.send(_play(table, conditions, jobs.popleft()))
        except (EOFError, BrokenPipeError, ConnectionResetError, LifelineCut):
            return  # the parent is gone


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
