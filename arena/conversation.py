"""One match, line by line: carries out the referee's commands with two started bots.

`_ask` is the hot path of the whole arena: a look for words out of turn, one write, one read, and a wait only
when there is nothing to read yet. It uses `select.poll` and plain descriptors: every layer above them costs
more than the referee itself.
"""

import os
import select
from collections.abc import Callable
from time import monotonic_ns

from arena.capsule import Said
from arena.channel import Channel
from arena.faults import Evidence
from arena.game import P1, P2, Position, Seat
from arena.process import READ_BYTES
from arena.referee import Ask, Command, Finish, Greet, Inquire, Referee, Wait
from arena.wire import READY, LineTooLong

TICK_NS = 250 * 10**6
"""How often memory is looked at while a bot thinks."""
TICK_MS = TICK_NS // 10**6
GLANCE_NS = 20 * 10**6
"""A bot that thinks longer than this is looked at: how long it stood in line for a processor so far."""
GLANCE_MS = GLANCE_NS // 10**6
WHOLE_TREE_EVERY = 4
"""Every so many looks the whole tree is counted, which means reading all of `/proc`."""


class LifelineCut(Exception):
    """Whoever had this match played is gone, and there is nobody to report to."""


Watcher = Callable[[Position], None]
Restart = Callable[[Seat], Channel]


class Conversation:
    """Plays one match between two channels.

    `restart` replaces a kept bot that left before it took up the new match, which is its right. With `ponder`
    False a bot is stopped while the other thinks. Raises LifelineCut, and OSError for faults of our own.
    """

    def __init__(
        self,
        referee: Referee,
        channels: dict[Seat, Channel],
        restart: Restart,
        *,
        ponder: bool = True,
        lifeline: int | None = None,
        on_ply: Watcher | None = None,
    ) -> None:
        self._said: list[tuple[int, Seat, bool, bytes]] = []
        self._note = self._said.append
        self._referee = referee
        self._channels = channels
        self._restart = restart
        self._ponder = ponder
        self._lifeline = lifeline
        self._on_ply = on_ply
        self._shown: Position | None = None
        self._mover: Channel | None = None
        """The bot whose turn it is."""
        self._begun_ns = self._tick_at_ns = 0
        self._ticks = 0

    def traffic(self) -> list[Said]:
        """All that was said, in order; made when it is asked for, since it seldom is."""
        return [Said(at - self._begun_ns, seat, sent, data) for at, seat, sent, data in self._said]

    def run(self) -> Finish:
        """From the greeting to the end; the last words are left to the caller."""
        self._connect()
        self._begun_ns = monotonic_ns()
        self._tick_at_ns = self._begun_ns + TICK_NS
        command = self._greet(self._referee.begin())
        while True:
            if type(command) is Ask:
                if self._on_ply is not None:
                    self._show(self._on_ply)
                command = self._ask(command)
            elif type(command) is Inquire:
                command = self._referee.evidence(self._evidence(command.seat))
            elif type(command) is Finish:
                if self._on_ply is not None:
                    self._show(self._on_ply)
                return command
            else:
                raise AssertionError(command)

    def _connect(self) -> None:
        """While one bot is asked, stderr of both is drained and the lifeline is watched."""
        channels = self._channels.values()
        for channel in channels:
            channel.poll = select.poll()
            channel.poll.register(channel.stdout, select.POLLIN)
            if self._lifeline is not None:
                channel.poll.register(self._lifeline, select.POLLIN)
        for channel in channels:
            if channel.stderr_open:
                self._watch_stderr(channel)

    def _watch_stderr(self, channel: Channel) -> None:
        for each in self._channels.values():
            each.poll.register(channel.process.stderr, select.POLLIN)

    def _show(self, on_ply: Watcher) -> None:
        position = self._referee.position
        if position is not self._shown:
            self._shown = position
            on_ply(position)

    # A prompt and its reply

    def _ask(self, ask: Ask) -> Command:
        """Write a prompt and wait for what comes of it."""
        seat, data, limit_ns, fresh = ask
        channel = self._channels[seat]
        process = channel.process
        if channel.poll.poll(0) or channel.lines.held:
            command = self._hear_early(seat, channel, ask)
            if type(command) is not Ask:
                return command
            data = command.data
        if fresh:
            if not self._ponder and channel is not self._mover:
                self._give_turn(channel)
            self._mover = channel
            channel.others_cpu_ns = channel.delay_start_ns = None
            channel.cpu_start_ns = process.cpu_ns()
            now = channel.start_ns = monotonic_ns()
        else:
            now = monotonic_ns()
        process.send(data)
        self._note((now, seat, True, data))
        if process.pending:
            channel.poll.register(process.stdin, select.POLLOUT)
        return self._await_reply(seat, channel, now, channel.start_ns + limit_ns)

    def _await_reply(self, seat: Seat, channel: Channel, now: int, deadline: int) -> Command:
        """Listen to the seat that is asked until its words or its silence call for a new command."""
        stdout, lines, poll = channel.stdout, channel.lines, channel.poll.poll
        wait_ns, wait_ms = GLANCE_NS, GLANCE_MS
        while True:
            try:
                data = os.read(stdout, READ_BYTES)  # first, for an instant bot on our core has replied by now
            except BlockingIOError:
                pass
            else:
                now = monotonic_ns()
                if not data:
                    return self._ended(seat, channel, now - channel.start_ns)
                try:
                    command = self._take_lines(seat, channel, lines.take(data), now)
                except LineTooLong:
                    return self._overflow(seat, channel, now - channel.start_ns)
                if command is not None:
                    return command
                if now >= deadline:
                    return self._too_late(seat, channel, now - channel.start_ns)
            left_ns = deadline - now
            # Rounded up, or the last millisecond would be spent in a busy loop.
            events = poll(wait_ms if left_ns > wait_ns else left_ns // 1_000_000 + 1)
            if events and events[0][0] == stdout:
                continue
            now = monotonic_ns()
            if now >= deadline:
                return self._too_late(seat, channel, now - channel.start_ns)
            if not events or now >= self._tick_at_ns:
                if channel.is_gone():
                    return self._ended(seat, channel, now - channel.start_ns)
                self._glance(channel, deadline - now)
                wait_ns, wait_ms = TICK_NS, TICK_MS
            self._see_to(events, now)

    def _take_lines(self, seat: Seat, channel: Channel, raw: bytes | None, now: int) -> Command | None:
        """Give the referee complete lines, `raw` and those held, up to the first that calls for something.

        Raises LineTooLong.
        """
        while raw is not None:
            self._note((now, seat, False, raw))
            cpu_ns = channel.process.cpu_ns() - channel.cpu_start_ns
            command = self._referee.line(seat, raw, now - channel.start_ns, cpu_ns)
            if type(command) is not Wait or not self._referee.listens_to(seat):
                return command
            raw = channel.lines.line()
        return None

    def _glance(self, channel: Channel, left_ns: int) -> None:
        """Once in a turn that takes its time: note where the bot stands, to judge a time loss by."""
        if channel.delay_start_ns is None:
            channel.delay_start_ns = channel.process.run_delay_ns()
            if left_ns < TICK_NS:  # there will be no other occasion
                self._note_others_cpu(channel)

    @staticmethod
    def _note_others_cpu(channel: Channel) -> None:
        if channel.others_cpu_ns is None:
            channel.others_cpu_ns = channel.process.tree_cpu_ns() - channel.process.cpu_ns()

    def _see_to(self, events: list[tuple[int, int]], now: int) -> None:
        """All that may happen beside a line of the bot that is asked: slow, and rare."""
        for fd, _ in events:
            if fd == self._lifeline:
                raise LifelineCut
            for channel in self._channels.values():
                process = channel.process
                if fd == process.stderr and not process.drain_stderr():
                    self._forget_stderr(channel)
                elif fd == process.stdin:
                    process.send_pending()
                    if not process.pending:
                        channel.poll.unregister(fd)
        if now >= self._tick_at_ns:
            self._tick(now)

    def _forget_stderr(self, channel: Channel) -> None:
        """Its stderr is closed: no longer wait for it."""
        channel.stderr_open = False
        for each in self._channels.values():
            each.poll.unregister(channel.process.stderr)

    def _tick(self, now: int) -> None:
        """Now and then: end whoever holds too much memory, and note what the mover's helpers have used."""
        self._tick_at_ns = now + TICK_NS
        self._ticks += 1
        whole_tree = self._ticks % WHOLE_TREE_EVERY == 0
        for channel in self._channels.values():
            if channel.process.too_big(whole_tree=whole_tree):
                channel.end_for_memory()
            if channel.process.paused:
                channel.process.pause()  # what it forked while it was being stopped
        if self._mover is not None:
            self._note_others_cpu(self._mover)

    def _hear_early(self, seat: Seat, channel: Channel, ask: Ask) -> Command:
        """Give the referee what was said out of turn; the command takes the place of `ask`."""
        command: Command = ask
        self._see_to(channel.poll.poll(0), monotonic_ns())
        try:
            for raw in channel.waiting_lines():
                self._note((monotonic_ns(), seat, False, raw))
                command = self._referee.early(seat, raw)
                if type(command) is not Ask:
                    return command
        except LineTooLong:
            return self._overflow(seat, channel, 0)
        return command

    def _give_turn(self, channel: Channel) -> None:
        """Stop the bot that has replied and let the other go on."""
        for other in self._channels.values():
            if other is not channel and not other.process.paused:
                other.process.pause()
        if channel.process.paused:
            channel.process.resume()

    # When no line comes

    def _cpu_ns(self, channel: Channel) -> int:
        return channel.process.cpu_ns() - channel.cpu_start_ns

    def _ended(self, seat: Seat, channel: Channel, wall_ns: int) -> Command:
        """The output is at its end; see whether the process has ended, too."""
        status = channel.exit_text()
        cpu_ns = self._cpu_ns(channel)
        if status is None:
            return self._referee.closed(seat, wall_ns, cpu_ns)
        return self._referee.exited(seat, status, wall_ns, cpu_ns)

    def _too_late(self, seat: Seat, channel: Channel, wall_ns: int) -> Command:
        """The clock has run out; a process that ended while its child holds the output open did not think."""
        status = channel.process.exit_status()
        if status is not None:
            return self._ended(seat, channel, wall_ns)
        return self._referee.timeout(seat, wall_ns, self._cpu_ns(channel))

    def _overflow(self, seat: Seat, channel: Channel, wall_ns: int) -> Command:
        return self._referee.overflow(seat, channel.lines.beginning, wall_ns, self._cpu_ns(channel))

    def _evidence(self, seat: Seat) -> Evidence:
        """What is seen of a bot that failed; it will not be used again."""
        channel = self._channels[seat]
        channel.failed = True
        process = channel.process
        tree_cpu_ns = None
        if channel.others_cpu_ns is not None:
            tree_cpu_ns = process.tree_cpu_ns() - channel.others_cpu_ns - channel.cpu_start_ns
        status = channel.exit_text() if process.exit_status() is not None else None
        return Evidence(
            stderr=process.stderr_tail().decode("utf-8", "replace"),
            partial=channel.lines.partial,
            waiting=None if status else process.waits_for_input(),
            cpu_ns=tree_cpu_ns,
            starved_ns=channel.starved_ns(),
            exit_status=status,
        )

    # The handshake

    def _greet(self, greet: Greet) -> Command:
        """Greet both at once and hear both out."""
        for seat in (P1, P2):
            self._greet_one(seat, greet)
        # A kept bot on our core has mostly replied by now, so the first look is without a wait.
        ready = {channel.stdout for channel in self._channels.values() if not channel.fresh}
        while True:
            now = monotonic_ns()
            for seat in self._listened():
                command = self._listen(seat, ready, now, greet)
                if command is not None:
                    return command
            listened = self._listened()
            left_ns = min(self._channels[seat].start_ns for seat in listened) + greet.limit_ns - now
            ready = {fd for fd, _ in self._poll_both(listened, left_ns)}

    def _listened(self) -> list[Seat]:
        return [seat for seat in (P1, P2) if self._referee.listens_to(seat)]

    def _greet_one(self, seat: Seat, greet: Greet) -> None:
        data = greet.data[0 if seat is P1 else 1]
        channel = self._channels[seat]
        channel.cpu_start_ns = 0 if channel.fresh else channel.process.cpu_ns()
        channel.delay_start_ns = 0 if channel.fresh else None  # a kept bot is looked at if it takes its time
        channel.start_ns = monotonic_ns()
        self._send(seat, data, channel.start_ns)

    def _send(self, seat: Seat, data: bytes, now: int) -> None:
        self._channels[seat].process.send(data)
        self._note((now, seat, True, data))

    def _poll_both(self, listened: list[Seat], left_ns: int) -> list[tuple[int, int]]:
        """Wait for anything of the seats that have not settled, seeing to everything else on the way."""
        poll = select.poll()
        for seat, channel in self._channels.items():
            process = channel.process
            if seat in listened:
                poll.register(channel.stdout, select.POLLIN)
            if channel.stderr_open:
                poll.register(process.stderr, select.POLLIN)
            if process.pending:
                poll.register(process.stdin, select.POLLOUT)
        if self._lifeline is not None:
            poll.register(self._lifeline, select.POLLIN)
        events = poll.poll(min(max(0, left_ns) // 1_000_000 + 1, TICK_MS))
        if not events:
            for seat in listened:
                self._glance(self._channels[seat], left_ns)
        self._see_to(events, monotonic_ns())
        return events

    def _listen(self, seat: Seat, ready: set[int], now: int, greet: Greet) -> Command | None:
        """Hear one seat out as far as it goes; a command when the handshake is over for both."""
        channel = self._channels[seat]
        wall_ns = now - channel.start_ns
        command: Command | None = None
        try:
            spoke = channel.stdout in ready
            gone = not channel.hear() if spoke else wall_ns > GLANCE_NS and channel.is_gone()
            # A kept bot may leave after a match, or talk: it was not done with that when it was greeted.
            stale = not channel.fresh and (gone or channel.lines.holds_other_than(READY))
            if not stale:
                command = (
                    self._ended(seat, channel, wall_ns)
                    if gone
                    else self._take_lines(seat, channel, channel.lines.line(), now)
                )
        except LineTooLong:
            stale = not channel.fresh
            command = None if stale else self._overflow(seat, channel, wall_ns)
        if stale:
            self._start_afresh(seat, greet)
            return None
        if command is None and wall_ns >= greet.limit_ns and self._referee.listens_to(seat):
            command = self._too_late(seat, channel, wall_ns)
        return self._go_on(command, now)

    def _start_afresh(self, seat: Seat, greet: Greet) -> None:
        self._channels[seat] = self._restart(seat)
        self._said[:] = [said for said in self._said if said[1] is not seat]  # the new one never heard it
        self._connect()
        self._greet_one(seat, greet)

    def _go_on(self, command: Command | None, now: int) -> Command | None:
        """Carry out what can be done within the handshake; None when there is more to hear."""
        while type(command) is Inquire:
            command = self._referee.evidence(self._evidence(command.seat))
        if type(command) is Ask and not command.fresh:
            self._send(command.seat, command.data, now)
            return None
        return None if type(command) is Wait else command
