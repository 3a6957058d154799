"""A table at which matches are played between real processes, and bots that stay for the next match."""

from collections.abc import Callable
from time import monotonic_ns
from types import TracebackType
from typing import NamedTuple, Self

from arena import capsule
from arena.bot import Bot
from arena.capsule import Capsule, Said
from arena.channel import Channel
from arena.conversation import Conversation, LifelineCut, Watcher
from arena.game import P1, P2, Seat
from arena.limits import Limits
from arena.process import BotProcess
from arena.record import Record
from arena.referee import Finish, Referee, Setup
from arena.sandbox import Basic, Sandbox

__all__ = ["KEPT", "LifelineCut", "Played", "Said", "Table", "VoidMatch"]

KEPT = 12
"""Processes kept for later matches by default; those without a seat are stopped and cost only memory. All the
bundled bots of a game should have room: round robins ask for each bot again after all the others."""

TREE_WORTH_NS = 250 * 10**6
"""A shorter match is not worth a look through `/proc`, which counts CPU time in hundredths of a second."""


class VoidMatch(Exception):
    """The match could not be played through no fault of a bot; the message is a sentence."""


class Played(NamedTuple):
    """What is left of a match: the record, and a capsule if a bot failed."""

    record: Record
    capsule: Capsule | None
    traffic: Callable[[], list[Said]]
    """Gives all that was said, in order."""
    stderr_bytes: tuple[int, int]
    """How much P1 and P2 wrote to stderr."""


def _last_said(finish: Finish, at_ns: int) -> list[Said]:
    """The last words as traffic; a capsule goes without, since no bot replies to them."""
    return [
        Said(at_ns, s, True, words) for s, words in zip((P1, P2), finish.last_words, strict=True) if words
    ]


class Table:
    """Plays matches one after the other and keeps bots running for the next one where they allow it.

    A context manager: no process outlives it. With `ponder=False` a bot is stopped while its opponent thinks.
    `lifeline` is a descriptor that becomes readable when the matches are no longer wanted.
    """

    def __init__(
        self,
        sandbox: Sandbox | None = None,
        *,
        ponder: bool = True,
        keep: int = KEPT,
        lifeline: int | None = None,
    ) -> None:
        self.sandbox: Sandbox = Basic() if sandbox is None else sandbox
        self._ponder = ponder
        self._keep = keep
        self._lifeline = lifeline
        self._kept: dict[tuple[Bot, int], Channel] = {}
        """Least recently used first. The number tells two copies apart when a bot plays itself."""
        self._seated: dict[Seat, Channel] = {}
        self._keys: dict[Seat, tuple[Bot, int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every bot."""
        channels = [*self._kept.values(), *self._seated.values()]
        self._kept.clear()
        self._seated.clear()
        for channel in channels:
            channel.process.end()

    def running(self) -> tuple[Bot, ...]:
        """Bots that are kept for a later match."""
        return tuple(channel.bot for channel in self._kept.values())

    def cpu_ns(self, bot: Bot) -> int:
        """CPU time that the kept process of this bot has used so far; KeyError when there is none."""
        return self._kept[(bot, 0)].process.cpu_ns()

    def play(self, setup: Setup, first: Bot, second: Bot, *, on_ply: Watcher | None = None) -> Played:
        """Play one match; labels and sandbox of `setup` are filled in. Raises VoidMatch and LifelineCut.

        `on_ply` is called with the position before the first and after every ply.
        """
        setup = setup._replace(bots=(first.label, second.label), sandbox=self.sandbox.description)
        try:
            self._sit(setup, first, second)
            conversation = Conversation(
                Referee(setup),
                self._seated,
                lambda seat: self._restart(seat, setup.limits),
                ponder=self._ponder,
                lifeline=self._lifeline,
                on_ply=on_ply,
            )
            began_ns = monotonic_ns()
            finish = conversation.run()
            lasted_ns = monotonic_ns() - began_ns
            record = self._with_cpu(finish.record, whole_tree=lasted_ns > TREE_WORTH_NS)
            stderr = self._seated[P1].process.stderr_count, self._seated[P2].process.stderr_count
            self._rise(finish)
        except BrokenPipeError:
            self.close()
            raise  # of a watcher: bots that do not listen raise nothing
        except OSError as error:
            self.close()
            raise VoidMatch(f"the match could not be played: {error}") from error
        except BaseException:
            self.close()
            raise
        said = conversation.traffic
        failure = capsule.of(record, said()) if record.fault else None
        return Played(record, failure, lambda: said() + _last_said(finish, lasted_ns), stderr)

    def start(self, bot: Bot, limits: Limits) -> BotProcess:
        """Start one process; OSError when that cannot be done. A table of another kind may do it its way."""
        return BotProcess(self.sandbox.prepare(bot), stderr_kept=limits.stderr_bytes)

    def _with_cpu(self, record: Record, *, whole_tree: bool) -> Record:
        """The record with what each bot has used, in microseconds, as a header."""
        p1_ns = self._seated[P1].match_cpu_ns(whole_tree=whole_tree)
        p2_ns = self._seated[P2].match_cpu_ns(whole_tree=whole_tree)
        return record._replace(headers=(*record.headers, ("CPU", f"P1={p1_ns // 1000} P2={p2_ns // 1000}")))

    # Seats

    def _sit(self, setup: Setup, first: Bot, second: Bot) -> None:
        """Put a running process on each seat, kept ones where there are any, and stop all others."""
        self._keys = {P1: (first, 0), P2: (second, 1 if first == second else 0)}
        for seat, key in self._keys.items():
            self._seated[seat] = self._take(key, setup.limits)
        for channel in self._kept.values():
            if not channel.process.paused:
                channel.process.pause()

    def _take(self, key: tuple[Bot, int], limits: Limits) -> Channel:
        channel = self._kept.pop(key, None)
        if channel is not None:
            if channel.process.paused:
                channel.process.resume()
            if channel.ready_for_another():
                channel.process.forget_stderr()
                return channel
            channel.process.end()
        return self._start(key[0], limits)

    def _start(self, bot: Bot, limits: Limits) -> Channel:
        try:
            return Channel(bot, self.start(bot, limits), limits.line_bytes)
        except OSError as error:
            raise VoidMatch(f"{bot.name} could not be started: {error}") from error

    def _restart(self, seat: Seat, limits: Limits) -> Channel:
        self._seated[seat].process.end()
        return self._start(self._keys[seat][0], limits)

    def _rise(self, finish: Finish) -> None:
        """Say the last words, end whoever failed, and keep the others within bounds."""
        for (seat, channel), words in zip(self._seated.items(), finish.last_words, strict=True):
            if channel.process.paused:
                channel.process.resume()
            channel.process.send(words)
            if channel.failed or not self._keep:
                channel.process.end()
            else:
                channel.fresh = False
                self._kept[self._keys[seat]] = channel
        self._seated.clear()
        while len(self._kept) > self._keep:
            self._kept.pop(next(iter(self._kept))).process.end()
