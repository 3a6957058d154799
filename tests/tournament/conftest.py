"""A tournament in a folder of its own, played by real bots through the real parts."""

import os
import sys
from pathlib import Path

import pytest

from arena.games import load_game
from arena.limits import Limits
from arena.organiser import Order, choose_bots, set_up
from arena.process_tree import all_tasks
from arena.sandbox import Basic
from arena.store import Store
from arena.tournament import Play, StopRequest, Tournament
from arena.tournament_log import TournamentLog
from arena.worker import Conditions

BOTS = Path(__file__).parent / "bots"


def command(bot, *arguments):
    """A command line for one of the bots here, as a user would quote it."""
    return " ".join([sys.executable, "-S", str(BOTS / f"{bot}.py"), *map(str, arguments)])


def running(marker):
    """Processes whose command line holds this text, without ourselves."""
    found = []
    for pid in all_tasks():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if marker.encode() in words and pid != os.getpid():
            found.append(pid)
    return found


class Club:
    """A results folder, and what one does there."""

    def __init__(self, folder):
        self.results = folder / "results"
        self.marker = f"mark-{os.getpid()}-{abs(hash(str(folder))) % 10**9}"

    def seeded(self, *names, slow=0.0):
        return [command("seeded", name, slow, self.marker) for name in names]

    def set_up(self, bots, name="cup", game="blockade", **order):
        self.bots = choose_bots(load_game(game), bots, [], None)
        order = {"seed": 5, "rounds": 2, "opening": 2, "limits": Limits(turn_ns=20 * 10**9)} | order
        with Store(self.results) as store:
            return set_up(store, name, load_game(game), Order(**order), self.bots)

    def play(self, name="cup", stop=None, on_progress=lambda _: None, limits=None, **play):
        log = TournamentLog(self.results / name / "arena.log")
        play = Play(**{"workers": 2} | play)
        limits = limits or Limits(turn_ns=20 * 10**9)
        try:
            with Store(self.results) as store:
                tournament = Tournament(store, name, play)
                return tournament.play(
                    Conditions(name, self.bots.bots, limits, Basic()),
                    log,
                    stop or StopRequest(),
                    on_progress,
                )
        finally:
            log.close()

    def rows(self, name="cup"):
        with Store(self.results, create=False) as store:
            return list(store.rows(name))

    def given(self, label, name="cup"):
        with Store(self.results, create=False) as store:
            return store.entrants(name)[label]

    def log(self, name="cup"):
        return (self.results / name / "arena.log").read_text().splitlines()


@pytest.fixture
def club(tmp_path):
    made = Club(tmp_path)
    yield made
    assert running(made.marker) == [], "a bot outlived its tournament"


TIMES = {f"p{seat}_{what}": 0 for seat in (1, 2) for what in ("wall_us", "cpu_us", "p99_us", "max_us")}


def without_times(rows):
    """The rows as they are for deterministic bots on any machine."""
    return [row._replace(**TIMES, p1_times="", p2_times="", tournament="", record="") for row in rows]
