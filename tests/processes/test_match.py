"""Whole matches between real, well-behaved processes."""

import itertools
import os
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from arena import record as records
from arena.bot import Bot
from arena.game import P1, P2, Position
from arena.games import game_ids
from arena.limits import Limits, clock, duration_ns
from arena.match import LifelineCut, Table, VoidMatch
from arena.record import Record
from arena.referee import Setup
from arena.sandbox import Off

pytestmark = pytest.mark.processes

MakeBot = Callable[[str], Bot]
HERE = Path(__file__).parent
PATIENT = Limits(start_ns=duration_ns("60s"), turn_ns=duration_ns("60s"))
"""Nothing here is about time, and the machine may be busy."""


@pytest.fixture(scope="session")
def c_bot(tmp_path_factory: pytest.TempPathFactory) -> Bot:
    """A bot that takes the first reply, in C where a compiler is at hand, in Python otherwise."""
    source = HERE / "good_bots" / "first_reply.c"
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        script = HERE / "good_bots" / "first_reply.py"
        return Bot("first", "0" * 12, (sys.executable, "-S", str(script)), script.parent)
    binary = tmp_path_factory.mktemp("c_bot") / "first_reply"
    subprocess.run([compiler, "-O2", "-o", str(binary), str(source)], check=True)
    return Bot("first", "0" * 12, (str(binary),), binary.parent)


def without_times(record: Record) -> Record:
    plies = tuple(ply._replace(wall_us=0, cpu_us=0) for ply in record.plies)
    headers = tuple((key, value) for key, value in record.headers if key != "CPU")
    return record._replace(plies=plies, date="", headers=headers)


@pytest.mark.parametrize("game", game_ids())
def test_the_four_line_bot_of_the_specification_plays_to_the_end(game: str, tmp_path: Path) -> None:
    """The program as it stands on the page, as a process."""
    page = (HERE.parent.parent / "protocol" / "README.md").read_text(encoding="utf-8")
    program = tmp_path / "four_lines.py"
    program.write_text(page.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    bot = Bot("four-lines", "0" * 12, (sys.executable, "-S", str(program)), tmp_path)
    with Table() as table:
        for seed in range(3):
            record = table.play(Setup(game, seed=seed, limits=PATIENT), bot, bot).record
            assert record.fault is None
            assert record.winner in (P1, P2)
            assert record.reason != "resign"


@pytest.mark.parametrize("game", game_ids())
def test_same_seed_and_deterministic_bots_give_the_same_record(game: str, make_bot: MakeBot) -> None:
    first, second = make_bot("first_reply"), make_bot("last_reply")
    texts = set()
    for keep in (0, 6):
        with Table(keep=keep) as table:
            for date in ("2001-01-01", "2002-02-02"):
                setup = Setup(game, seed=7, opening=3, limits=PATIENT, date=date)
                record = table.play(setup, first, second).record
                assert records.read(records.write(record)) == record
                texts.add(records.write(without_times(record)))
    assert len(texts) == 1


def test_the_record_says_what_the_whole_tree_has_used(make_bot: MakeBot) -> None:
    with Table() as table:
        record = table.play(
            Setup("blockade", limits=PATIENT), make_bot("works_in_a_child"), make_bot("first_reply")
        ).record
    used = dict(word.split("=") for word in dict(record.headers)["CPU"].split())
    own_us = sum(ply.cpu_us for ply in record.plies if ply.seat is P1)
    assert int(used["P1"]) > 250_000, "the child burnt 0.4 s"
    assert own_us < 250_000, "and the bot itself did nothing"
    assert int(used["P2"]) < 250_000


def test_processes_are_kept_for_the_next_match_and_change_seats(make_bot: MakeBot) -> None:
    first, second = make_bot("says_its_pid"), make_bot("first_reply")
    with Table() as table:
        remarks = {
            ply.remarks
            for bots in ((first, second), (second, first)) * 2
            for ply in table.play(Setup("blockade", limits=PATIENT), *bots).record.plies
            if ply.remarks
        }
    assert len(remarks) == 1


def test_a_bot_that_plays_itself_has_two_processes(make_bot: MakeBot) -> None:
    bot = make_bot("says_its_pid")
    with Table() as table:
        matches = [table.play(Setup("blockade", limits=PATIENT), bot, bot).record for _ in range(2)]
    pids = {(ply.seat, ply.remarks) for record in matches for ply in record.plies}
    assert len(pids) == 2
    assert len({remark for _, remark in pids}) == 2


def test_a_bot_that_leaves_after_a_match_is_started_again(make_bot: MakeBot) -> None:
    bots = make_bot("exits_after_end"), make_bot("first_reply")
    with Table() as table:
        for _ in range(10):
            record = table.play(Setup("blockade", limits=PATIENT), *bots).record
            assert record.fault is None


@pytest.mark.parametrize("bot", ["talks_after_end", "leaves_a_child_after_end"])
def test_what_a_bot_does_after_the_end_is_no_fault_in_the_next_match(bot: str, make_bot: MakeBot) -> None:
    """It is greeted while it still talks, or leaves; then it is started afresh, well before its limit."""
    odd, other = make_bot(bot), make_bot("first_reply")
    with Table() as table:
        for bots in ((odd, other), (other, odd)) * 2:
            played = table.play(Setup("blockade", limits=PATIENT), *bots)
            assert played.record.fault is None
            assert all(not ply.refused for ply in played.record.plies)
            greetings = [said for said in played.traffic() if said.sent and b"arena 1" in said.data]
            assert len(greetings) == 2, "what a process heard that has left is not part of the traffic"


def test_no_more_processes_are_kept_than_asked_for(make_bot: MakeBot) -> None:
    names = ("first_reply", "last_reply", "four_lines", "says_its_pid")
    bots = [make_bot(name) for name in names]
    with Table(keep=2) as table:
        for first, second in itertools.pairwise(bots):
            assert table.play(Setup("blockade", limits=PATIENT), first, second).record.fault is None
            assert [bot.name for bot in table.running()] == [first.name, second.name]


def test_bots_without_a_seat_are_stopped_and_go_on_later(make_bot: MakeBot) -> None:
    restless, first, last = (make_bot(name) for name in ("ponders", "first_reply", "last_reply"))
    with Table() as table:
        setup = Setup("blockade", limits=PATIENT)
        assert table.play(setup, restless, first).record.fault is None
        assert table.play(setup, first, last).record.fault is None
        before = table.cpu_ns(restless)
        for _ in range(20):
            table.play(setup, first, last)
        assert table.cpu_ns(restless) == before
        assert table.play(setup, restless, first).record.fault is None


def test_without_ponder_a_bot_is_stopped_on_its_opponents_time(make_bot: MakeBot) -> None:
    """The slow opponent thinks for more than half a second in all, and uses no processor for it."""
    restless, slow = make_bot("ponders"), make_bot("sleeps_a_little")
    share = {}
    for ponder in (True, False):
        with Table(ponder=ponder) as table:
            table.play(Setup("blockade", limits=PATIENT), restless, restless)  # start-up is not our subject
            before_ns = table.cpu_ns(restless)
            record = table.play(Setup("blockade", limits=PATIENT), restless, slow).record
            used_us = (table.cpu_ns(restless) - before_ns) // 1000
        assert record.fault is None
        own_us = sum(ply.cpu_us for ply in record.plies if ply.seat is P1)
        thought_us = sum(ply.wall_us for ply in record.plies if ply.seat is P2)
        assert thought_us > 500_000
        share[ponder] = (used_us - own_us) / thought_us
    assert share[True] > 0.2
    # Between its reply and the signal it runs on: for a moment, or longer where others are before us.
    assert share[False] < share[True] / 2


@pytest.mark.slow
def test_a_thousand_matches_leave_nothing_behind(c_bot: Bot) -> None:
    setup = Setup("blockade", limits=PATIENT)
    with Table(Off()) as table:
        table.play(setup, c_bot, c_bot)
        before, held = footprint(), resident_kib()
        for seed in range(1000):
            assert table.play(setup._replace(seed=seed), c_bot, c_bot).record.fault is None
        assert footprint() == before
        assert resident_kib() < held + 4096, "4 KiB a match would be a leak"


@pytest.mark.slow
def test_restarts_leave_nothing_behind(c_bot: Bot) -> None:
    setup = Setup("blockade", limits=PATIENT)
    with Table(keep=0) as table:
        before = footprint()
        for seed in range(100):
            assert table.play(setup._replace(seed=seed), c_bot, c_bot).record.fault is None
        assert footprint() == before


def resident_kib() -> int:
    """Memory that this process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024


def footprint() -> tuple[int, int, int]:
    """Descriptors, children (zombies too) and threads of this process."""
    me = str(os.getpid())
    parents = [line.split(")")[-1].split()[1] for line in process_lines()]
    return len(list(Path("/proc/self/fd").iterdir())), parents.count(me), threading.active_count()


def process_lines() -> list[str]:
    lines = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                lines.append((folder / "stat").read_text())
            except OSError:
                continue
    return lines


def test_a_watcher_sees_every_position(make_bot: MakeBot) -> None:
    seen: list[Position] = []
    bots = make_bot("first_reply"), make_bot("last_reply")
    with Table() as table:
        record = table.play(Setup("gridlock", limits=PATIENT), *bots, on_ply=seen.append).record
    assert len(seen) == len(record.plies) + 1
    assert seen[-1].outcome is not None


def test_a_match_clock_is_told_and_charged(make_bot: MakeBot) -> None:
    limits = Limits(turn_ns=duration_ns("60s"), clock=clock("300ms"))
    with Table() as table:
        played = table.play(
            Setup("blockade", limits=limits), make_bot("sleeps_a_little"), make_bot("first_reply")
        )
    assert (played.record.winner, played.record.reason) == (P2, "timeout")
    told = [
        s.data
        for s in played.traffic()
        if s.sent and s.seat is P1 and b"clock=" in s.data and b"time" in s.data
    ]
    assert len(told) > 2


@pytest.mark.parametrize(
    "bot",
    [
        Bot("gone", "0" * 12, ("/no/such/program",), Path("/")),
        Bot("lost", "0" * 12, ("sleep", "1"), Path("/no/such/folder")),
        Bot("text", "0" * 12, (str(Path(__file__)),), Path("/")),
    ],
    ids=lambda bot: bot.name,
)
def test_a_bot_that_cannot_be_started_voids_the_match(bot: Bot, make_bot: MakeBot) -> None:
    with Table() as table, pytest.raises(VoidMatch, match=f"{bot.name} could not be started"):
        table.play(Setup("blockade"), make_bot("first_reply"), bot)


def test_running_out_of_descriptors_voids_the_match_and_the_next_one_is_played(make_bot: MakeBot) -> None:
    bots = make_bot("first_reply"), make_bot("last_reply")
    with Table() as table:
        taken = []
        try:
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(
                resource.RLIMIT_NOFILE, (64 + len(list(Path("/proc/self/fd").iterdir())), hard)
            )
            try:
                while True:
                    taken.append(os.open("/dev/null", os.O_RDONLY))
            except OSError:
                pass
            for fd in taken[:5]:
                os.close(fd)
            del taken[:5]
            with pytest.raises(VoidMatch):
                table.play(Setup("blockade", limits=PATIENT), *bots)
        finally:
            for fd in taken:
                os.close(fd)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert table.play(Setup("blockade", limits=PATIENT), *bots).record.fault is None


def test_a_cut_lifeline_ends_the_match_and_the_bots(make_bot: MakeBot) -> None:
    read, write = os.pipe()
    timer = threading.Timer(0.3, os.close, (write,))
    timer.start()
    try:
        with Table(lifeline=read) as table, pytest.raises(LifelineCut):
            table.play(Setup("blockade", limits=PATIENT), make_bot("never_reads"), make_bot("first_reply"))
    finally:
        timer.join()
        os.close(read)
