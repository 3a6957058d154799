"""The store: whole matches or none, and everything comes back as it went in."""

import contextlib
import sqlite3
import threading

import pytest

from arena.game import P1
from arena.record import Fault
from arena.results import BotInfo, TournamentInfo, walkover_row
from arena.schedule import Plan, round_robin
from arena.store import SCHEMA_VERSION, Entrant, Result, Store, StoreError, pack, unpack

LABELS = ("a@1", "b@2", "c@3")
PLAN = Plan("blockade", seed=7, options=(("size", "4"),), rounds=2, opening=3)


def tournament(name="cup", state="running", date="2026-01-01T00:00:00Z"):
    bots = tuple(BotInfo(label, language="C", author="me", source="path") for label in LABELS)
    return TournamentInfo(
        id=name,
        name="A Cup",
        game="blockade",
        options=PLAN.options,
        seed=7,
        bots=bots,
        state=state,
        date=date,
    )


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results") as opened:
        yield opened


def fill(store, name="cup", **changes):
    info = tournament(name, **changes)
    jobs = list(round_robin(LABELS, PLAN))
    store.add_tournament(
        info, {"limits": "x", "group": ""}, [Entrant(b, f"./{b.name}") for b in info.bots], jobs
    )
    return info, jobs


def result(name, job, **changes):
    row = walkover_row(name, job, P1)._replace(
        **{"withdrawn": False, "forfeit": "", "reason": "blocked", "identity": "i"} | changes
    )
    return Result(row, record=f"record of {job.number}")


def test_a_tournament_comes_back_as_it_went_in(store):
    info, jobs = fill(store)
    assert store.info("cup") == info
    assert store.jobs("cup") == jobs
    assert store.settings("cup") == {"limits": "x", "group": ""}
    assert store.entrants("cup") == {"a@1": "./a", "b@2": "./b", "c@3": "./c"}


def test_a_match_comes_back_as_it_went_in(store):
    _, jobs = fill(store)
    fault = Fault(P1, "crash", "it fell over", "got", "Traceback", "exit 1", doubtful=True)
    stored = result("cup", jobs[4], doubtful=True, forfeit="crash")
    store.add_match(Result(stored.row, stored.record, fault, "capsule text"))
    assert list(store.rows("cup")) == [stored.row]
    assert store.record("cup", jobs[4].number) == stored.record
    assert store.capsule("cup", jobs[4].number) == "capsule text"
    assert store.record("cup", jobs[5].number) is None
    (row,) = store.rows("cup")
    assert row.doubtful is True
    assert row.withdrawn is False


def test_a_result_is_replaced_whole(store):
    _, jobs = fill(store)
    store.add_match(result("cup", jobs[0]))
    walkover = Result(walkover_row("cup", jobs[0], P1))
    store.add_match(walkover)
    assert list(store.rows("cup")) == [walkover.row]
    assert store.record("cup", jobs[0].number) is None, "the old record must not outlive its match"


def test_what_is_stored_together_is_stored_whole(store):
    _, jobs = fill(store)
    with Store(store.path.parent) as reader:
        with store.transaction():
            store.add_match(result("cup", jobs[0]))
            store.add_match(result("cup", jobs[1]))
            assert list(reader.rows("cup")) == []
        assert [row.number for row in reader.rows("cup")] == [jobs[0].number, jobs[1].number]
    with contextlib.suppress(ZeroDivisionError), store.transaction():
        store.add_match(result("cup", jobs[2]))
        raise ZeroDivisionError
    assert len(list(store.rows("cup"))) == 2


def test_a_match_needs_its_job(store):
    _, jobs = fill(store)
    with pytest.raises(sqlite3.IntegrityError):
        store.add_match(result("cup", jobs[0]._replace(number=999)))
    assert list(store.rows("cup")) == []


def test_a_failed_match_leaves_nothing(store):
    _, jobs = fill(store)
    stored = result("cup", jobs[0])
    unknown_bot = Fault(P1, "crash", "…")
    with pytest.raises(sqlite3.IntegrityError):
        store.add_match(Result(stored.row._replace(p1="nobody@0"), stored.record, unknown_bot))
    assert list(store.rows("cup")) == []
    assert store.record("cup", jobs[0].number) is None


def test_an_id_is_taken_once(store):
    fill(store)
    with pytest.raises(StoreError, match="cup"):
        fill(store)


def test_the_newest_and_the_newest_unfinished(store):
    assert store.latest() is None
    fill(store, "old", state="stopped", date="2026-01-01T00:00:00Z")
    fill(store, "new", state="complete", date="2026-01-02T00:00:00Z")
    assert store.latest() == "new"
    assert store.latest(unfinished=True) == "old"
    assert [info.id for info, _ in store.tournaments()] == ["new", "old"]


def test_the_state_can_change(store):
    fill(store)
    store.set_info(tournament(state="complete"))
    assert store.info("cup").state == "complete"
    assert store.latest(unfinished=True) is None


def test_incidents_are_kept_apart(store):
    _, jobs = fill(store)
    store.add_incident("cup", jobs[0].number, "void", "no descriptors")
    store.add_incident("cup", jobs[1].number, "doubtful", "timeout", "the record")
    assert store.incidents("cup", "void") == [(1, "no descriptors")]
    assert store.incidents("cup", "doubtful") == [(2, "timeout")]
    assert list(store.rows("cup")) == []


def test_two_can_read_while_one_writes(store, tmp_path):
    _, jobs = fill(store)
    with Store(tmp_path / "results", create=False) as reader:
        store.add_match(result("cup", jobs[0]))
        assert len(list(reader.rows("cup"))) == 1


def test_no_store_is_made_where_one_is_expected(tmp_path):
    with pytest.raises(StoreError, match="no results"):
        Store(tmp_path, create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_store(tmp_path):
    (tmp_path / "arena.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match="cannot use"):
        Store(tmp_path)


def test_a_store_of_another_version(store, tmp_path):
    store.close()
    db = sqlite3.connect(tmp_path / "results" / "arena.db")
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()
    with pytest.raises(StoreError, match="schema version"):
        Store(tmp_path / "results")


def test_the_store_is_a_plain_database_with_keys_and_wal(store, tmp_path):
    assert store.path == tmp_path / "results" / "arena.db"
    db = sqlite3.connect(store.path)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    db.close()


def test_packing_is_lossless():
    assert unpack(pack("P1> 1 0 ✓\n" * 50)) == "P1> 1 0 ✓\n" * 50


def test_several_may_open_a_new_store_at_once(tmp_path):
    """Seldom does a round meet the moment in which SQLite refuses one of them without waiting: hence many."""
    refused = []

    def open_together(results, gate):
        gate.wait()
        try:
            Store(results).close()
        except StoreError as error:
            refused.append(str(error))

    for n in range(100):
        gate = threading.Barrier(3)
        openers = [threading.Thread(target=open_together, args=(tmp_path / str(n), gate)) for _ in range(3)]
        for opener in openers:
            opener.start()
        for opener in openers:
            opener.join()
    assert refused == []
