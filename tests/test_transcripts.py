"""Every transcript file of `tests/games/transcripts`, replayed through `arena judge`.

A file's name begins with the id of its game. Lines that begin `#:` say what to expect of the rest:

    #: option KEY=VALUE           an option of the match; may be repeated
    #: seed N
    #: verdicts legal illegal …   one for each line; all legal when there is no such directive
    #: expect {"winner": "P1"}    keys that the last JSON object must have, with these values
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.games import game_ids

FOLDER = Path(__file__).parent / "games" / "transcripts"
FILES = sorted(FOLDER.glob("*.txt"))


class Directives(NamedTuple):
    arguments: list[str]
    verdicts: list[str] | None
    expect: dict[str, Any]


def directives(path: Path) -> Directives:
    arguments: list[str] = []
    verdicts = None
    expect: dict[str, Any] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#:"):
            continue
        word, _, rest = line[2:].strip().partition(" ")
        if word in {"option", "seed"}:
            arguments += [f"--{word}", rest.strip()]
        elif word == "verdicts":
            verdicts = (verdicts or []) + rest.split()
        elif word == "expect":
            expect |= json.loads(rest)
        else:
            pytest.fail(f"{path.name}: there is no directive {word!r}")
    return Directives(arguments, verdicts, expect)


def game_of(path: Path) -> str:
    found = [game_id for game_id in game_ids() if path.stem == game_id or path.stem.startswith(f"{game_id}-")]
    assert found, f"{path.name} does not begin with the id of a game"
    return max(found, key=len)


def check(path: Path, status: int, output: str) -> None:
    said = directives(path)
    *lines, final = (json.loads(line) for line in output.splitlines())
    verdicts = [line["verdict"] for line in lines]
    assert verdicts == (said.verdicts or ["legal"] * len(lines)), [line["reason"] for line in lines]
    assert lines, "a transcript without a line shows nothing"
    assert final["final"] is True
    assert {key: final[key] for key in said.expect} == said.expect
    assert status == (0 if set(verdicts) == {"legal"} else 1)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_transcript(path):
    arguments = ["judge", game_of(path), str(path), "--json", *directives(path).arguments]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code in {0, 1}, result.stderr
    check(path, result.exit_code, result.stdout)


@pytest.mark.parametrize("game_id", sorted({game_of(path) for path in FILES}))
def test_a_transcript_of_each_game_as_a_real_command(game_id):
    """On standard input this time. Which games have to have a transcript is for tests/games to say."""
    path = next(path for path in FILES if game_of(path) == game_id)
    result = subprocess.run(
        [sys.executable, "-m", "arena", "judge", game_id, "--json", *directives(path).arguments],
        input=path.read_bytes(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert result.stderr == b""
    check(path, result.returncode, result.stdout.decode())
