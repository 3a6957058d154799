"""Standings: rows in, tables out."""

import math
from dataclasses import replace

import pytest

from arena.game import P1, P2, Seat
from arena.record import Fault, Ply, Record, Unanswered
from arena.results import (
    BotInfo,
    MatchRow,
    TournamentInfo,
    identity,
    match_row,
    quantile_us,
    seat_times,
    short_names,
    turn_times,
    walkover_row,
)
from arena.schedule import Job, Plan
from arena.simulate import simulated_info, simulated_matches, simulated_results, simulated_rows
from arena.standings import Standings, matches_frame, overall, standings

A, B, C = "ant@1", "bee@2", "cat@3"


def info(*labels: str, **more: object) -> TournamentInfo:
    bots = tuple(BotInfo(label, "Python", "Ada") for label in labels or (A, B, C))
    return TournamentInfo(id="t", name="T", game="blockade", seed=1, bots=bots, **more)  # type: ignore[arg-type]


def job(number: int, p1: str, p2: str) -> Job:
    return Job(number, (number + 1) // 2, "blockade", (), number, 0, (p1, p2))


def record(p1: str, p2: str, winner: Seat, *replies: str, **more: object) -> Record:
    seats = (P1, P2)
    plies = tuple(Ply(seats[n % 2], "move", r, 1000 * (n + 1), 500 * (n + 1)) for n, r in enumerate(replies))
    return Record(  # type: ignore[arg-type]
        **{
            "game": "blockade",
            "options": (),
            "seed": 1,
            "bots": (p1, p2),
            "limits": "",
            "plies": plies,
            "winner": winner,
            "reason": "blocked",
            "turns": len(plies),
            "board": "",
            **more,
        }
    )


def row(number: int, p1: str, p2: str, winner: Seat, *replies: str, **more: object) -> MatchRow:
    return match_row("t", job(number, p1, p2), record(p1, p2, winner, *(replies or (f"{number}",)), **more))


CRASH = Fault(P2, "crash", "it ended")
LATE = Fault(P1, "timeout", "too late", doubtful=True)


def test_a_small_tournament_by_hand() -> None:
    rows = [
        row(1, A, B, P1),
        row(2, B, A, P2),
        row(3, A, C, P1, fault=CRASH, reason="crash"),
        row(4, C, A, P1),
        row(5, B, C, P1),
        row(6, C, B, P1, fault=None),
    ]
    tables = standings(info(), rows)
    assert tables.labels[0] == A
    table = tables.table.set_index("name")
    columns = ["played", "won", "lost", "p1_won", "p1_lost", "p2_won", "p2_lost", "forfeits"]
    assert table[columns].loc["ant"].tolist() == [4, 3, 1, 2, 0, 1, 1, 0]
    assert table[columns].loc["bee"].tolist() == [4, 1, 3, 1, 1, 0, 2, 0]
    assert table[columns].loc["cat"].tolist() == [4, 2, 2, 2, 0, 0, 2, 1]
    assert table.loc["cat", "forfeits_by_reason"] == "crash:1"
    assert table.loc["ant", "score"] == 0.75
    cross = tables.crosstable()
    assert cross.loc[A, B] == 2
    assert cross.loc[B, A] == 0
    assert cross.loc[A, C] == cross.loc[C, A] == 1
    facts = tables.facts
    assert (facts.matches, facts.played, facts.counted, facts.identical) == (6, 6, 6, 0)
    assert facts.first_seat.value == pytest.approx(5 / 6)
    assert facts.ends == (("blocked", False, 5), ("crash", True, 1))


def test_copies_of_a_match_show_in_the_score_and_count_once_in_the_ratings() -> None:
    once = [row(1, A, B, P1, "3 3"), row(2, B, A, P1, "3 3")]
    copies = [row(n, A, B, P1, "3 3") for n in range(3, 9)]
    one, many = standings(info(A, B), once), standings(info(A, B), once + copies)
    assert many.facts.identical == 6
    assert many.table.set_index("bot").loc[A, "won"] == 7
    for column in ("rating", "sigma", "elo", "rated_matches"):
        assert many.table.set_index("bot")[column].to_dict() == one.table.set_index("bot")[column].to_dict()


def test_what_makes_two_matches_copies() -> None:
    first = record(A, B, P1, "3 3", "1 1")
    assert identity(first) == identity(record(A, B, P1, "3 3", "1 1", seed=99, date="later", opening=2))
    different = [
        record(B, A, P1, "3 3", "1 1"),
        record(A, B, P2, "3 3", "1 1"),
        record(A, B, P1, "3 3", "1 2"),
        record(A, B, P1, "3 3"),
        record(A, B, P1, "3 3", "1 1", reason="resign"),
        record(A, B, P1, "3 3", "1 1", options=(("size", "6"),)),
        record(A, B, P1, "3 3", "1 1", fault=CRASH),
    ]
    assert len({identity(one) for one in [first, *different]}) == 8
    walls = [record(A, B, P1, "3", game="runner-walls", seed=seed) for seed in (1, 2)]
    assert identity(walls[0]) != identity(walls[1]), "another seed draws other walls"


def test_a_walkover_counts_in_the_score_and_not_in_the_ratings() -> None:
    rows = [row(1, A, B, P1), walkover_row("t", job(2, B, A), P1), walkover_row("t", job(3, B, C), None)]
    tables = standings(info(withdrawn=(B,)), rows)
    table = tables.table.set_index("bot")
    assert table.loc[A, "won"] == 2
    assert table.loc[A, "rated_matches"] == 1
    assert table.loc[B, "forfeits_by_reason"] == "withdrawn:1"
    assert table.loc[C, "played"] == 0
    assert bool(table.loc[B, "withdrawn"])
    assert (tables.facts.withdrawn, tables.facts.played, tables.facts.counted) == (2, 1, 1)
    assert rows[2].winner == rows[2].winner_label == ""


def test_doubtful_time_losses_are_counted_apart() -> None:
    tables = standings(info(A, B), [row(1, A, B, P2, fault=LATE, reason="timeout"), row(2, B, A, P1)])
    assert tables.facts.doubtful == 1
    assert tables.table.set_index("bot").loc[A, ["forfeits", "doubtful"]].tolist() == [1, 1]


def test_a_void_match_has_no_row() -> None:
    with pytest.raises(ValueError, match="void"):
        match_row("t", job(1, A, B), record(A, B, P1, "3 3")._replace(winner=None))


def test_a_turn_is_all_the_plies_of_a_seat_and_only_those_of_its_bot() -> None:
    plies = (
        Ply(P1, "move", "0 1", by="opening"),
        Ply(P1, "lock", "0 0", by="opening"),
        Ply(P2, "move", "9 8", 100, 10),
        Ply(P2, "lock", "9 9", 50, 5),
        Ply(P1, "move", "0 2", 7, 3),
        Ply(P1, "lock", "0 1", 1, 1),
        Ply(P2, "move", "9 7", 1000, 900),
    )
    late = Unanswered(P2, "lock", 5000, 2)
    match = record(A, B, P1, game="gridlock", plies=plies, unanswered=late)
    assert turn_times(match) == {P1: [(8, 4)], P2: [(150, 15), (6000, 902)]}
    started = record(A, B, P1, plies=(), unanswered=Unanswered(P2, "ready", 10**7, 0))
    assert seat_times(turn_times(started)[P2]).turns == 0, "starting up is not a turn"


def test_quantiles_over_many_matches_are_right_to_a_tenth() -> None:
    times = [[3 + 17 * n + n * n for n in range(k, 120, 7)] for k in range(7)]
    plies = [tuple(Ply(P1 if n % 2 else P2, "m", "x", t) for t in ts for n in (0, 1)) for ts in times]
    histograms = [seat_times(turn_times(record(A, B, P1, plies=p))[P1]).histogram for p in plies]
    ordered = sorted(t for ts in times for t in ts)
    for quantile in (0.5, 0.9, 0.99):
        exact = ordered[round(quantile * len(ordered)) - 1]
        assert quantile_us(histograms, quantile) == pytest.approx(exact, rel=0.12)
    assert quantile_us([], 0.99) == quantile_us(["", ""], 0.99) == 0


def test_time_columns() -> None:
    line = standings(info(A, B), [row(1, A, B, P1, "a", "b", "c")]).table.set_index("bot").loc[A]
    assert (line["turns"], line["mean_us"], line["max_us"], line["cpu_share"]) == (2, 2000, 3000, 0.5)
    assert line["p99_us"] == pytest.approx(3000, rel=0.1)


def test_no_match_yet_is_a_table_of_unrated_bots() -> None:
    tables = standings(info(), [])
    assert tables.table["rank"].tolist() == [1, 1, 1]
    assert tables.table["played"].sum() == tables.facts.matches == 0
    assert tables.facts.lengths == ()


def test_rows_in_any_order_give_the_same_tables() -> None:
    plan = Plan("blockade", 5, rounds=2)
    about = simulated_info(plan, 5)
    rows = list(simulated_rows(plan, about))
    forwards, backwards = standings(about, rows), standings(about, iter(rows[::-1]))
    assert forwards.table.equals(backwards.table)
    assert forwards.facts == backwards.facts
    assert forwards.history == backwards.history


def test_simulated_bots_come_out_in_the_order_of_their_strength() -> None:
    about = simulated_info(Plan("blockade", 2), 6)
    tables = standings(about, simulated_results(about, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5], 4000, seed=3))
    assert list(tables.labels) == [bot.label for bot in reversed(about.bots)]
    assert tables.table["rank"].tolist() == [1, 2, 3, 4, 5, 6]
    assert tables.table["elo"].is_monotonic_decreasing


def test_simulated_matches_are_real_ones_and_the_same_for_a_seed() -> None:
    plan = Plan("runner-walls", 8, opening=2)
    about = simulated_info(plan, 4)
    matches = list(simulated_matches(plan, about))
    assert matches == list(simulated_matches(plan, about))
    assert all(r.winner and r.plies for _, r in matches)


def test_a_generator_of_rows_is_consumed_once_and_types_are_kept() -> None:
    about = simulated_info(Plan("blockade", 2), 3)
    frame = matches_frame(simulated_results(about, [0, 0, 0], 20_500, seed=1))
    assert len(frame) == 20_500
    assert frame["number"].tolist() == list(range(1, 20_501))
    assert str(frame["p1"].dtype) == "category"
    assert str(frame["p1_wall_us"].dtype) == "int64"
    assert str(frame["doubtful"].dtype) == "bool"


def test_overall_is_the_mean_of_conservative_ratings_and_a_game_left_out_counts_nothing() -> None:
    def won_by_ant(other: str, game: str) -> Standings:
        rows = [row(n, A, other, P1, str(n)) for n in range(1, 21)]
        return standings(replace(info(A, other), game=game), rows)

    first, second = won_by_ant(B, "blockade"), won_by_ant(C, "gridlock")
    table = overall([first, second]).set_index("bot")
    best = [one.table.set_index("bot").loc[A, "conservative"] for one in (first, second)]
    assert table.index[0] == A
    assert table.loc[A, "rating"] == pytest.approx(sum(best) / 2)
    assert table.loc[A, ["blockade", "gridlock"]].tolist() == pytest.approx(best)
    assert table.loc[B, "rating"] == pytest.approx(first.table.loc[1, "conservative"] / 2)
    assert table.loc[B, ["games", "won", "lost"]].tolist() == [1, 0, 20]
    assert math.isnan(table.loc[B, "gridlock"])
    assert table["rank"].tolist()[0] == 1


def test_names_have_their_version_only_where_two_versions_meet() -> None:
    assert short_names(["ant@1", "ant@2", "bee@1", "odd"]) == {
        "ant@1": "ant@1",
        "ant@2": "ant@2",
        "bee@1": "bee",
        "odd": "odd",
    }
