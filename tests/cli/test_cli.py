"""What holds for the command line as a whole: help, errors, pipes, interrupts, completion."""

import os
import pty
import signal
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from arena import __version__
from arena.cli import INTERRUPTED, cli, every_command
from arena.games import game_ids

ARENA = [sys.executable, "-m", "arena"]


def arena(*arguments, **more):
    return CliRunner().invoke(cli, list(arguments), **more)


def test_alone_it_shows_its_help():
    result = arena()
    assert result.exit_code == 0
    assert result.stdout == arena("--help").stdout == arena("-h").stdout
    assert "arena tournament --game gridlock" in result.stdout


def test_version():
    assert arena("--version").stdout == f"arena, version {__version__}\n"


MISTAKES = [
    (["gamse"], "there is no command 'arena gamse'", "did you mean 'games'?"),
    (["xyzzy"], "there is no command 'arena xyzzy'", "bench"),
    (["bench", "rulez"], "there is no command 'arena bench rulez'", "did you mean 'rules'?"),
    (["rules", "gridlok"], "there is no game 'gridlok'", "did you mean 'gridlock'?"),
    (["rules", "qqq"], "there is no game 'qqq'", "blockade"),
    (["rules"], "Missing argument 'GAME'", "'arena rules --help'"),
    (["games", "--jsn"], "--jsn", "'arena games --help'"),
    (["rules", "x" * 5000], "there is no game 'xxx", "blockade"),
]


@pytest.mark.parametrize(("arguments", "sentence", "hint"), MISTAKES)
def test_a_mistake_is_one_sentence_and_a_hint(arguments, sentence, hint):
    result = arena(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    first, second = result.stderr.splitlines()
    assert first.startswith("arena: ")
    assert sentence in first
    assert len(first) < 200
    assert second.startswith("hint: ")
    assert hint in second


def test_a_closed_pipe_is_no_error_to_speak_of():
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        result = subprocess.run(
            [*ARENA, "games"], stdout=closed, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert result.stderr == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the machine has no /dev/full")  # noqa: PTH110
def test_a_full_disk_is_a_sentence():
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        result = subprocess.run(
            [*ARENA, "games"], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert result.returncode == 2
    assert result.stderr.decode().splitlines()[0] == "arena: the machine refuses: no space left on device"
    assert b"Traceback" not in result.stderr


def test_interrupted_it_leaves_quietly_with_130():
    with subprocess.Popen(
        [*ARENA, "judge", "blockade"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdin.write(b"3 3\n")
        process.stdin.flush()
        process.stdout.readline()  # it is at work
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED
    assert errors.strip() == b""


def test_a_terminal_that_knows_only_ascii():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    result = subprocess.run(
        [*ARENA, "judge", "blockade"],
        input="3 3\n§\n".encode(),
        capture_output=True,
        env=environment,
        timeout=60,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr == b""
    assert b" ok\n" in result.stdout
    assert b" NO malformed" in result.stdout


def test_at_a_terminal_the_judge_asks_until_the_match_is_over():
    ours, theirs = pty.openpty()
    command = [*ARENA, "judge", "runner-barriers"]
    with subprocess.Popen(command, stdin=theirs, stdout=-1, stderr=-1) as process:
        os.close(theirs)
        os.write(ours, b"MOVE C3\nBARRIER C3\nresign\n")
        output, questions = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 1
    assert b"barriers-P1: 3\nbarriers-P2: 3\navailable: MOVE B1 | MOVE A2 | BARRIER " in questions
    assert (questions.count(b"P1 action> "), questions.count(b"P2 action> ")) == (2, 1)
    assert b"illegal: C3 is not one step" in output
    assert b"P1 wins: resign, after 1 turn." in output


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell):
    result = arena("completion", shell)
    assert result.exit_code == 0
    assert "_ARENA_COMPLETE" in result.stdout


def completions(line):
    words = line.split(" ")
    environment = {
        **os.environ,
        "_ARENA_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    script = "from arena.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, env=environment, timeout=60, check=True
    )
    return {item.partition(",")[2] for item in result.stdout.decode().split()}


def test_a_shell_completes_commands_and_games():
    assert {"games", "judge", "rules"} <= completions("arena ")
    assert completions("arena rules ") == set(game_ids())
    assert completions("arena judge snat") == {"snatchers"}
    assert completions("arena tournament --game al") == {"all"}
    assert completions("arena submit x.py --game gridl") == {"gridlock"}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("arena match gridlock alph", {"alphabeta"}),
        ("arena match gridlock greedy mc", {"mcts"}),
        ("arena play blockade perf", {"perfect"}),
        ("arena check stubb", {"stubborn-js"}),
        ("arena bots show pathf", {"pathfinder"}),
        ("arena tournament --bots mc", {"mcts"}),
        ("arena tournament --bots mcts,alph", {"mcts,alphabeta"}),
        ("arena tournament --bots mcts,mc", set()),
        ("arena tournament --champion alph", {"alphabeta"}),
        ("arena match gridlock ./alph", {"./alph"}),  # the shell looks for files
        ("arena new python-", {"python-sdk"}),
        ("arena report grid", set()),
    ],
)
def test_a_shell_completes_bots_and_more(line, wanted, tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_HOME", str(tmp_path))
    assert completions(line) == wanted


def test_a_shell_completes_tournaments_and_versions(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_HOME", str(tmp_path))
    played = ["--game", "blockade", "--bots", "random,random-c", "--rounds", "1", "--name", "my-cup"]
    assert arena("tournament", *played, "--sandbox", "basic", "--quiet").exit_code == 0
    for command in ("report", "export", "tournament --resume"):
        assert completions(f"arena {command} my-") == {"my-cup"}
    (version,) = completions("arena bots show random@")
    assert version.startswith("random@")


COMMANDS = dict(every_command())


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_has_help_with_an_example(path):
    command = COMMANDS[path]
    result = arena(*path.split()[1:], "--help")
    assert result.exit_code == 0
    first = (command.help or "").strip().splitlines()[:1]
    assert first, f"{path} has no help"
    assert len(first[0]) <= 110
    shown = [line.strip() for line in result.stdout.splitlines() if path in line]
    assert any(not line.startswith("Usage:") for line in shown), f"no example in {path} --help"
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{path} {parameter.opts[0]} says nothing about itself"
