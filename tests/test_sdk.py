"""The SDK against scripted sessions, against the wire codec, and as a real process."""

import io
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena import sdk, wire
from arena.data import data_folder
from arena.game import P1, P2
from arena.games import load_game

GREETING = (
    "arena 1\ngame gridlock size=3\nseat P1\nlimits start=10000 turn=1000 strikes=3\nseed 8134\n"
    + wire.READY_PROMPT
)
FIRST_TURN = "board 1../.../..2\ntime 1000\n? move | 0 1 | 1 0\n? lock | 0 0 | 1 1 | 2 0\n"


def played(session, choose, prepare=None):
    """What a bot writes in a session of the referee's lines."""
    out = io.StringIO()
    sdk.play(choose, prepare, io.StringIO(session), out)
    return out.getvalue().splitlines()


def scripted(*replies):
    """A bot that gives these replies; the second value collects what it saw of its match at each prompt."""
    left, seen = list(replies), []

    def choose(match):
        seen.append((match.prompt, match.position.board(), match.refused))
        return left.pop(0)

    return choose, seen


def readme_session():
    """The whole match that the specification shows: the referee's lines, and the bot's replies."""
    text = (data_folder("protocol") / "README.md").read_text()
    lines = re.search(r"```session\n(.*?)```", text, re.S)[1].splitlines(keepends=True)
    ours = [line[2:].rstrip("\n") for line in lines if line.startswith("< ")]
    return "".join(line for line in lines if not line.startswith("< ")), ours


def test_follows_the_match_of_the_specification_through_a_refused_reply_to_its_end():
    session, said = readme_session()
    replies = [line for line in said if line != "ready" and not line.startswith("#")]
    choose, seen = scripted(*replies)
    assert played(session, choose) == ["ready", *replies]
    boards = [line.split()[1] for line in session.splitlines() if line.startswith("board")]
    assert [board for prompt, board, _ in seen if prompt == "move"] == boards[:-1]
    assert seen[2][2] == "illegal 1 2 is not next to your cursor on 1 0"
    assert all(refused is None for number, (_, _, refused) in enumerate(seen) if number != 2)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\nnews of a later version | ? | x\n"),
        lambda text: text.replace("seed 8134\n", "seed 8134\n\n"),
    ],
    ids=["CRLF", "unknown lines", "empty line"],
)
def test_other_line_ends_and_unknown_lines_change_nothing(change):
    choose, seen = scripted("1 0", "0 0")
    assert played(change(GREETING + FIRST_TURN), choose) == ["ready", "1 0", "0 0"]
    assert [board for _, board, _ in seen] == ["1../.../..2", ".../1../..2"]


def test_plays_many_matches_and_forgets_each():
    kept = []

    def choose(match):
        match.memory.setdefault("prompts", []).append(match.prompt)
        kept.append(list(match.memory["prompts"]))
        return match.available[0]

    session = GREETING + FIRST_TURN + "board x\nend P1 arrival\n"
    assert played(session * 2, choose) == ["ready", "0 1", "0 0"] * 2
    assert kept == [["move"], ["move", "lock"]] * 2


def test_another_spelling_is_tracked_in_its_canonical_form():
    choose, seen = scripted("(1,0)", "0,0")
    played(GREETING + FIRST_TURN, choose)
    assert seen[1][1] == ".../1../..2"


def test_hears_an_opening_that_was_played_for_both_seats():
    session = GREETING + (
        "played P1 move 1 0\nplayed P1 lock 0 0\nplayed P2 move 1 2\nplayed P2 lock 2 2\n"
        "board L../1.2/..L\ntime 1000\n? move | 1 1 | 2 0\n"
    )
    choose, seen = scripted("2 0")
    played(session, choose)
    assert seen == [("move", "L../1.2/..L", None)]


@pytest.mark.parametrize("told", [True, False])
def test_plays_a_forced_pass_whether_it_is_told_or_not(told):
    options = {"layout": "(1,2)(1,4)"}
    position = load_game("runner-walls").start(options)
    session = "arena 1\ngame runner-walls layout=(1,2)(1,4)\nseat P2\nseed 0\n"
    for reply in ("2", "1", "right", "down", "right", "left", "up", "left"):
        session += f"played {position.seat} {position.prompt} {reply}\n"
        position = position.apply(reply)
    assert position.automatic == "pass"
    session += "played P1 move pass\n" if told else ""
    position = position.apply("pass")
    choose, seen = scripted("left")
    played(session + wire.prompt_line("move", position.available()), choose)
    assert seen == [("move", ".X1X./..2../...../...../.....", None)]


def test_says_when_the_referee_and_the_rules_do_not_agree():
    with pytest.raises(
        sdk.ProtocolError, match="lost track of the match: the referee offers 2 2, the rules say"
    ):
        played(GREETING + "board 1../.../..2\n? move | 2 2\n", lambda match: match.position.board())


def test_reads_what_the_wire_codec_writes():
    seen = []

    def choose(match):
        seen.append(match)
        match.remark("two\nlines and a bar \u2502")
        return match.available[0]

    limits = "start=10000 turn=700 strikes=3 clock=60000 increment=500"
    greeting = wire.greeting("gridlock", {"size": "4", "wrap": "on"}, P2, limits, 99).decode()
    position = load_game("gridlock").start({"size": "4", "wrap": "on"}, 99)
    lines = []
    for reply in ("0 1", "0 0"):
        lines.append(f"played P1 {position.prompt} {reply}\n")
        position = position.apply(reply)
    turn = f"board {position.board()}\nstate key=1 other=2\ntime 700 clock=59500\n"
    session = greeting + "".join(lines) + turn + wire.prompt_line("move", position.available())
    said = played(session, choose)
    match, message = seen[0], {type(m): m for m in map(wire.read_message, session.splitlines())}
    assert (match.game, match.options) == message[wire.NewGame]
    assert match.seat is P2
    assert match.limits == message[wire.YourLimits].values
    assert match.seed == message[wire.Seed].seed
    assert match.board == message[wire.BoardNow].board
    assert match.state == message[wire.StateNow].values
    assert match.clock == message[wire.TimeLeft].values
    assert (match.prompt, match.available) == message[wire.Prompt]
    assert match.played == [tuple(wire.read_message(line.strip())) for line in lines]
    assert match.position == position
    assert said == ["ready", "# two lines and a bar \\u2502", match.available[0]]


def test_random_numbers_descend_from_seed_and_seat():
    def numbers(session):
        found = []
        played(session, lambda match: found.append(match.random.random()) or match.available[0])
        return found

    same = numbers(GREETING + FIRST_TURN)
    assert numbers(GREETING + FIRST_TURN) == same
    assert numbers((GREETING + FIRST_TURN).replace("8134", "8135")) != same
    assert numbers((GREETING + FIRST_TURN).replace("seat P1", "seat P2")) != same


def test_prepare_is_called_once_a_match_before_ready():
    events = []

    def prepare(match):
        events.append(("prepare", match.game, match.seat))

    def choose(match):
        events.append(("choose", match.prompt, match.seat))
        return match.available[0]

    played(GREETING + FIRST_TURN, choose, prepare)
    assert events == [("prepare", "gridlock", P1), ("choose", "move", P1), ("choose", "lock", P1)]


@pytest.mark.parametrize("reply", [None, 3, "", "  ", "1 0\n0 0"])
def test_a_reply_that_is_no_line_is_named_as_the_authors_mistake(reply):
    with pytest.raises(TypeError, match="must return one line of text"):
        played(GREETING + FIRST_TURN, lambda _: reply)


def test_a_line_that_cannot_be_read_is_named():
    with pytest.raises(sdk.ProtocolError, match="cannot read the line 'seed many"):
        played("arena 1\nseed many\n", lambda _: "x")


@pytest.mark.parametrize(("turn", "kept"), [(0.05, 0.025), (1.0, 0.1), (60.0, 0.1), (0.004, 0.002)])
def test_time_left_keeps_a_margin_back(monkeypatch, turn, kept):
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    left = sdk.TimeLeft.of_turn(turn)
    assert left.seconds == pytest.approx(turn - kept)
    assert float(left.at_most(0.001)) == pytest.approx(0.001)
    assert left.at_most(100).deadline == left.deadline
    now += turn - kept - 0.0001
    assert left
    now += 0.0002
    assert not left
    assert left.seconds == 0.0


def test_the_second_prompt_of_a_turn_is_on_the_same_clock():
    deadlines = []

    def choose(match):
        deadlines.append(match.time_left.deadline)
        return match.available[0]

    played(GREETING + FIRST_TURN + "board x\ntime 1000\n? move | 1 1\n", choose)
    assert deadlines[0] == deadlines[1] < deadlines[2]


def test_settings_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("ARENA_NODES", "250")
    monkeypatch.setenv("ARENA_THINK_MS", "long")
    assert sdk.setting("ARENA_NODES", 1) == 250
    assert sdk.setting("ARENA_THINK_MS", 20) == 20
    assert sdk.setting("ARENA_NOT_SET", 7) == 7


# As a real process


def run_bot(folder: Path, code: str, session: str) -> subprocess.CompletedProcess:
    bot = folder / "bot.py"
    bot.write_text(code)
    return subprocess.run(
        [sys.executable, str(bot)], input=session, capture_output=True, text=True, timeout=60, check=False
    )


def test_an_error_of_the_author_is_on_stderr_alone(tmp_path):
    code = "from arena import sdk\ndef choose(match):\n    return match.availabel[0]\nsdk.run(choose)\n"
    done = run_bot(tmp_path, code, GREETING + FIRST_TURN)
    assert (done.returncode, done.stdout) == (1, "ready\n")
    assert "line 3, in choose" in done.stderr
    assert "AttributeError" in done.stderr


def test_what_the_author_prints_is_no_reply(tmp_path):
    code = (
        "from arena import sdk\ndef choose(match):\n    print('thinking')\n    return match.available[0]\n"
        "sdk.run(choose)\n"
    )
    done = run_bot(tmp_path, code, GREETING + FIRST_TURN)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ready\n0 1\n0 0\n", "thinking\nthinking\n")


def test_a_referee_that_has_gone_is_no_error(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text("from arena import sdk\nsdk.run(lambda match: match.available[0])\n")
    with subprocess.Popen(
        [sys.executable, str(bot)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.close()
        process.stdin.write(GREETING)
        process.stdin.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == 0


def test_the_ten_line_bot_of_the_documentation_plays(tmp_path):
    text = (data_folder("protocol") / "sdk.md").read_text()
    code = re.search(r"```python\n(.*?)```", text, re.S)[1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    done = run_bot(tmp_path, code, GREETING + FIRST_TURN)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "ready"
    assert len(done.stdout.splitlines()) == 3


HEAVY = {
    "click",
    "rich",
    "pandas",
    "numpy",
    "jinja2",
    "trueskill",
    "dataclasses",
    "inspect",
    "difflib",
    "asyncio",
}


@pytest.mark.parametrize(
    ("code", "barred"),
    [
        ("import arena.sdk", HEAVY | {"typing", "re", "enum", "random", "arena.game", "arena.wire"}),
        ("import arena.sdk, arena.games.gridlock, arena.games.blockade", HEAVY),
        (
            "import arena.sdk, arena.games.snatchers, arena.games.runner_walls, arena.games.runner_barriers",
            HEAVY,
        ),
        (
            "import arena.search.player, arena.search.alphabeta, arena.search.mcts, arena.search.perfect",
            HEAVY,
        ),
    ],
)
def test_a_bots_process_imports_little(code, barred):
    listed = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout.split()  # fmt: skip
    bare = subprocess.run(
        [sys.executable, "-c", "import sys\nprint(*sys.modules)"],
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout.split()  # fmt: skip
    assert not (set(listed) - set(bare)) & barred
