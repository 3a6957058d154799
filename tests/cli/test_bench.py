"""`arena bench`: what it prints, never how fast this machine is."""

import json

import pytest
from click.testing import CliRunner

from arena import bench
from arena.bench import Row, bench_names, interleaved, load_bench, row
from arena.cli import cli
from arena.games import game_ids


def test_the_rules_of_every_game_are_timed():
    result = CliRunner().invoke(cli, ["bench", "rules", "--json", "--plies", "1", "--repetitions", "3"])
    assert result.exit_code == 0, result.output
    (line,) = result.stdout.splitlines()
    found = json.loads(line)
    assert found["bench"] == "rules"
    rows = {item["subject"]: item for item in found["rows"]}
    assert set(game_ids()) <= set(rows)
    for item in rows.values():
        assert 0 < item["low"] <= item["median"] <= item["high"]
        assert (item["runs"], item["unit"]) == (3, "µs/ply")


def test_for_people():
    result = CliRunner().invoke(cli, ["bench", "rules", "--plies", "1", "--repetitions", "1"])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Rules: random playouts\n")
    assert all(f"\n  {game_id} " in result.stdout for game_id in game_ids())


def test_alone_it_runs_all_of_them(monkeypatch):
    made = bench.Bench(
        "Nothing", "Example: arena bench nothing", lambda repetitions: [row("x", "s", [repetitions])]
    )
    monkeypatch.setattr("arena.cli.commands.bench.bench_names", lambda: ["one", "two"])
    monkeypatch.setattr("arena.cli.commands.bench.load_bench", {"one": made, "two": made}.get)
    result = CliRunner().invoke(cli, ["bench", "--json"])
    assert [json.loads(line)["bench"] for line in result.stdout.splitlines()] == ["one", "two"]


def test_rounds_are_interleaved_and_the_first_only_warms_up():
    order = []

    def subject(name):
        return lambda number: order.append((name, number)) or float(number)

    found = interleaved({"a": subject("a"), "b": subject("b")}, 2)
    assert order == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)]
    assert found == {"a": [1.0, 2.0], "b": [1.0, 2.0]}


def test_a_row_is_a_median_with_its_spread():
    assert row("x", "ms", [3.0, 1.0, 20.0]) == Row("x", "ms", 3.0, 1.0, 20.0, 3)


@pytest.mark.parametrize("name", bench_names())
def test_every_benchmark_describes_itself(name):
    found = load_bench(name)
    assert found.title
    assert f"arena bench {name}" in found.help


def test_an_unknown_benchmark():
    with pytest.raises(KeyError):
        load_bench("nothing")
