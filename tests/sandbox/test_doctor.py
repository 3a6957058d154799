"""`arena doctor` on this very machine, with the sandbox that works and with none."""

import json

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.doctor import Guarded, control_groups, how_to_get_bwrap, safe
from arena.sandbox import cgroup

pytestmark = [pytest.mark.processes, pytest.mark.sandbox]

ALWAYS = {"our environment", "memory", "processes left behind"}
"""What the layer without privileges promises."""


def lines_about(word: str, text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(word)]


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
