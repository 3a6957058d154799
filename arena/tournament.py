"""Playing a tournament: gives the jobs without a result to the workers and stores what comes back.

Who is withdrawn is decided in the order of the jobs, so that with deterministic bots the stored matches do
not depend on the number of workers.
"""

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from arena.crew import Crew, Death
from arena.game import P1, P2, Seat
from arena.results import MatchRow, TournamentInfo, walkover_row
from arena.schedule import FaultStreaks, Job
from arena.store import Result, Store
from arena.tournament_log import TournamentLog
from arena.worker import Conditions, Report, Void

ATTEMPTS = 3
"""How often a match is played that failed through no fault of a bot, before it is left without a result."""
_TICK_S = 0.25
"""How long we wait for a report before we look whether the user wants to stop."""

_log = logging.getLogger("arena.tournament")


@dataclass(frozen=True)
class Play:
    """How the jobs are carried out. None of this changes what deterministic bots play."""

    workers: int
    pin: bool = True
    faults: int = 10
    """Consecutive faults after which a bot is withdrawn; 0 for never."""
    replay_doubtful: bool = True


class Progress(NamedTuple):
    """What a progress bar shows after every few results."""

    done: int
    jobs: int
    wins: Counter[str]
    losses: Counter[str]


class StopRequest:
    """How much of a hurry the user is in; set from a signal handler."""

    def __init__(self) -> None:
        self.level = 0
        """0 play on, 1 finish the matches that run, 2 leave at once."""

    def raise_level(self) -> int:
        """One more Ctrl-C; the new level."""
        self.level = min(self.level + 1, 2)
        return self.level


class Tournament:
    """The jobs of one stored tournament, and how far they have got."""

    def __init__(self, store: Store, tournament: str, play: Play) -> None:
        self.info = store.info(tournament)
        self._store = store
        self._play = play
        self._jobs = store.jobs(tournament)
        self._streaks = FaultStreaks(self._jobs, play.faults)
        self._attempts: Counter[int] = Counter()
        self._replayed = {number for number, _ in store.incidents(tournament, "doubtful")}
        self._faulty: dict[int, str | None] = {}
        """Label of the bot that forfeited, for results that were not settled yet."""
        self._told: list[str] = []
        """Results that are not in the log yet."""
        self._settled = 0
        """All jobs before this place in the list are settled."""
        self.progress = Progress(0, len(self._jobs), Counter(), Counter())
        for row in store.rows(tournament):
            self._count(row.number, row.p1, row.p2, row.winner, row.forfeit)
        self._queue = deque(job for job in self._jobs if job.number not in self._faulty)
        self._settle()

    def play(
        self,
        conditions: Conditions,
        log: TournamentLog,
        stop: StopRequest,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> TournamentInfo:
        """Play until every job has a result or the user stops it; the updated info, already stored."""
        self._set_state("running")
        _log.info("tournament %s: %d of %d matches to play", self.info.id, len(self._queue), len(self._jobs))
        try:
            if self._queue:
                with Crew(conditions, self._play.workers, log, pin=self._play.pin) as crew:
                    self._run(crew, stop, on_progress)
        finally:
            self._log_results()
            self._set_state("complete" if self.progress.done == len(self._jobs) else "stopped")
            _log.info("tournament %s is %s", self.info.id, self.info.state)
        return self.info

    def _run(self, crew: Crew, stop: StopRequest, on_progress: Callable[[Progress], None]) -> None:
        recalled = False
        self._hand_out(crew)
        while crew.busy and stop.level < 2:
            events = list(crew.events(_TICK_S))
            if events:
                with self._store.transaction():
                    for event in events:
                        if isinstance(event, Death):
                            self._mourn(event)
                        else:
                            self._take(*event)
                self._log_results()
                on_progress(self.progress)
            if stop.level == 0:
                self._hand_out(crew)
            elif not recalled:
                crew.recall()
                recalled = True

    def _hand_out(self, crew: Crew) -> None:
        crew.give(self._to_play())

    def _to_play(self) -> Iterator[Job]:
        """Jobs that nobody plays yet; what has become a walkover meanwhile is settled on the way."""
        while self._queue:
            job = self._queue.popleft()
            if self._streaks.is_walkover(job):
                self._finish(job, self._walkover(job))
            else:
                yield job

    def _take(self, job: Job, report: Report) -> None:
        if isinstance(report, Void):
            self._void(job, report.reason)
        elif report.row.doubtful and self._play.replay_doubtful and job.number not in self._replayed:
            self._replayed.add(job.number)
            self._store.add_incident(self.info.id, job.number, "doubtful", report.row.forfeit, report.record)
            self._warn(f"match {job.number} was lost on time while the machine was busy: played again")
            self._queue.appendleft(job)
        else:
            self._finish(job, report)

    def _mourn(self, death: Death) -> None:
        self._queue.extendleft(reversed(death.returned))
        if death.job is not None:
            self._void(death.job, f"the worker died (exit code {death.exit_code})")

    def _void(self, job: Job, reason: str) -> None:
        self._attempts[job.number] += 1
        self._store.add_incident(self.info.id, job.number, "void", reason)
        if self._attempts[job.number] < ATTEMPTS:
            self._queue.appendleft(job)
        else:
            self._warn(f"match {job.number} is left without a result: {reason}", logging.ERROR)
            self._faulty[job.number] = None
            self._settle()

    def _finish(self, job: Job, result: Result) -> None:
        if self._streaks.is_walkover(job):
            result = self._walkover(job)
        self._store.add_match(result)
        row = result.row
        self._told.append(_told(row))
        self._count(row.number, row.p1, row.p2, row.winner, row.forfeit)
        self._settle()

    def _log_results(self) -> None:
        """Write what was stored into the log: together, since a record costs more than its lines.

        Workers leave that to us: a record through a queue costs ten times as much as one that is written.
        """
        if self._told:
            _log.info("\n".join(self._told))
            self._told.clear()

    def _warn(self, sentence: str, level: int = logging.WARNING) -> None:
        """Log this after the results that led to it."""
        self._log_results()
        _log.log(level, sentence)

    def _count(self, number: int, p1: str, p2: str, winner: str, forfeit: str) -> None:
        done, jobs, wins, losses = self.progress
        if winner:
            won, lost = (p1, p2) if winner == "P1" else (p2, p1)
            wins[won] += 1
            losses[lost] += 1
            self._faulty[number] = lost if forfeit else None
        else:
            self._faulty[number] = None
        self.progress = Progress(done + 1, jobs, wins, losses)

    def _settle(self) -> None:
        """Look at results in the order of the jobs: a withdrawal turns later matches into walkovers."""
        for job in self._due():
            walkover = self._streaks.is_walkover(job)
            withdrawn = self._streaks.finished(job, self._faulty.pop(job.number))
            if walkover:
                self._store.add_match(self._walkover(job))
            for bot in withdrawn:
                self._warn(f"{bot} is withdrawn after {self._play.faults} faults in a row")

    def _due(self) -> Iterator[Job]:
        while self._settled < len(self._jobs) and self._jobs[self._settled].number in self._faulty:
            self._settled += 1
            yield self._jobs[self._settled - 1]

    def _walkover(self, job: Job) -> Result:
        gone = [self._is_gone(bot, job) for bot in job.bots]
        loser: Seat | None = None if all(gone) else (P1 if gone[0] else P2)
        return Result(walkover_row(self.info.id, job, loser))

    def _is_gone(self, bot: str, job: Job) -> bool:
        return job.number > self._streaks.withdrawn_after.get(bot, job.number)

    def _set_state(self, state: str) -> None:
        self.info = replace(
            self.info,
            state=state,
            withdrawn=tuple(sorted(self._streaks.withdrawn_after)),
            voids=len(self._store.incidents(self.info.id, "void")),
        )
        self._store.set_info(self.info)


def _told(row: MatchRow) -> str:
    """A result for the log."""
    if not row.winner:
        end = f"neither {row.p1} nor {row.p2} wins: both were withdrawn"
    else:
        end = f"{row.p1} against {row.p2}, {row.winner} wins by {row.reason} in {row.turns} turns"
    return f"match {row.number}: {end}"
