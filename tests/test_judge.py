"""The judge as a value: lines in, verdicts out. What the command prints is tested in tests/cli."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.game import P1, P2, OptionError, Outcome
from arena.games import game_ids, load_game
from arena.judge import (
    LINE_BYTES,
    QUOTED_CHARACTERS,
    Header,
    Judge,
    TranscriptError,
    Written,
    final_data,
    read_line,
    ruled_data,
)

READ = [
    ("P1> MOVE B1", Written(P1, "MOVE B1")),
    ("P1>MOVE B1", Written(P1, "MOVE B1")),
    ("  p2 >  up  ", Written(P2, "up")),
    ("MOVE B1", Written(None, "MOVE B1")),
    ("2 3 ; move wall=412 cpu=301", Written(None, "2 3")),
    ("P1> 1 0 ; move wall=412 cpu=301", Written(P1, "1 0")),
    ("P1> ; nothing was said", Written(P1, "")),
    ("P2> pass ; move automatic\r\n", Written(P2, "pass")),
    ("", None),
    ("   \t ", None),
    ("# a comment", None),
    ("#: expect {}", None),
    ("P1# depth 4, score 12", None),
    ("P1! 0 5 ; illegal: 0 5 is off the board", None),
    ("P2- move wall=1010000 cpu=3", None),
    ('[Game "gridlock"]', Header("game", "gridlock")),
    ('[Options "wrap=on size=6"]', Header("options", "wrap=on size=6")),
    ('[Seed "7"]  ', Header("seed", "7")),
    ('[FaultStderr "no end in sight', Header("faultstderr", "no end in sight")),
    ("[0 1]", Written(None, "[0 1]")),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_a_line_is_sorted(text, expected):
    assert read_line(text) == expected


def judged(game_id, text, options=None, seed=None):
    judge = Judge(load_game(game_id), options, seed)
    ruled = [judge.rule(line.encode()) for line in text.splitlines(keepends=True)]
    return judge, [line for line in ruled if line is not None]


def verdicts(game_id, text, **more):
    return [str(line.verdict) for line in judged(game_id, text, **more)[1]]


BLOCKADE = """\
# each line with what the judge says to it
P1> 3 3
P2> 3 3

P1> 1 1
(1,1)
P2> 5 5
P1> nonsense
P1>2 4
"""


def test_verdict_by_verdict():
    judge, ruled = judged("blockade", BLOCKADE)
    assert [(line.line, line.seat, line.reply, str(line.verdict)) for line in ruled] == [
        (2, P1, "3 3", "legal"),
        (3, P2, "3 3", "illegal"),
        (5, P1, "1 1", "wrong-seat"),
        (6, P2, "1 1", "legal"),
        (7, P2, "5 5", "wrong-seat"),
        (8, P1, "nonsense", "malformed"),
        (9, P1, "2 4", "legal"),
    ]
    assert [line.reason is None for line in ruled] == [str(line.verdict) == "legal" for line in ruled]
    assert "P2's turn" in ruled[2].reason
    assert (judge.ruled, judge.refused) == (7, 4)
    assert judge.position.diagram().splitlines()[:3] == [
        "(1,1)[O] (1,2)[ ] (1,3)[ ] (1,4)[ ] (1,5)[ ]",
        "(2,1)[ ] (2,2)[ ] (2,3)[ ] (2,4)[X] (2,5)[ ]",
        "(3,1)[ ] (3,2)[ ] (3,3)[X] (3,4)[ ] (3,5)[ ]",
    ]


def test_the_keys_and_their_order_are_a_contract():
    judge, ruled = judged("blockade", "3 3\n")
    assert list(ruled_data(ruled[0])) == ["line", "seat", "prompt", "reply", "verdict", "reason"]
    assert list(final_data(judge.final())) == [
        "final",
        "to_move",
        "prompt",
        "available",
        "winner",
        "reason",
        "board",
        "turns",
    ]


def test_lines_after_the_end():
    judge, ruled = judged("blockade", "P1> 1 1\nP2> 1 1\n1 1\n", options={"size": "1"})
    assert [(line.seat, line.prompt, str(line.verdict)) for line in ruled] == [
        (P1, "move", "legal"),
        (P2, None, "after-end"),
        (None, None, "after-end"),
    ]
    assert "P1 won (blocked)" in ruled[1].reason
    final = judge.final()
    assert (final.to_move, final.prompt, final.available) == (None, None, ())
    assert (final.winner, final.reason, final.turns) == (P1, "blocked", 1)


@pytest.mark.parametrize("game_id", game_ids())
def test_resigning_is_a_reply_at_any_prompt(game_id):
    judge, ruled = judged(game_id, "P1> Resign\nP2> resign\n")
    assert [str(line.verdict) for line in ruled] == ["legal", "after-end"]
    assert judge.outcome == Outcome(P2, "resign")


POCKET = {"layout": "(1,2)(1,4)"}
STUCK = "2\n3\nright\nleft\nright\nleft\nup\nup\n"
"""
    1  2  3  4  5
1 | .  X  P1 X  .
2 | .  .  P2 .  .     P1 cannot move
3 | .  .  .  .  .
"""


def test_a_forced_pass_is_played_by_the_judge():
    judge, _ = judged("runner-walls", STUCK, options=POCKET)
    assert judge.position.automatic == "pass"
    assert judge.final().to_move is P2


@pytest.mark.parametrize("line", ["P1> pass", "pass", "P1> PASS ; move automatic"])
def test_a_forced_pass_may_be_written_down(line):
    _, ruled = judged("runner-walls", f"{STUCK}{line}\nP2> left\n", options=POCKET)
    assert [str(r.verdict) for r in ruled[-2:]] == ["legal", "legal"]
    assert (ruled[-2].seat, ruled[-2].reply) == (P1, "pass")


def test_with_and_without_the_written_pass_the_match_is_the_same():
    with_it, _ = judged("runner-walls", f"{STUCK}pass\nleft\n", options=POCKET)
    without, _ = judged("runner-walls", f"{STUCK}left\n", options=POCKET)
    assert with_it.final() == without.final()


def test_who_passed_is_told_why_it_is_not_its_turn():
    _, ruled = judged("runner-walls", f"{STUCK}P1> down\n", options=POCKET)
    assert (str(ruled[-1].verdict), "P1 could not move and passed" in ruled[-1].reason) == (
        "wrong-seat",
        True,
    )


def test_nobody_else_may_pass():
    assert verdicts("runner-walls", f"{STUCK}P2> pass\n", options=POCKET)[-1] in {"illegal", "malformed"}


RECORD = """\
[Game "gridlock"]
[Options "wrap=on size=4"]
[Seed "12"]
[Winner "P1"]
[Reason "timeout"]

P1> 0 3 ; move opening
P1! 5 5 ; illegal: 5 5 is off the board
P1# I was confused
P1> 0 2 ; lock wall=412 cpu=301
P2- move wall=1010000 cpu=3
"""


def test_headers_of_a_record_are_honoured():
    judge, ruled = judged("gridlock", RECORD)
    assert [str(line.verdict) for line in ruled] == ["legal", "legal"]
    assert (judge.seed, judge.options) == (12, {"wrap": "on", "size": "4"})
    assert judge.claim == Outcome(P1, "timeout")
    assert judge.final().to_move is P2


def test_what_is_given_goes_before_the_headers():
    judge, ruled = judged("gridlock", RECORD, options={"wrap": "off"}, seed=3)
    assert (judge.seed, judge.options["wrap"], judge.options["size"]) == (3, "off", "4")
    assert str(ruled[0].verdict) == "illegal"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[Game "blockade"]\n', "'blockade', not of 'gridlock'"),
        ('[Seed "tomorrow"]\n0 1\n', "not a number"),
        ('[Game "gridlock"]\n0 1\n[Game "gridlock"]\n', "second match begins in line 3"),
        ("0 1\n\0\n", "line 2 is not text"),
    ],
)
def test_what_is_no_written_match_of_this_game(text, says):
    with pytest.raises(TranscriptError, match=says):
        judged("gridlock", text)


def test_options_of_a_record_that_cannot_be_played():
    with pytest.raises(OptionError, match="size"):
        judged("gridlock", '[Options "size=1000"]\n0 1\n')


@pytest.mark.parametrize(
    ("raw", "verdict"),
    [
        (b"3 3" + b" " * LINE_BYTES, "malformed"),
        (b"3 3".ljust(LINE_BYTES) + b"\r\n", "legal"),
        (b"P1> " + b"x" * (LINE_BYTES + 1), "malformed"),
        (b"\xff\xfe\xfd", "malformed"),
        ("\uff13 \uff13".encode(), "malformed"),
        (b"\xef\xbb\xbf3 3\n", "legal"),
        (b"#" * (LINE_BYTES + 1), None),
        (b'[FaultStderr "' + b"x" * (LINE_BYTES + 1), None),
    ],
)
def test_odd_bytes(raw, verdict):
    judge = Judge(load_game("blockade"))
    ruled = judge.rule(raw)
    assert (str(ruled.verdict) if ruled else None) == verdict
    assert ruled is None or len(ruled.reply) <= QUOTED_CHARACTERS + 1


@given(st.sampled_from(game_ids()), st.lists(st.binary(max_size=40), max_size=12))
def test_whatever_is_written_gets_a_verdict_or_a_sentence(game_id, lines):
    judge = Judge(load_game(game_id))
    for raw in lines:
        try:
            ruled = judge.rule(raw)
        except (TranscriptError, OptionError):
            break
        assert ruled is None or (ruled.reason is None) == (ruled.verdict == "legal")
    else:
        assert judge.ruled >= judge.refused


@given(st.sampled_from(game_ids()), st.randoms(use_true_random=False), st.integers(0, 2**32))
def test_random_matches_are_judged_legal_to_the_end(game_id, rng, seed):
    judge = Judge(load_game(game_id), seed=seed)
    for _ in range(40):
        final = judge.final()
        if final.to_move is None:
            break
        ruled = judge.rule(f"{final.to_move}> {rng.choice(final.available)}".encode())
        assert ruled is not None
        assert ruled.verdict == "legal"
        assert ruled.seat == final.to_move
    assert judge.refused == 0
