"""`arena doctor` on this very machine, with the sandbox that works and with none."""

import json
import time
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from arena.bot import Bot
from arena.cli import cli
from arena.doctor import Guarded, control_groups, how_to_get_bwrap, safe
from arena.process import BotProcess
from arena.sandbox import Sandbox, cgroup

pytestmark = [pytest.mark.processes, pytest.mark.sandbox]

ALWAYS = {"our environment", "memory", "processes left behind"}
"""What the layer without privileges promises."""


def lines_about(word: str, text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(word)]


def test_behind_landlock_the_doctor_says_what_is_missing(landlock: Sandbox) -> None:
    done = CliRunner().invoke(cli, ["doctor", "--sandbox", "landlock", "--json"])
    found = {each["what"]: each for each in json.loads(done.stdout)["guarded"]}
    holes = {what for what, each in found.items() if not each["protected"]}
    # An ordinary user has no other user to give, and none is refused to change the modes of its own files.
    shared = {"fork bombs", "builds of submitted bots"}
    assert holes == (set() if "uid" in landlock.description else shared)
    assert done.exit_code == (1 if holes else 0)
    assert "not the sight that a process is there" in found["sight of other processes"]["by"]
    assert "bubblewrap hides more" in found["the sandbox"]["by"]


def test_what_lies_in_our_own_file_systems_is_not_counted_as_the_bots(
    bwrap: Sandbox, attacker: Callable[..., Bot]
) -> None:
    """For some milliseconds of nearly every start, the new process still has our own /tmp and what is there.

    Whoever looked in that moment took gigabytes of other people's files for the bot's memory and ended it.
    """
    for _ in range(5):
        process = BotProcess(bwrap.prepare(attacker("plays_along")))
        try:
            until = time.monotonic() + 0.03
            while time.monotonic() < until:
                assert not process.too_big(whole_tree=True)
        finally:
            process.end()


@pytest.mark.usefixtures("bwrap")
def test_with_bubblewrap_all_is_protected() -> None:
    done = CliRunner().invoke(cli, ["doctor", "--json"])
    found = json.loads(done.stdout)
    assert [each for each in found["guarded"] if not each["protected"]] == []
    assert (found["safe"], done.exit_code) == (True, 0)
    assert all(each["by"] and not each["advice"] for each in found["guarded"])
    by = {each["what"]: each["by"] for each in found["guarded"]}
    assert by["memory"] == (
        "cgroup memory.max"
        if "memory" in cgroup.description()
        else "a limit on each process and a watch on the whole tree"
    )
    assert found["cgroup"] == control_groups()
    assert found["languages"]["Python"]
    machine = found["machine"]
    assert machine["cores"] >= 1
    assert min(machine["clock_ns"], machine["round_trip_us"], machine["round_trip_inside_us"]) > 0


def test_with_limits_only_most_is_not_and_the_doctor_says_so() -> None:
    done = CliRunner().invoke(cli, ["doctor", "--sandbox", "basic"])
    assert done.exit_code == 1
    lines = [line for line in done.stdout.splitlines() if "rotected" in line]
    protected = {line[2:30].strip() for line in lines if "NOT protected" not in line}
    assert protected >= ALWAYS
    not_protected = {line[2:30].strip() for line in lines if "NOT protected: " in line}
    assert not_protected >= {
        "results",
        "opponents' files",
        "the disk",
        "signals to the referee",
        "the network",
        "signals to other processes",
        *([] if "pids" in cgroup.description() else ["fork bombs"]),
    }
    assert lines_about("cgroup:", done.stdout) == [f"cgroup: {control_groups()}"]
    assert "NOT safe" in done.stdout.splitlines()[-1]


def test_advice_fits_the_problem() -> None:
    assert "apt install bubblewrap" in how_to_get_bwrap("bwrap is needed and was not found")
    assert "namespaces" in how_to_get_bwrap("bwrap: No permissions to create new namespace")


def test_one_hole_is_enough() -> None:
    closed, hole = Guarded("a", "a wall"), Guarded("b", "", "build a wall")
    assert safe([closed])
    assert not safe([closed, hole])
    assert (closed.sentence, hole.sentence) == ("protected by a wall", "NOT protected: build a wall")
