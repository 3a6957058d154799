"""Every way to misbehave, with real processes: the match ends, the right side loses for the right reason."""

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.bot import Bot
from arena.game import P1, P2, Seat
from arena.limits import Limits, duration_ns
from arena.match import Table
from arena.referee import Setup
from arena.sandbox import Basic, Caps

pytestmark = pytest.mark.processes

MakeBot = Callable[[str], Bot]
HERE = Path(__file__).parent
SHORT = duration_ns("400ms")


class Case(NamedTuple):
    """How a bot fails; `words` must appear in the sentence, `short` is set where it must run out of time."""

    bot: str
    reason: str
    words: str = ""
    short: str = ""
    exit_status: str | None = None
    opponent: str = "first_reply"


CASES = (
    Case("never_reads", "start-timeout", short="start"),
    Case("sleeps_in_handshake", "start-timeout", short="start"),
    Case("never_flushes_ready", "start-timeout", "flush", short="start"),
    Case("never_flushes", "timeout", "flush", short="turn"),
    Case("dribbles_bytes", "timeout", short="turn"),
    Case("remarks_forever", "timeout", short="turn"),
    Case("half_line_then_hang", "timeout", "line", short="turn"),
    Case("closes_stdin", "timeout", short="turn"),
    Case("ignores_sigterm", "timeout", short="turn"),
    Case("stderr_flood", "timeout", short="turn"),
    Case("stops_itself", "timeout", short="turn"),
    Case("floods_lines", "output-limit"),
    Case("floods_before_ready", "output-limit"),
    Case("huge_line", "output-limit", "beginning `777"),
    Case("line_just_too_long", "output-limit", "beginning `"),
    Case("closes_stdout", "closed-output"),
    Case("forks_and_exits", "crash", "exit", exit_status="exit 3"),
    Case("exits_at_once", "crash", "7", exit_status="exit 7"),
    Case("exits_mid_match", "crash", exit_status="exit 1"),
    Case("segfaults", "crash", "SIGSEGV", exit_status="signal SIGSEGV"),
    Case("answers_early", "malformed", opponent="sleeps_a_little"),
    Case("answers_twice", "malformed"),
    Case("binary_garbage", "malformed"),
    Case("utf16_text", "malformed", "UTF-16"),
    Case("prints_its_traceback", "malformed", "`Traceback (most recent call last):`"),
    Case("prints_debugging", "malformed", "#"),
    Case("illegal_forever", "illegal"),
    Case("forks_daemon", "resign"),
)


def test_every_bad_bot_has_a_case() -> None:
    names = {path.stem for path in HERE.glob("bad_bots/*.py")}
    assert names == {case.bot for case in CASES} | {"takes_all_memory", "thinks_forever_on_one_core"}


@pytest.mark.parametrize("seat", [P1, P2])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.bot)
def test_a_bad_bot_loses_for_the_right_reason(case: Case, seat: Seat, make_bot: MakeBot) -> None:
    good, bad = make_bot(case.opponent), make_bot(case.bot)
    limits = Limits(
        start_ns=2 * SHORT if case.short == "start" else duration_ns("20s"),
        turn_ns=SHORT if case.short == "turn" else duration_ns("20s"),
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with Table() as table:
        played = table.play(Setup("blockade", limits=limits), *((bad, good) if seat is P1 else (good, bad)))
    record = played.record
    assert (record.winner, record.reason) == (seat.other, case.reason)
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib < 20_000, "what a bot writes must not pile up here"
    if case.reason == "resign":
        assert record.fault is None
        return
    fault = record.fault
    assert fault is not None
    assert (fault.seat, fault.code, fault.exit_status) == (seat, case.reason, case.exit_status)
    assert case.words in fault.sentence
    assert played.capsule is not None
    if not case.short:
        assert record.unanswered is not None
        assert record.unanswered.wall_us * 1000 < limits.turn_ns, "it is found out before its time is up"
    # The clock of the opponent: far below what the bad bot made us wait.
    assert all(ply.wall_us < SHORT // 1000 for ply in record.plies if ply.seat is seat.other)


@pytest.mark.parametrize("bot", ["stops_itself", "closes_stdin"])
def test_a_bot_that_sleeps_its_time_away_has_no_excuse(bot: str, make_bot: MakeBot) -> None:
    limits = Limits(turn_ns=duration_ns("1s"))
    with Table() as table:
        fault = table.play(
            Setup("blockade", limits=limits), make_bot(bot), make_bot("first_reply")
        ).record.fault
    assert fault is not None
    assert (fault.code, fault.doubtful) == ("timeout", False)


def test_a_time_loss_is_in_doubt_when_others_had_the_processor(make_bot: MakeBot) -> None:
    """The bot is alone on one processor with four others that never rest: it had no fair chance."""
    code = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nwhile True: pass"
    limits = Limits(start_ns=duration_ns("60s"), turn_ns=duration_ns("1s"))
    others: list[subprocess.Popen[bytes]] = []
    try:
        # In sessions of their own, or the kernel may group them and share by groups.
        others += (
            subprocess.Popen([sys.executable, "-S", "-c", code], start_new_session=True) for _ in range(4)
        )
        with Table() as table:
            bots = make_bot("thinks_forever_on_one_core"), make_bot("first_reply")
            fault = table.play(Setup("blockade", limits=limits), *bots).record.fault
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert fault is not None
    assert (fault.code, fault.doubtful) == ("timeout", True)
    assert "the machine was too busy to let it run" in fault.sentence


def test_an_error_on_stderr_is_kept(make_bot: MakeBot) -> None:
    with Table() as table:
        record = table.play(Setup("blockade"), make_bot("exits_mid_match"), make_bot("first_reply")).record
    assert record.fault is not None
    assert record.fault.stderr.endswith("ValueError: no idea what to play\n")


def test_memory_of_the_whole_tree_is_watched(make_bot: MakeBot) -> None:
    limits = Limits(turn_ns=duration_ns("60s"))
    with Table(Basic(Caps(memory_bytes=100 << 20))) as table:
        bots = make_bot("takes_all_memory"), make_bot("first_reply")
        fault = table.play(Setup("blockade", limits=limits), *bots).record.fault
    assert fault is not None
    assert fault.code == "crash"
    assert "100 MiB" in str(fault.exit_status)


def test_noise_on_stderr_is_no_fault(make_bot: MakeBot) -> None:
    limits = Limits(turn_ns=duration_ns("20s"))
    with Table() as table:
        record = table.play(
            Setup("blockade", limits=limits), make_bot("stderr_noise"), make_bot("first_reply")
        ).record
    assert record.fault is None


def test_a_bad_bot_is_started_afresh_and_its_opponent_is_kept(make_bot: MakeBot) -> None:
    good, bad = make_bot("first_reply"), make_bot("illegal_forever")
    with Table() as table:
        for _ in range(3):
            assert table.play(Setup("blockade"), good, bad).record.reason == "illegal"
            (kept,) = table.running()
            assert kept.name == "first_reply"
