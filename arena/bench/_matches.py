"""Matches between instant bots, played in forked processes of their own as a tournament's workers do."""

import multiprocessing
import os
import select
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple

from arena.bot import Bot
from arena.match import KEPT, Table
from arena.referee import Setup
from arena.sandbox import Off, Sandbox

_fork = multiprocessing.get_context("fork")


class Tally(NamedTuple):
    """What was played, and the time it took; `cpu_ns` is the referee's, or all there is in a ping-pong."""

    replies: int
    wall_ns: float
    cpu_ns: float
    matches: int = 0
    bots_cpu_ns: float = 0

    @property
    def wall_us(self) -> float:
        """Microseconds of wall time for each reply; with several workers, as if one had played them all."""
        return self.wall_ns / self.replies / 1000

    @property
    def cpu_us(self) -> float:
        """Microseconds of the referee's CPU time for each reply."""
        return self.cpu_ns / self.replies / 1000

    @property
    def all_cpu_us(self) -> float:
        """Microseconds of CPU time for each reply, the bots' included: other work does not change it much."""
        return (self.cpu_ns + self.bots_cpu_ns) / self.replies / 1000

    @property
    def matches_per_s(self) -> float:
        """Matches in a second."""
        return self.matches / self.wall_ns * 1e9


class Way(NamedTuple):
    """How matches are played; the defaults are those of a tournament with one worker, without a sandbox."""

    workers: int = 1
    pinned: bool = True
    keep: bool = True
    ponder: bool = True
    sandbox: Sandbox = Off()


def play(game: str, way: Way, bots: Sequence[Bot], seconds: float, seed: int) -> Tally:
    """Play for so long with each worker; one match of each warms up and is not counted."""
    cores = sorted(os.sched_getaffinity(0))
    together = _fork.Barrier(way.workers)

    def work(channel: Connection, number: int) -> None:
        if way.pinned:
            os.sched_setaffinity(0, {cores[number % len(cores)]})
        channel.send(_play_here(game, way, bots, seconds, seed + number, together))

    tallies = _in_processes(work, way.workers)
    return Tally(
        sum(tally.replies for tally in tallies),
        sum(tally.wall_ns for tally in tallies) / len(tallies),
        sum(tally.cpu_ns for tally in tallies),
        sum(tally.matches for tally in tallies),
        sum(tally.bots_cpu_ns for tally in tallies),
    )


def _in_processes(work: Callable[[Connection, int], None], count: int) -> list[Tally]:
    """What each process sent; raises EOFError when one ends without a word."""
    processes = []
    channels = []
    for number in range(count):
        ours, theirs = _fork.Pipe()
        process = _fork.Process(target=work, args=(theirs, number))
        process.start()
        theirs.close()
        processes.append(process)
        channels.append(ours)
    try:
        return [channel.recv() for channel in channels]
    finally:
        for process, channel in zip(processes, channels, strict=True):
            process.join()
            channel.close()


def _play_here(
    game: str, way: Way, bots: Sequence[Bot], seconds: float, seed: int, together: Barrier
) -> Tally:
    with Table(way.sandbox, ponder=way.ponder, keep=KEPT if way.keep else 0) as table:
        pair = bots[:2]
        table.play(Setup(game, seed=seed), *pair)
        together.wait()
        replies = matches = 0
        bots_before = _cpu_of(table, bots)
        cpu = time.process_time_ns()
        began = now = time.perf_counter_ns()
        until = began + round(seconds * 1e9)
        while now < until:
            # Encounters, as in a tournament: two matches on one seed, with the seats swapped.
            encounter, swapped = divmod(matches, 2)
            played = table.play(Setup(game, seed=seed + 1000 * encounter), *(pair[::-1] if swapped else pair))
            matches += 1
            # The handshake is a prompt with a reply, too; what the referee plays by itself is none.
            replies += 2 + [ply.by for ply in played.record.plies].count("bot")
            now = time.perf_counter_ns()
        cpu = time.process_time_ns() - cpu
        return Tally(replies, now - began, cpu, matches, _cpu_of(table, bots) - bots_before)


def _cpu_of(table: Table, bots: Sequence[Bot]) -> int:
    """CPU time of the bots that are kept."""
    total = 0
    for bot in bots[:2]:
        with suppress(KeyError):  # started again for every match, so nobody knows
            total += table.cpu_ns(bot)
    return total


def c_ping_pong(program: Path, rounds: int, cores: tuple[int, int]) -> Tally:
    """Two C programs, each on its core."""
    words = [str(program), str(rounds), *map(str, cores)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    wall, cpu = map(float, done.stdout.split())
    return Tally(rounds, wall * rounds, cpu * rounds)


def python_ping_pong(program: Path, rounds: int, core: int) -> Tally:
    """The same with `poll`, `os.read` and `os.write` in the place of the one that asks."""

    def work(channel: Connection, _number: int) -> None:
        os.sched_setaffinity(0, {core})
        with subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as pong:
            assert pong.stdin is not None
            assert pong.stdout is not None
            to, back = pong.stdin.fileno(), pong.stdout.fileno()
            poll = select.poll()
            poll.register(back, select.POLLIN)
            wait, read, write = poll.poll, os.read, os.write
            cpu, began = time.process_time_ns(), time.perf_counter_ns()
            for _ in range(rounds):
                write(to, b"2 3\n")
                wait(1000)
                read(back, 8192)
            channel.send(Tally(rounds, time.perf_counter_ns() - began, time.process_time_ns() - cpu))

    return _in_processes(work, 1)[0]
