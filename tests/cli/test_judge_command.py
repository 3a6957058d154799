"""`arena judge` as its users meet it: verdicts, exit status, and whatever odd file they hand it."""

import json
import re

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.game import P1, P2
from arena.judge import LINE_BYTES
from arena.record import Ply, Record
from arena.record import write as record_text


def judge(*arguments, text=None):
    return CliRunner().invoke(cli, ["judge", *map(str, arguments)], input=text)


def objects(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_as_json():
    result = judge("blockade", "--json", text="P1> 3,3\nP2> 3 3\n")
    assert result.exit_code == 1
    first, second, final = objects(result)
    assert first == {
        "line": 1,
        "seat": "P1",
        "prompt": "move",
        "reply": "3 3",
        "verdict": "legal",
        "reason": None,
    }
    assert (second["verdict"], second["reason"] != "") == ("illegal", True)
    assert result.stdout.splitlines()[-1].startswith(
        '{"final": true, "to_move": "P2", "prompt": "move", "available": ['
    )
    assert len(final["available"]) == 16
    assert (final["winner"], final["reason"], final["turns"]) == (None, None, 1)
    assert final["board"] == "...../...../..X../...../....."


def test_for_people():
    result = judge("blockade", text="3 3\n1 1\n")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].split() == ["1", "P1", "move", "3", "3", "✓"]
    assert "(1,1)[O]" in result.stdout
    assert "P1 is to reply: move" in result.stdout
    assert "available: 1 3 | 1 4 |" in result.stdout


def test_a_long_list_of_replies_is_broken_between_them():
    lines = judge("runner-barriers", text="BARRIER C3\n").stdout.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("available: "))
    assert len(lines) > first + 2
    for line in lines[first:]:
        assert len(line) <= 100
        for reply in line.removeprefix("available:").removesuffix("|").split("|"):
            assert re.fullmatch(r"(MOVE|BARRIER) [A-E][1-5]", reply.strip()), line


def test_the_end_of_a_match():
    result = judge("blockade", "-o", "size=1", text="1 1\n")
    assert result.exit_code == 0
    assert "P1 wins: blocked, after 1 turn." in result.stdout


def test_a_file_and_a_dash(tmp_path):
    path = tmp_path / "match.txt"
    path.write_text("3 3\n")
    from_file = judge("blockade", path, "--json")
    assert from_file.exit_code == 0
    assert from_file.stdout == judge("blockade", "-", "--json", text="3 3\n").stdout


def test_the_seed_decides_what_is_drawn():
    boards = {
        objects(judge("runner-walls", "--json", "--seed", seed, text="1\n"))[-1]["board"] for seed in range(6)
    }
    assert len(boards) > 1


def test_escape_sequences_never_reach_the_terminal():
    result = judge("blockade", text="\x1b[2Jboo\n")
    assert result.exit_code == 1
    assert "\x1b" not in result.stdout


def test_a_record_replays(tmp_path):
    record = Record(
        game="gridlock",
        options=(("size", "4"),),
        seed=5,
        bots=("a@1", "b@2"),
        limits="turn=1000",
        plies=(
            Ply(P1, "move", "0 1", by="opening"),
            Ply(P1, "lock", "0 0", 412, 301, remarks=("a ; b",), refused=(("9 9", "illegal", "too far"),)),
        ),
        winner=P1,
        reason="timeout",
        turns=1,
        board="L1../..../..../...2",
    )
    path = tmp_path / "record.txt"
    path.write_text(record_text(record), encoding="utf-8")
    result = judge("gridlock", path, "--json")
    assert result.exit_code == 0, result.output
    assert objects(result)[-1]["board"] == record.board
    assert objects(result)[-1]["to_move"] == P2
    assert "The record says that P1 won: timeout." in judge("gridlock", path).stdout
    wrong = judge("blockade", path)
    assert wrong.exit_code == 2
    assert "record of 'gridlock', not of 'blockade'" in wrong.stderr


def test_options_are_judged_together_with_those_of_the_record(tmp_path):
    path = tmp_path / "record.txt"
    path.write_text('[Game "snatchers"]\n[Options "turn-limit=9"]\nP1> up\n')
    assert judge("snatchers", path, "-o", "repetition=allowed").exit_code == 0
    assert judge("snatchers", path, "-o", "repetition=allowed", "-o", "turn-limit=off").exit_code == 2


USAGE = [
    (["chess"], "there is no game 'chess'"),
    (["gridlock", "-o", "warp=on"], "no option 'warp'; did you mean 'wrap'?"),
    (["gridlock", "-o", "wrap"], "is not KEY=VALUE"),
    (["gridlock", "-o", "wrap=perhaps"], "wrap=perhaps"),
    (["gridlock", "-o", "size=" + "9" * 5000], "is not valid"),
    (["snatchers", "-o", "repetition=allowed"], "turn limit"),
    (["runner-walls", "-o", "layout=(9,9)"], "layout"),
    (["runner-walls", "-o", "layout=(1,3)(2,3)(3,3)(4,3)(5,3)"], "layout"),
    (["gridlock", "--seed", "soon"], "--seed"),
    (["gridlock", "no-such-file.txt"], "cannot read no-such-file.txt: no such file or directory"),
    (["gridlock", "."], "cannot read .: is a directory"),
    (["gridlock", "a\0b"], "cannot read"),
    (["gridlock", "\x1b[2Jfile\n"], "cannot read ?[2Jfile?: no such file or directory"),
    (["runner-walls", "-o", "walls=3", "-o", "layout=(2,2)"], "walls=3 does not fit a layout that has 1"),
]


@pytest.mark.parametrize(("arguments", "says"), USAGE)
def test_wrong_usage(arguments, says):
    result = judge(*arguments, text="")
    assert result.exit_code == 2
    assert says in result.stderr
    assert len(result.stderr.splitlines()) <= 2
    assert result.stdout == ""


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_nothing_to_judge(text):
    """The first position is shown all the same: that is what there is to say."""
    result = judge("blockade", "--json", text=text)
    assert result.exit_code == 2
    assert "there is no reply in standard input" in result.stderr
    assert objects(result)[-1]["to_move"] == "P1"


@pytest.mark.parametrize("name", ["zeros", "noise", "program"])
def test_a_binary_file(tmp_path, name):
    path = tmp_path / name
    content = {
        "zeros": bytes(5000),
        "noise": bytes(range(1, 256)) * 40,
        "program": b"\x7fELF\x02\x01\x01\0\0\0",
    }
    path.write_bytes(content[name])
    result = judge("blockade", path)
    assert result.exit_code == (1 if name == "noise" else 2)
    assert isinstance(result.exception, SystemExit)


def test_a_line_of_ten_megabytes(tmp_path):
    path = tmp_path / "long.txt"
    path.write_bytes(b"3 3\n" + b"7" * 10_000_000 + b"\n1 1\n")
    result = judge("blockade", path, "--json")
    assert result.exit_code == 1
    assert [line.get("verdict") for line in objects(result)] == ["legal", "malformed", "legal", None]
    assert f"longer than {LINE_BYTES} bytes" in objects(result)[1]["reason"]
    assert len(result.stdout) < 3000
