"""The workers of a tournament as the parent sees them: hand out jobs, collect reports, replace the dead."""

import contextlib
import itertools
import logging
import multiprocessing
import os
import select
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from arena import process_tree
from arena.sandbox import Off, cgroup
from arena.schedule import Job
from arena.tournament_log import TournamentLog
from arena.worker import HOLD_NS, Batch, Conditions, Playing, Report, work

AHEAD = 2
"""Jobs a worker holds at least, the one it plays included: with one in reserve it does not wait for us."""
AHEAD_NS = 2 * HOLD_NS
"""Jobs a worker holds at most, in time: twice what it holds back of reports, so that it does not run dry."""
MOST_AHEAD = 500
"""Never more, however short they are: a message of so many jobs fits a socket that nobody reads."""
_LEAVE_S = 20.0
"""How long workers get to end their bots and leave before they are killed."""

_log = logging.getLogger("arena.crew")
_fork = multiprocessing.get_context("fork")  # multiprocessing-logging works with no other


@dataclass
class _Worker:
    process: Any
    channel: Connection
    core: int | None
    playing: Playing
    started: int
    """When it was started, in ticks after boot: what is older is no leftover of its bots."""
    jobs: dict[int, Job] = field(default_factory=dict)
    """What it was given and has not reported on, by number."""
    ahead: int = AHEAD
    """How many it should have: more of short matches, so that they are handed out and reported together."""


@dataclass(frozen=True)
class Death:
    """A worker died while it played `job` (None between matches).

    `returned` is what it had in reserve, and what it had played and not reported on.
    """

    job: Job | None
    returned: tuple[Job, ...]
    exit_code: int | None


class Crew:
    """A context manager. Leaving it normally or by an exception ends every worker and every bot."""

    def __init__(self, conditions: Conditions, size: int, log: TournamentLog, *, pin: bool = True) -> None:
        self._conditions = conditions
        self._size = size
        self._log_file = log
        self._names = (f"worker-{number}" for number in itertools.count(1))
        cores = sorted(os.sched_getaffinity(0))
        self._cores = [cores[n % len(cores)] if pin else None for n in range(size)]
        self._lifeline: tuple[int, int] | None = None
        self._workers: list[_Worker] = []
        self._reports = select.poll()
        """All workers' channels; `multiprocessing.connection.wait` would make a selector for every look."""
        self._recalled = False

    def __enter__(self) -> "Crew":
        # What a killed worker's bots leave behind is handed to us, and ended in `_bury`.
        process_tree.become_subreaper()
        if not isinstance(self._conditions.sandbox, Off):
            cgroup.found()  # before the fork, so that all workers make their groups where we sweep
        self._lifeline = os.pipe()
        for core in self._cores:  # one by one: each lets go of the channels of those before it
            self._workers.append(self._start(core))
        return self

    def __exit__(self, *exc: object) -> None:
        if self._lifeline is not None:
            self._dismiss()

    def _start(self, core: int | None) -> _Worker:
        assert self._lifeline is not None
        name = next(self._names)
        ours, theirs = _fork.Pipe()
        log, playing = self._log_file.channel_for(name), Playing()
        given = (theirs, ours, core, log, playing)
        process = _fork.Process(target=self._run, args=given, name=name, daemon=False)
        process.start()
        theirs.close()
        self._reports.register(ours, select.POLLIN)
        task = process_tree.read_task(process.pid or 0)
        return _Worker(process, ours, core, playing, task.started if task else 0)

    def _run(
        self,
        theirs: Connection,
        ours: Connection,
        core: int | None,
        log: logging.Handler,
        playing: Playing,
    ) -> None:
        """In the fork: let go of everything that is the parent's, so that its end is seen by all."""
        assert self._lifeline is not None
        reading, writing = self._lifeline
        os.close(writing)
        ours.close()
        for sibling in self._workers:
            sibling.channel.close()
        work(self._conditions, theirs, reading, core, log, playing)

    @property
    def busy(self) -> bool:
        """Whether a report may still come."""
        return any(worker.jobs for worker in self._workers)

    def give(self, jobs: Iterator[Job]) -> None:
        """Hand out jobs, each to the worker with the least to do; takes no more than there is room for.

        Of short matches the two of an encounter go to the same worker, which then exchanges its bots half as
        often. Long ones do not: at the end of a tournament somebody would stand idle.
        """
        given: dict[int, list[Job]] = {}
        while not self._recalled:
            place, worker = min(enumerate(self._workers), key=lambda pair: len(pair[1].jobs) - pair[1].ahead)
            if len(worker.jobs) >= worker.ahead or (job := next(jobs, None)) is None:
                break
            together = [job]
            if worker.ahead > AHEAD and job.opens_encounter:
                together += itertools.islice(jobs, 1)
            worker.jobs.update((job.number, job) for job in together)
            given.setdefault(place, []).extend(together)
        for place, new in given.items():
            new.sort(key=lambda job: sorted(job.bots))  # stopping a bot and letting it go on costs 20 µs
            _send(self._workers[place], new)

    def events(self, timeout_s: float) -> Iterator[tuple[Job, Report] | Death]:
        """What workers have reported, of each in its order; waits at most `timeout_s` for the first."""
        by_fd = {worker.channel.fileno(): worker for worker in self._workers}
        for fd, _ in self._reports.poll(timeout_s * 1000):
            worker = by_fd[fd]
            try:
                # One message each: if there are more, the next look finds them.
                batch: Batch = worker.channel.recv()
            except (EOFError, OSError):
                yield from self._bury(worker)
            else:
                a_match_ns = batch.spent_ns // len(batch.reports) + 1
                worker.ahead = min(max(AHEAD, AHEAD_NS // a_match_ns), MOST_AHEAD)
                yield from ((worker.jobs.pop(report.number), report) for report in batch.reports)

    def recall(self) -> None:
        """Let each worker finish the match it plays and leave; what none has begun is forgotten."""
        self._recalled = True
        for worker in self._workers:
            _send(worker, None)

    def _bury(self, worker: _Worker) -> Iterator[Death]:
        """Take leave of a worker that has gone; one that was not asked to go is reported and replaced."""
        worker.process.join(_LEAVE_S)
        self._reports.unregister(worker.channel)
        worker.channel.close()
        if self._recalled:
            self._workers.remove(worker)
            self._note_exit(worker)
            return
        process_tree.end_tree(worker.process.pid, worker.started, ())
        cgroup.sweep()
        code = worker.process.exitcode
        _log.warning("%s died with exit code %s", worker.process.name, code)
        self._workers[self._workers.index(worker)] = self._start(worker.core)
        number = worker.playing.number
        played = None if number is None else worker.jobs.pop(number, None)
        yield Death(played, tuple(worker.jobs.values()), code)

    def _note_exit(self, worker: _Worker) -> None:
        if worker.process.exitcode == 0:
            self._log_file.has_left(worker.process.name)

    def _dismiss(self) -> None:
        """Close the lifeline: workers abandon what they play, end their bots and leave."""
        assert self._lifeline is not None
        for end in self._lifeline:
            os.close(end)
        self._lifeline = None
        for worker in self._workers:
            worker.channel.close()
        for worker in self._workers:
            worker.process.join(_LEAVE_S)
            if worker.process.exitcode is None:
                worker.process.kill()
                worker.process.join()
            self._note_exit(worker)
            process_tree.end_tree(worker.process.pid, worker.started, ())
        self._workers = []
        cgroup.sweep()


def _send(worker: _Worker, message: list[Job] | None) -> None:
    # If it has died, `events` finds out, and reports it together with its jobs.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        worker.channel.send(message)
