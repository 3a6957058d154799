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
from arena.worker import Conditions, Report, work

AHEAD = 2
"""Jobs a worker holds, the one it plays included: with one in reserve it never waits for the parent."""
_LEAVE_S = 20.0
"""How long workers get to end their bots and leave before they are killed."""

_log = logging.getLogger("arena.crew")
_fork = multiprocessing.get_context("fork")  # multiprocessing-logging works with no other


@dataclass
class _Worker:
    process: Any
    channel: Connection
    core: int | None
    started: int
    """When it was started, in ticks after boot: what is older is no leftover of its bots."""
    jobs: dict[int, Job] = field(default_factory=dict)
    """What it was given and has not reported on, by number; the first is the one it plays."""


@dataclass(frozen=True)
class Death:
    """A worker died while it played `job` (None between matches); `returned` is what it had in reserve."""

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
        self._workers = [self._start(core) for core in self._cores]
        return self

    def __exit__(self, *exc: object) -> None:
        if self._lifeline is not None:
            self._dismiss()

    def _start(self, core: int | None) -> _Worker:
        assert self._lifeline is not None
        name = next(self._names)
        ours, theirs = _fork.Pipe()
        channel = self._log_file.channel_for(name)
        process = _fork.Process(target=self._run, args=(theirs, ours, core, channel), name=name, daemon=False)
        process.start()
        theirs.close()
        self._reports.register(ours, select.POLLIN)
        task = process_tree.read_task(process.pid or 0)
        return _Worker(process, ours, core, task.started if task else 0)

    def _run(self, theirs: Connection, ours: Connection, core: int | None, log: logging.Handler) -> None:
        """In the fork: let go of everything that is the parent's, so that its end is seen by all."""
        assert self._lifeline is not None
        reading, writing = self._lifeline
        os.close(writing)
        ours.close()
        for sibling in self._workers:
            sibling.channel.close()
        work(self._conditions, theirs, reading, core, log)

    @property
    def free_places(self) -> int:
        """Jobs that can be given out at once."""
        return 0 if self._recalled else sum(AHEAD - len(worker.jobs) for worker in self._workers)

    @property
    def busy(self) -> bool:
        """Whether a report may still come."""
        return any(worker.jobs for worker in self._workers)

    def give(self, job: Job) -> None:
        """Hand a job to the worker with the least to do; only while there are free places."""
        worker = min(self._workers, key=lambda w: len(w.jobs))
        worker.jobs[job.number] = job
        _send(worker, job)

    def events(self, timeout_s: float) -> Iterator[tuple[Job, Report] | Death]:
        """What workers have reported, in the order it came; waits at most `timeout_s` for the first."""
        by_fd = {worker.channel.fileno(): worker for worker in self._workers}
        for fd, _ in self._reports.poll(timeout_s * 1000):
            worker = by_fd[fd]
            try:
                # One report each: if there are more, the next look finds them.
                report: Report = worker.channel.recv()
            except (EOFError, OSError):
                yield from self._bury(worker)
            else:
                yield worker.jobs.pop(report.number), report

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
            return
        process_tree.end_tree(worker.process.pid, worker.started, ())
        cgroup.sweep()
        code = worker.process.exitcode
        _log.warning("%s died with exit code %s", worker.process.name, code)
        self._workers[self._workers.index(worker)] = self._start(worker.core)
        jobs = tuple(worker.jobs.values())
        yield Death(jobs[0] if jobs else None, jobs[1:], code)

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
            process_tree.end_tree(worker.process.pid, worker.started, ())
        self._workers = []
        cgroup.sweep()


def _send(worker: _Worker, message: Job | None) -> None:
    # If it has died, `events` finds out, and reports it together with its jobs.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        worker.channel.send(message)
