"""`arena play`: a person, real processes, and a real terminal."""

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from arena import record
from arena.games import game_ids, load_game
from arena.judge import Judge

ARENA = [sys.executable, "-m", "arena", "play"]
FIRST_REPLY = """
import sys
for line in sys.stdin:
    if line.startswith("?"):
        print(line.rstrip().split(" | ")[1], flush=True)
"""


def play(tmp_path, typed, *words):
    done = subprocess.run(
        [*ARENA, *words, "--home", tmp_path, "--sandbox", "basic"],
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_slip_costs_nothing_and_says_why(tmp_path):
    (tmp_path / "first.py").write_text(FIRST_REPLY)
    typed = "hello\n9 9\n3 3\n" + "3 3\n" * 5 + "resign\n"
    code, out, err = play(
        tmp_path, typed, "blockade", tmp_path / "first.py", "--record", tmp_path / "match.txt"
    )
    assert (code, err) == (0, "")
    assert "'hello' is not a cell" in out
    assert "9 9 is off the board" in out
    assert out.count("P1 move> ") == len(typed.splitlines())
    assert "P2 move> 1 1" in out
    assert "wins: you resigned" in out
    written = record.read((tmp_path / "match.txt").read_text())
    assert [ply.reply for ply in written.plies] == ["3 3", "1 1"]
    assert all(not ply.refused for ply in written.plies)
    assert written.reason == "resign"


@pytest.mark.parametrize("game", game_ids())
def test_the_end_of_the_input_gives_up_in_every_game(game, tmp_path):
    code, out, err = play(tmp_path, "", game, "random", "--seat", "p2")
    assert (code, err) == (0, "")
    assert "random wins: you resigned" in out


def test_a_whole_match_against_the_strongest_bot(tmp_path):
    replies = "".join(f"{row} {column}\n" for row in range(1, 6) for column in range(1, 6))
    code, out, _ = play(tmp_path, replies, "blockade", "--record", tmp_path / "match.txt")
    assert code == 0
    assert "perfect wins: blocked" in out
    judge = Judge(load_game("blockade"))
    for line in (tmp_path / "match.txt").read_bytes().splitlines():
        judge.rule(line)
    assert judge.refused == 0
    assert judge.outcome == ("P2", "blocked")


def test_ctrl_c_at_a_terminal_ends_it_and_leaves_nobody(tmp_path):
    person, terminal = pty.openpty()
    process = subprocess.Popen(
        [*ARENA, "blockade", "random", "--home", tmp_path, "--sandbox", "basic"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - Ctrl-C is the terminal's
    )
    os.close(terminal)
    try:
        _read_until(person, b"P1 move> ")
        children = _children(process.pid)
        os.write(person, b"\x03")
        assert process.wait(60) == 128 + signal.SIGINT
    finally:
        process.kill()
        process.wait()
        os.close(person)
    assert len(children) == 2
    assert not any(Path(f"/proc/{child}").exists() for child in children)


def _read_until(descriptor, wanted):
    seen = b""
    while wanted not in seen:
        seen += os.read(descriptor, 4096)
    return seen


def _children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
