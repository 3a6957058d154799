"""The store: one SQLite file with every tournament, its jobs, and its matches with records and faults.

Only one process writes to a tournament at a time; a match is stored in one transaction, alone or with others
that were reported at once, so whatever happens to that process, a match is in the store whole or not at all.
"""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from arena.record import Fault
from arena.results import BotInfo, MatchRow, TournamentInfo
from arena.schedule import Job

SCHEMA_VERSION = 1
_WINDOW_BITS = _TABLE_BITS = 12
"""What `pack` sees of a text at once, and its table of what it has seen: 4,096 places each."""
_BUSY_MS = 30_000
"""How long a reader or a second arena waits for a lock before it gives up."""
_LOOK_AGAIN_S = 0.005

_SCHEMA = """
CREATE TABLE bots (
    label TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    language TEXT NOT NULL,
    author TEXT NOT NULL,
    source TEXT NOT NULL
) STRICT;
CREATE TABLE tournaments (
    id TEXT PRIMARY KEY,
    started TEXT NOT NULL,
    game TEXT NOT NULL,
    state TEXT NOT NULL,
    info TEXT NOT NULL,
    settings TEXT NOT NULL
) STRICT;
CREATE TABLE entrants (
    tournament TEXT NOT NULL REFERENCES tournaments ON DELETE CASCADE,
    bot TEXT NOT NULL REFERENCES bots,
    given TEXT NOT NULL,
    PRIMARY KEY (tournament, bot)
) STRICT, WITHOUT ROWID;
CREATE TABLE jobs (
    tournament TEXT NOT NULL REFERENCES tournaments ON DELETE CASCADE,
    number INTEGER NOT NULL,
    encounter INTEGER NOT NULL,
    game TEXT NOT NULL,
    options TEXT NOT NULL,
    seed INTEGER NOT NULL,
    opening INTEGER NOT NULL,
    p1 TEXT NOT NULL REFERENCES bots,
    p2 TEXT NOT NULL REFERENCES bots,
    PRIMARY KEY (tournament, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE matches (
    {columns},
    PRIMARY KEY (tournament, number),
    FOREIGN KEY (tournament, number) REFERENCES jobs ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE records (
    tournament TEXT NOT NULL,
    number INTEGER NOT NULL,
    text BLOB NOT NULL,
    PRIMARY KEY (tournament, number),
    FOREIGN KEY (tournament, number) REFERENCES matches ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE faults (
    tournament TEXT NOT NULL,
    number INTEGER NOT NULL,
    bot TEXT NOT NULL REFERENCES bots,
    seat TEXT NOT NULL,
    code TEXT NOT NULL,
    sentence TEXT NOT NULL,
    received TEXT,
    stderr TEXT NOT NULL,
    exit_status TEXT,
    doubtful INTEGER NOT NULL,
    capsule BLOB,
    PRIMARY KEY (tournament, number),
    FOREIGN KEY (tournament, number) REFERENCES matches ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE incidents (
    id INTEGER PRIMARY KEY,
    tournament TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    record BLOB,
    FOREIGN KEY (tournament, number) REFERENCES jobs ON DELETE CASCADE
) STRICT;
CREATE INDEX incidents_of ON incidents (tournament, kind);
"""


class StoreError(Exception):
    """The store cannot be used; the message is a sentence for the user."""


@dataclass(frozen=True)
class Result:
    """A match that is ready to be stored."""

    row: MatchRow
    record: str = ""
    """The record's text; empty for a walkover."""
    fault: Fault | None = None
    capsule: str = ""

    @property
    def number(self) -> int:
        """Number of the job it is the result of."""
        return self.row.number


@dataclass(frozen=True)
class Entrant:
    """A bot of a tournament: what is shown of it, and what the user typed to name it."""

    info: BotInfo
    given: str


def _column_types() -> str:
    kinds = {int: "INTEGER", bool: "INTEGER", str: "TEXT"}
    columns = MatchRow.__annotations__.items()
    return ",\n    ".join(f"{name} {kinds[kind]} NOT NULL" for name, kind in columns)


def _insert(table: str, count: int, verb: str = "INSERT") -> str:
    return f"{verb} INTO {table} VALUES ({','.join('?' * count)})"


def _options_text(options: Iterable[tuple[str, str]]) -> str:
    return json.dumps(dict(options))


class Store:
    """The open store of one results folder. Use as a context manager, in one thread."""

    def __init__(self, results: Path, *, create: bool = True) -> None:
        """Open `results/arena.db`; StoreError when it is missing, newer than this program, or no store."""
        self.path = results / "arena.db"
        if not create and not self.path.is_file():
            raise StoreError(f"there are no results in {results}")
        try:
            results.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=_BUSY_MS / 1000)
            try:
                self._set_up()
            except BaseException:
                self._db.close()
                raise
        except (sqlite3.DatabaseError, OSError) as error:
            raise StoreError(f"cannot use {self.path}: {error}") from None

    def _set_up(self) -> None:
        db = self._db
        self._write_ahead()
        # In WAL mode this survives any crash of ours; only a power cut may cost the last matches.
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA foreign_keys = ON")
        with self.transaction():
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version == 0:
                for statement in _SCHEMA.replace("{columns}", _column_types()).split(";\n"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            elif version != SCHEMA_VERSION:
                raise StoreError(
                    f"{self.path} has schema version {version}, this arena reads {SCHEMA_VERSION}: "
                    "use the arena that wrote it, or another --results folder"
                )

    def _write_ahead(self) -> None:
        """Turn WAL mode on, which lasts for ever. When two open a new store at once, one of them is refused.

        SQLite waits for every other lock, but not for this one.
        """
        patience_ends = monotonic() + _BUSY_MS / 1000
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > patience_ends:
                    raise
                sleep(_LOOK_AGAIN_S)
            else:
                return

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written within is stored at the end of it, or nothing of it; may be nested."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def close(self) -> None:
        """Close the file; nothing is lost without it."""
        self._db.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # Tournaments

    def add_tournament(
        self, info: TournamentInfo, settings: dict[str, Any], entrants: Iterable[Entrant], jobs: Iterable[Job]
    ) -> None:
        """Write down a whole tournament before its first match; StoreError when the id is taken."""
        known = list(entrants)
        try:
            with self.transaction():
                self._db.execute(
                    _insert("tournaments", 6),
                    (
                        info.id,
                        info.date,
                        info.game,
                        info.state,
                        json.dumps(asdict(info)),
                        json.dumps(settings),
                    ),
                )
                self._db.executemany(
                    _insert("bots", 6, "INSERT OR IGNORE"),
                    (
                        (b.label, b.name, b.version, b.language, b.author, b.source)
                        for b in (entrant.info for entrant in known)
                    ),
                )
                self._db.executemany(
                    _insert("entrants", 3), ((info.id, e.info.label, e.given) for e in known)
                )
                self._db.executemany(
                    _insert("jobs", 9),
                    ((info.id, *j[:3], _options_text(j.options), *j[4:6], *j.bots) for j in jobs),
                )
        except sqlite3.IntegrityError as error:
            raise StoreError(f"tournament {info.id} cannot be added: {error}") from None

    def set_info(self, info: TournamentInfo) -> None:
        """Replace what is known of a tournament, its state above all."""
        with self.transaction():
            self._db.execute(
                "UPDATE tournaments SET state = ?, info = ? WHERE id = ?",
                (info.state, json.dumps(asdict(info)), info.id),
            )

    def info(self, tournament: str) -> TournamentInfo:
        """What is known of a tournament; KeyError for an unknown id."""
        found = self._db.execute("SELECT info FROM tournaments WHERE id = ?", (tournament,)).fetchone()
        if found is None:
            raise KeyError(tournament)
        plain = json.loads(found[0])
        plain["options"] = tuple((key, value) for key, value in plain["options"])
        plain["bots"] = tuple(BotInfo(**bot) for bot in plain["bots"])
        plain["withdrawn"] = tuple(plain["withdrawn"])
        return TournamentInfo(**plain)

    def settings(self, tournament: str) -> dict[str, Any]:
        """How the tournament is played, as `add_tournament` was given it."""
        (text,) = self._db.execute("SELECT settings FROM tournaments WHERE id = ?", (tournament,)).fetchone()
        settings: dict[str, Any] = json.loads(text)
        return settings

    def tournaments(self) -> list[tuple[TournamentInfo, int]]:
        """All tournaments with the number of their finished matches, newest first."""
        rows = self._db.execute(
            "SELECT id, (SELECT count(*) FROM matches WHERE tournament = id) FROM tournaments"
            " ORDER BY started DESC, rowid DESC"
        ).fetchall()
        return [(self.info(name), count) for name, count in rows]

    def latest(self, *, unfinished: bool = False) -> str | None:
        """Id of the newest tournament, or of the newest one that has jobs without a result."""
        found = self._db.execute(
            "SELECT id FROM tournaments WHERE state != 'complete' OR NOT ?"
            " ORDER BY started DESC, rowid DESC LIMIT 1",
            (unfinished,),
        ).fetchone()
        return found[0] if found else None

    def entrants(self, tournament: str) -> dict[str, str]:
        """Label of each bot, and what the user typed to name it."""
        rows = self._db.execute("SELECT bot, given FROM entrants WHERE tournament = ?", (tournament,))
        return dict(rows.fetchall())

    # Jobs and matches

    def jobs(self, tournament: str) -> list[Job]:
        """All jobs in their order."""
        rows = self._db.execute("SELECT * FROM jobs WHERE tournament = ? ORDER BY number", (tournament,))
        read: Callable[[str], Any] = json.loads
        return [
            Job(number, encounter, game, tuple(read(options).items()), seed, opening, (p1, p2))
            for _, number, encounter, game, options, seed, opening, p1, p2 in rows
        ]

    def add_match(self, result: Result) -> None:
        """Store a match, its record and its fault in one transaction; a result it had before is replaced."""
        row = result.row
        key = (row.tournament, row.number)
        with self.transaction():
            self._db.execute("DELETE FROM matches WHERE tournament = ? AND number = ?", key)
            self._db.execute(_insert("matches", len(row)), row)
            if result.record:
                self._db.execute(_insert("records", 3), (*key, pack(result.record)))
            if result.fault is not None:
                bot = row.p1 if result.fault.seat == "P1" else row.p2
                capsule = pack(result.capsule) if result.capsule else None
                self._db.execute(_insert("faults", 11), (*key, bot, *astuple(result.fault), capsule))

    def add_incident(self, tournament: str, number: int, kind: str, reason: str, record: str = "") -> None:
        """Note a `void` match, or a `doubtful` time loss that is played again."""
        with self.transaction():
            self._db.execute(
                "INSERT INTO incidents (tournament, number, kind, reason, record) VALUES (?, ?, ?, ?, ?)",
                (tournament, number, kind, reason, pack(record) if record else None),
            )

    def incidents(self, tournament: str, kind: str) -> list[tuple[int, str]]:
        """Job numbers and reasons of the incidents of one kind, oldest first."""
        return self._db.execute(
            "SELECT number, reason FROM incidents WHERE tournament = ? AND kind = ? ORDER BY id",
            (tournament, kind),
        ).fetchall()

    def rows(self, tournament: str) -> Iterator[MatchRow]:
        """The finished matches in the order of their jobs."""
        query = "SELECT * FROM matches WHERE tournament = ? ORDER BY number"
        for values in self._db.execute(query, (tournament,)):
            row = MatchRow(*values)
            yield row._replace(doubtful=bool(row.doubtful), withdrawn=bool(row.withdrawn))

    def record(self, tournament: str, number: int) -> str | None:
        """Text of a match's record, or None."""
        return self._packed(
            "SELECT text FROM records WHERE tournament = ? AND number = ?", tournament, number
        )

    def capsule(self, tournament: str, number: int) -> str | None:
        """Text of a match's crash capsule, or None."""
        return self._packed(
            "SELECT capsule FROM faults WHERE tournament = ? AND number = ?", tournament, number
        )

    def _packed(self, query: str, tournament: str, number: int) -> str | None:
        found = self._db.execute(query, (tournament, number)).fetchone()
        return unpack(found[0]) if found and found[0] else None


def pack(text: str) -> bytes:
    """Compress a text for a column; records shrink to less than half at the fastest level.

    A record has a few kilobytes. zlib's usual tables, made for large files, would take eight times as long to
    set up as the record takes to compress.
    """
    packer = zlib.compressobj(level=1, wbits=_WINDOW_BITS, memLevel=_TABLE_BITS - 7)
    return packer.compress(text.encode()) + packer.flush()


def unpack(data: bytes) -> str:
    """The text that `pack` was given."""
    return zlib.decompress(data).decode()
