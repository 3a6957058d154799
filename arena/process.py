"""One bot as a running process: started apart from us, talked to without blocking, ended with its tree.

Nothing here knows the protocol. A bot is killed when the *thread* that started it ends (that is how the
kernel reads PR_SET_PDEATHSIG), so start bots from a thread that outlives them.
"""

import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator

from arena import process_tree as tree
from arena.sandbox import Launch, cgroup
from arena.sandbox.group import Entry, Group, entered

READ_BYTES = 8192
"""One read of stdout: eight of the longest lines, and small enough to cost nothing to allocate."""
STDERR_READ_BYTES = 65536
"""One read of stderr: a whole pipe, so that a flood needs the fewest reads."""
EXIT_PATIENCE_S = 0.25
"""After stdout was closed, how long we wait to see whether the process ends too: a crash closes its
descriptors shortly before it can be reaped."""
REPORT_PATIENCE_S = 5.0
"""How long a wrapper may take to report the bot's process id."""
DEATH_MS = 50
"""How long a killed bot is waited for before we look for what it left: mostly there is nothing then, and one
look will do."""
USUAL_GROUPS = 2
"""Process groups of a bot that does nothing odd: its own, and that of a wrapper around it."""
STOP_LOOKS = 10
"""How often a tree that forks is looked at while it is being stopped."""
REGROUP_NS = 100 * 10**6
"""How often a paused tree is searched for process groups that are new."""
LOOK_NS = 10 * 10**6
"""Bots that are paused within so long share a look for that, but for their first one: it reads all of
`/proc`."""

_looks = tree.Looks()
_live: set[int] = set()
"""Every bot of this process that was started and not ended: no other bot's end may touch their trees."""


class BotProcess:
    """A started bot. The three descriptors are ours alone and never block; `end()` must be called once.

    Raises OSError when it cannot be started, which is never the bot's fault as far as we can tell.
    """

    def __init__(self, launch: Launch, *, stderr_kept: int = 16 * 1024) -> None:
        self.memory_bytes = launch.memory_bytes
        self._private_folders = launch.private_folders
        self.wrapped = self._bot_unknown = launch.info_fd is not None
        self.pending = b""
        """What the bot's full pipe has not taken yet."""
        self.stderr_count = 0
        self._stderr_kept = stderr_kept
        self._stderr_tail = bytearray()
        self._cpu_ns = 0
        self._groups: set[int] = set()
        self._regroup_at = 0
        self._group: Group | None = None
        self._frozen: Group | None = None
        """The group while it is frozen."""
        self.paused = False
        tree.become_subreaper()
        try:
            self._popen = self._start(launch)
        except BaseException:
            if launch.info_fd is not None:
                os.close(launch.info_fd)
            raise
        self.root = self._popen.pid
        """The process we started, which leads the session: the bot itself or the wrapper around it."""
        _live.add(self.root)
        started = tree.read_task(self.root)
        self._since = started.started if started else 0
        self.pid = self.root
        try:
            if launch.info_fd is not None:
                self.pid = _reported_pid(launch.info_fd)
        except OSError as error:
            said = self.stderr_tail().decode("utf-8", "replace").strip()
            self.end()
            raise OSError(f"{error}: {said}" if said else str(error)) from None
        except BaseException:
            self.end()
            raise
        self._cpu_clock = _cpu_clock(self.pid)

    def _start(self, launch: Launch) -> "subprocess.Popen[bytes]":
        # The child's first: a process that failed must be gone before its group can be removed.
        with contextlib.ExitStack() as our_ends, contextlib.ExitStack() as child_ends:
            for fd in launch.pass_fds:
                child_ends.callback(os.close, fd)
            stdin, self.stdin = _pipe(child_ends, our_ends, child_reads=True)
            stdout, self.stdout = _pipe(child_ends, our_ends, child_reads=False)
            stderr, self.stderr = _pipe(child_ends, our_ends, child_reads=False)
            if launch.memory_bytes is not None:
                self._group = cgroup.new_group(launch.memory_bytes, launch.processes)
            if self._group is not None:
                our_ends.callback(self._group.remove)
            entry = child_ends.enter_context(entered(self._group))
            argv, stdout_at = list(launch.argv), launch.stdout_at
            if stdout_at is not None:
                argv[stdout_at] = str(stdout)
            try:
                popen = subprocess.Popen(
                    argv,
                    stdin=stdin,
                    stdout=stdout if stdout_at is None else subprocess.DEVNULL,
                    stderr=stderr,
                    cwd=launch.cwd,
                    env=dict(launch.env),
                    pass_fds=launch.pass_fds if stdout_at is None else (*launch.pass_fds, stdout),
                    start_new_session=True,
                    preexec_fn=_in_child(launch, entry),  # noqa: PLW1509 - there is no other way to be killed with us
                )
            except subprocess.SubprocessError as error:
                raise OSError(f"the new process could not be confined: {error}") from error
            if entry is not None:
                entry.hand_over(popen)
            self._ours = our_ends.pop_all()
        return popen

    def send(self, data: bytes) -> None:
        """Hand bytes to the bot; what its pipe has no room for waits in `pending` until `send_pending`."""
        if self.pending:
            self.pending += data
            return
        try:
            taken = os.write(self.stdin, data)
        except BlockingIOError:
            taken = 0
        except BrokenPipeError:
            return  # it no longer listens: whether it still speaks is seen on its stdout
        if taken != len(data):
            self.pending = data[taken:]

    def send_pending(self) -> None:
        """Try again with what could not be written; call when stdin is writable."""
        data, self.pending = self.pending, b""
        self.send(data)

    def close_input(self) -> None:
        """Let it read the end of its input."""
        nothing = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        os.dup2(nothing, self.stdin, inheritable=False)  # the number stays ours until `end`
        os.close(nothing)

    def drain_stderr(self) -> bool:
        """Take what stderr holds, up to one pipeful, and keep its tail; False when it was closed."""
        try:
            data = os.read(self.stderr, STDERR_READ_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.stderr_count += len(data)
        self._stderr_tail += data
        if len(self._stderr_tail) > 2 * self._stderr_kept:
            del self._stderr_tail[: -self._stderr_kept]
        return bool(data)

    def stderr_tail(self) -> bytes:
        """The last bytes written to stderr, what waits in the pipe included."""
        if self.drain_stderr():
            self.drain_stderr()
        return bytes(self._stderr_tail[-self._stderr_kept :])

    def forget_stderr(self) -> None:
        """Begin a new tail: a new match begins."""
        self._stderr_tail.clear()
        self.stderr_count = 0

    def cpu_ns(self) -> int:
        """CPU time of the bot's own process so far; its last known value once it is gone."""
        if self._bot_unknown:
            self._find_bot()
        try:
            now = self._cpu_ns = time.clock_gettime_ns(self._cpu_clock)
        except OSError:
            return self._cpu_ns
        return now

    def _find_bot(self) -> None:
        """A wrapper reports the first process of the sandbox; the bot is the first child of that."""
        found = tree.first_child(self.pid)
        if found is not None:
            self.pid = found
            self._cpu_clock = _cpu_clock(found)
            self._bot_unknown = False

    def tree_cpu_ns(self) -> int:
        """CPU time of the whole tree; without a group of its own this reads `/proc`, so not for every ply."""
        if self._group is not None:
            with contextlib.suppress(OSError):
                return max(self.cpu_ns(), self._group.cpu_ns())
        return max(self.cpu_ns(), tree.tree_cpu_ns(self.root))

    def run_delay_ns(self) -> int | None:
        """Time it was ready to run and had no processor, so far; None when that cannot be known."""
        return tree.run_delay_ns(self.pid)

    def waits_for_input(self) -> bool:
        """Whether it looks as if the bot waits for us; for the words of a diagnosis only."""
        return tree.waits_for_input(self.pid)

    def too_big(self, *, whole_tree: bool) -> bool:
        """Whether it holds more memory than allowed: its own process (quick to see), or the whole tree.

        Where the kernel holds it to its memory, that is whether it was ended for it.
        """
        if self.memory_bytes is None:
            return False
        if self._group is not None and self._group.holds_memory:
            return self._group.ended_for_memory()
        if whole_tree:
            held = tree.tree_memory_bytes(self.root)
            if self._bot_unknown:
                self._find_bot()
            if not self._bot_unknown:  # before that the sandbox is being set up, and has our own file systems
                held += tree.private_bytes(self.pid, self._private_folders)
            return held > self.memory_bytes
        task = tree.read_task(self.pid)
        return task is not None and task.resident_pages * tree.PAGE_BYTES > self.memory_bytes

    def ended_for_memory(self) -> bool:
        """Whether the kernel has ended it because it took more memory than allowed."""
        return self._group is not None and self._group.ended_for_memory()

    def exit_code(self, patience_s: float = 0.0) -> int | None:
        """The exit status as a number, negative for a signal; None while it runs, after this many seconds."""
        try:
            return self._popen.wait(patience_s) if patience_s else self._popen.poll()
        except subprocess.TimeoutExpired:
            return None

    def exit_status(self, patience_s: float = 0.0) -> str | None:
        """`exit 1` or `signal SIGSEGV`; None while it runs, after waiting at most `patience_s` seconds."""
        code = self.exit_code(patience_s)
        return None if code is None else exit_text(code, wrapped=self.wrapped)

    def pause(self) -> None:
        """Stop the whole tree; when it is stopped already, whoever slipped out of that.

        The freezer stops all at once, but a bot that sees our file system may have left its group: so the
        second time there is a look for such. By signal, a tree of many process groups forks: it is stopped
        again until a look finds nobody of it running, for what was forked after the look before is in a
        group that nobody has signalled.
        """
        if self._group is not None and not self.paused and self._group.freeze():
            self._frozen = self._group
            self.paused = True
            return
        if time.monotonic_ns() > self._regroup_at:
            self._regroup(_looks.tasks(LOOK_NS if self._regroup_at else 0))
        self._signal_groups(signal.SIGSTOP)
        self.paused = True
        looks = STOP_LOOKS if len(self._groups) > USUAL_GROUPS else 0
        while looks and self._regroup(tree.all_tasks()):
            self._signal_groups(signal.SIGSTOP)
            looks -= 1

    def _regroup(self, tasks: dict[int, tree.Task]) -> bool:
        """Find the process groups of what is not frozen anew; whether any process in them is not stopped."""
        frozen = self._frozen.members() if self._frozen else set()
        members = [tasks[pid] for pid in tree.members(self.root, tasks) - frozen]
        self._groups = {task.group for task in members} | (set() if frozen else {self.root})
        self._regroup_at = time.monotonic_ns() + REGROUP_NS
        return any(task.state not in "TtZX" for task in members)

    def resume(self) -> None:
        """Let the whole tree go on."""
        self._signal_groups(signal.SIGCONT)
        if self._frozen is not None:
            self._frozen.freeze(frozen=False)
            self._frozen = None
        self.paused = False

    def _signal_groups(self, number: int) -> None:
        for group in self._groups:
            tree.signal_quietly(group, number, group=True)

    def kill(self) -> bool:
        """SIGKILL to the whole tree; its descriptors stay open. False when something could not be killed."""
        if self._group is not None:
            self._group.kill()
        if self._popen.poll() is None:
            tree.signal_quietly(self.root, signal.SIGKILL, group=True)
            tree.await_end(self.root, DEATH_MS)
        return tree.end_tree(self.root, self._since, _live - {self.root})

    def end(self) -> bool:
        """Kill the whole tree and reap it; False when something could not be killed. May be called again."""
        if self.root not in _live:
            return True
        gone = self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(tree.PATIENCE_S)
        _live.discard(self.root)
        self._ours.close()
        return gone


def _cpu_clock(pid: int) -> int:
    """CPUCLOCK_SCHED of a whole process, as the kernel numbers it."""
    return (~pid << 3) | 2


def exit_text(code: int, *, wrapped: bool = False) -> str:
    """`exit 1` or `signal SIGSEGV`. A wrapper passes a signal on as 128 plus its number."""
    if wrapped and code > 128:
        code = 128 - code
    if code >= 0:
        return f"exit {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _pipe(
    child_ends: contextlib.ExitStack, our_ends: contextlib.ExitStack, *, child_reads: bool
) -> tuple[int, int]:
    """A pipe as (the child's end, ours); ours never blocks, and nobody else inherits either."""
    read, write = os.pipe2(os.O_CLOEXEC)
    child, ours = (read, write) if child_reads else (write, read)
    child_ends.callback(os.close, child)
    our_ends.callback(os.close, ours)
    os.set_blocking(ours, False)
    return child, ours


_DEFAULTED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGCHLD, signal.SIGTSTP)
"""Signals whose disposition in the worker must not reach a bot: an ignored one stays ignored over exec."""


def _in_child(launch: Launch, entry: Entry | None) -> Callable[[], None]:
    """What runs between fork and exec: take the limits, go first when memory ends, die with our thread."""
    parent, before_exec = os.getpid(), launch.before_exec
    capped = []
    for which, wanted in launch.rlimits:
        hard = resource.getrlimit(which)[1]
        capped.append((which, wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)))

    def run() -> None:
        if entry is not None:
            entry.step_in()
        for number in _DEFAULTED:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        with contextlib.suppress(OSError):
            score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
            os.write(score, b"1000")
            os.close(score)
        for which, value in capped:
            resource.setrlimit(which, (value, value))
        if before_exec is not None:
            before_exec()
        # Last, because a change of user takes it back.
        tree.prctl(tree.PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it died before the line above
            os._exit(127)

    return run


def _reported_pid(info_fd: int) -> int:
    """Read the wrapper's report; OSError when it ends without one."""
    try:
        text = b"".join(_until_closed(info_fd))
    finally:
        os.close(info_fd)
    try:
        return int(json.loads(text)["child-pid"])
    except (ValueError, KeyError, TypeError):
        raise OSError("the sandbox did not start") from None


def _until_closed(fd: int) -> Iterator[bytes]:
    """What a descriptor gives until it closes or a JSON object is complete, at most a few seconds."""
    deadline = time.monotonic() + REPORT_PATIENCE_S
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    while poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        data = os.read(fd, 4096)
        yield data
        if not data or b"}" in data:
            return
