"""The files of a report: complete, escaped, bounded in size, and the same numbers in all of them."""

import base64
import csv
import html.parser
import io
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from arena.game import P1, P2
from arena.games import game_ids, load_game
from arena.record import Record
from arena.report import replays as packing
from arena.report import words, write_overall, write_report
from arena.report.charts import axis, history_plot, log_share, rating_plot
from arena.report.html import html_report
from arena.report.markdown import markdown_report
from arena.report.replays import changes, choose, encode, pack
from arena.report.tables import matches_csv
from arena.report.terminal import print_standings, printable
from arena.report.words import duration, markdown, percent, signed
from arena.results import BotInfo, MatchRow, TournamentInfo, match_row, walkover_row
from arena.schedule import Job, Plan
from arena.simulate import simulated_info, simulated_matches, simulated_results
from arena.standings import Standings, standings

EVIL = "<script>alert(1)</script>"


class Simulated:
    """A simulated tournament in memory."""

    def __init__(self, game: str = "blockade", bots: int = 8, rounds: int = 2, seed: int = 4) -> None:
        plan = Plan(game, seed, rounds=rounds, opening=2)
        self.info = simulated_info(plan, bots)
        self.records: dict[int, Record] = {}
        self.rows: list[MatchRow] = []
        for job, record in simulated_matches(plan, self.info):
            self.records[job.number] = record
            self.rows.append(match_row(self.info.id, job, record))

    @property
    def tables(self) -> Standings:
        return standings(self.info, self.rows)


@pytest.fixture(scope="module")
def simulated() -> Simulated:
    return Simulated()


def unpack(text: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(text)))


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def boards_of(replay: dict[str, Any]) -> list[str]:
    """What the page's script does, in Python."""
    boards = [replay["board"]]
    for change in replay["changes"]:
        cells = list(boards[-1])
        for at in range(0, len(change), 4):
            cells[int(change[at : at + 3], 36)] = change[at + 3]
        boards.append("".join(cells))
    return boards


def test_a_report_is_five_files_and_nothing_else(simulated: Simulated, tmp_path: Path) -> None:
    write_report(tmp_path / "new" / "folder", simulated.info, simulated.rows, simulated.records.get)
    names = {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    assert names == {"report.html", "report.md", "standings.csv", "standings.json", "matches.csv"}


def test_the_files_agree(simulated: Simulated, tmp_path: Path) -> None:
    tables = write_report(tmp_path, simulated.info, iter(simulated.rows), simulated.records.get)
    bots = json.loads((tmp_path / "standings.json").read_text())["bots"]
    lines = list(csv.DictReader((tmp_path / "standings.csv").read_text().splitlines()))
    assert [bot["bot"] for bot in bots] == [line["bot"] for line in lines] == list(tables.labels)
    for bot, line in zip(bots, lines, strict=True):
        assert float(line["rating"]) == pytest.approx(bot["rating"], abs=1e-6)
        assert int(line["won"]) == bot["won"] == sum(other["won"] for other in bot["against"].values())
        assert bot["forfeits"] == sum(bot["forfeits_by_reason"].values())
    matches = list(csv.DictReader((tmp_path / "matches.csv").read_text().splitlines()))
    assert [int(line["number"]) for line in matches] == [row.number for row in simulated.rows]
    assert set(MatchRow._fields) < set(matches[0])
    assert (
        sum(line["winner"] == "P1" for line in matches) + sum(line["winner"] == "P2" for line in matches)
        == 112
    )


def test_matches_csv_has_one_header_however_many_pieces(
    monkeypatch: pytest.MonkeyPatch, simulated: Simulated
) -> None:
    whole = "".join(matches_csv(simulated.tables))
    monkeypatch.setattr("arena.report.tables._CHUNK", 7)
    assert "".join(matches_csv(simulated.tables)) == whole
    assert whole.count("tournament,number") == 1


class Page(html.parser.HTMLParser):
    """Counts what could run or be fetched, and the elements that are left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts = 0
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        for name, value in attrs:
            assert not name.startswith("on"), f"{name} on {tag}"
            if name in {"src", "href", "action", "srcset", "data"}:
                self.addresses.append(value or "")
            if name == "id":
                self.ids.append(value or "")


def test_the_page_is_self_contained_and_names_are_text(simulated: Simulated) -> None:
    text = html_report(simulated.tables, simulated.records.get)
    page = Page(text)
    assert page.scripts == 3, "two scripts of ours and the data; none of a bot's"
    assert all(address.startswith(("#", "data:")) for address in page.addresses)
    assert EVIL not in text
    assert "&lt;script&gt;alert(1)" in text
    assert len(page.ids) == len(set(page.ids)), "every id is there once"
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/)", text)


def test_the_policy_allows_our_scripts_by_their_hash_and_no_fetch(simulated: Simulated) -> None:
    text = html_report(simulated.tables, simulated.records.get)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert "default-src &#39;none&#39;" in policy[1]
    assert policy[1].count("sha256-") == 2
    assert "script-src &#39;unsafe-inline" not in policy[1]


@pytest.mark.parametrize("game", game_ids())
def test_every_match_of_every_game_can_be_stepped_through(game: str) -> None:
    simulated = Simulated(game, bots=3, rounds=2)
    page = html_report(simulated.tables, simulated.records.get)
    data = data_of(page)
    replays = {n: r for chunk in data["chunks"] for n, r in unpack(chunk).items()}
    assert set(map(int, replays)) == set(simulated.records)
    for number, record in simulated.records.items():
        replay = replays[str(number)]
        boards = boards_of(replay)
        assert boards[-1] == record.board
        assert len(boards) == len(record.plies) + 1 == len(replay["replies"]) + 1
        assert ("fault" in replay) == (record.fault is not None)
        assert "broken" not in replay
    assert {symbol for board in boards for symbol in board} - {"/"} <= set(load_game(game).symbols)


def test_a_thousand_matches_stay_below_two_megabytes() -> None:
    simulated = Simulated("gridlock", bots=8, rounds=18)
    assert len(simulated.rows) >= 1000
    page = html_report(simulated.tables, simulated.records.get)
    assert len(page.encode()) < 2_000_000
    assert len(unpack(data_of(page)["index"])["matches"]) == len(simulated.rows)


def test_beyond_the_limit_some_are_chosen_and_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    simulated = Simulated(bots=6, rounds=3)
    asked: list[int] = []
    tables = simulated.tables
    chosen = choose(tables, limit=30)
    assert len(chosen) == len(set(chosen)) == 30
    forfeits = [row.number for row in simulated.rows if row.forfeit][:10]
    assert chosen[: len(forfeits)] == forfeits
    monkeypatch.setattr(packing, "choose", lambda tables: choose(tables, limit=30))
    monkeypatch.setattr(packing, "LISTED", 50)

    def record_of(number: int) -> Record:
        asked.append(number)
        return simulated.records[number]

    page = html_report(tables, record_of)
    assert asked == chosen, "records that are not shown are not read"
    assert "replays of 30 of 90 matches" in page
    assert "lists only those" in page
    assert len(unpack(data_of(page)["index"])["matches"]) == 30


def test_the_packed_size_is_bounded_whatever_bots_write(monkeypatch: pytest.MonkeyPatch) -> None:
    simulated = Simulated(bots=3, rounds=40)
    monkeypatch.setattr(packing, "BUDGET", 20_000)
    data = data_of(html_report(simulated.tables, simulated.records.get))
    assert 0 < sum(map(len, data["chunks"])) <= 20_000
    places = [match[-1] for match in unpack(data["index"])["matches"]]
    assert -1 in places
    assert max(places) == len(data["chunks"]) - 1


def test_a_chatty_ply_is_cut() -> None:
    record = next(iter(Simulated(bots=2).records.values()))
    loud = record.plies[4]._replace(
        remarks=("x" * 5000,) * 60, refused=(("y" * 5000, "illegal", "z" * 5000),) * 60
    )
    replay = encode(record._replace(plies=(*record.plies[:4], loud, *record.plies[5:])))
    assert len(json.dumps(replay["remarks"])) < 3000
    assert replay["remarks"][4][-1] == "… and 52 more"
    assert len(replay["refused"][4]) == 8


def test_a_record_that_the_rules_do_not_follow_is_shown_as_far_as_they_do() -> None:
    record = next(iter(Simulated(bots=2).records.values()))
    bad = record.plies[3]._replace(reply="99 99")
    replay = encode(record._replace(plies=(*record.plies[:3], bad, *record.plies[4:])))
    assert replay["broken"].startswith("ply 4 cannot be played")
    assert len(boards_of(replay)) == 4


def test_changes() -> None:
    assert changes("1../...", "1../...") == ""
    assert changes("1../...", ".1./..L") == "000.001" + "1" + "006L"
    assert unpack(pack({"a": [1, "é"]})) == {"a": [1, "é"]}


def test_a_stopped_tournament_says_how_to_go_on(simulated: Simulated) -> None:
    info = replace(simulated.info, state="stopped", jobs=500, resume="arena tournament --resume x")
    tables = standings(info, simulated.rows)
    for text in (html_report(tables, simulated.records.get), markdown_report(tables)):
        assert "arena tournament --resume x" in text
        assert "stopped after 22 % of 500" in text


def test_notes_about_copies_walkovers_doubts_and_voids() -> None:
    bots = ("a@1", "b@1")
    info = TournamentInfo(id="t", name="n", game="blockade", seed=1, bots=tuple(map(BotInfo, bots)), voids=2)
    info = replace(info, withdrawn=("b@1",))
    job = Job(1, 1, "blockade", (), 1, 0, bots)
    record = Record("blockade", (), 1, bots, "", (), P1, "resign", 0, "")
    rows = [match_row("t", job._replace(number=n), record) for n in (1, 2)]
    rows.append(walkover_row("t", job._replace(number=3), P2))
    text = markdown_report(standings(info, rows))
    assert "1 match is a copy" in text
    assert "1 match was not played, for b had been withdrawn" in text
    assert "2 matchs" not in text
    assert "2 matches failed" in text


@pytest.mark.parametrize(
    ("won", "lost", "verdict"),
    [(16, 4, "clearly stronger"), (4, 16, "clearly weaker"), (11, 9, "not decided")],
)
def test_a_duel_gets_a_verdict(won: int, lost: int, verdict: str) -> None:
    bots = ("new@1", "old@1")
    info = TournamentInfo(id="t", name="n", game="blockade", seed=1, bots=tuple(map(BotInfo, bots)))
    info = replace(info, format="gauntlet", champion="new@1")
    rows = []
    for number in range(won + lost):
        seats = bots if number % 2 else bots[::-1]
        winner = P1 if (seats[0] == "new@1") == (number < won) else P2
        job = Job(number + 1, 1, "blockade", (), number, 0, seats)
        record = Record("blockade", (), number, seats, "", (), winner, "resign", 0, f"{number}")
        rows.append(match_row("t", job, record)._replace(identity=str(number)))
    rows.append(rows[0]._replace(number=99))  # a copy does not count
    tables = standings(info, rows)
    (line,) = words.duels(tables)
    share = f"{words.score(won, lost)}, {100 * won / (won + lost):.1f} %"
    assert line.startswith(f"new against old: {share} (95 %: ")
    assert verdict in line
    assert line in markdown_report(tables).replace("\\", "")
    assert not words.duels(standings(replace(info, champion="", bots=(*info.bots, BotInfo("c@1"))), rows))


def test_no_match_yet_is_a_report_too(tmp_path: Path) -> None:
    info = simulated_info(Plan("blockade", 1), 3)
    tables = write_report(tmp_path, info, [], {}.get)
    assert tables.facts.matches == 0
    assert "0 matches of a round robin" in (tmp_path / "report.md").read_text()
    assert "No match has ended yet" in (tmp_path / "report.html").read_text()
    print_standings(tables, Console(file=io.StringIO(), width=80))


def test_many_bots_have_a_bounded_page() -> None:
    info = simulated_info(Plan("blockade", 1), 220)
    tables = standings(info, simulated_results(info, [0.01 * n for n in range(220)], 1500, seed=2))
    page = html_report(tables, {}.get)
    assert len(page) < 2_000_000
    assert "best 60 of 220 bots" in page
    assert "24 bots; 196 more" in markdown_report(tables)


def test_overall_page_links_to_the_reports(tmp_path: Path) -> None:
    both = [Simulated(game, bots=3).tables for game in ("blockade", "snatchers")]
    page = write_overall(tmp_path / "all", both)
    assert page == tmp_path / "all" / "overall.html"
    text = page.read_text()
    for tables in both:
        assert f'href="../{tables.info.id}/report.html"' in text
    assert sorted(path.name for path in page.parent.iterdir()) == [
        "overall.csv",
        "overall.html",
        "overall.md",
    ]


def test_an_odd_tournament_id_is_a_safe_link(simulated: Simulated) -> None:
    tables = replace(simulated.tables, info=replace(simulated.info, id='a b"é'))
    assert words.report_address(tables, "md") == "../a%20b%22%C3%A9/report.md"


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_the_terminal_table_fits_and_cuts_no_number(simulated: Simulated, width: int) -> None:
    out = io.StringIO()
    print_standings(simulated.tables, Console(file=out, width=width, color_system=None))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    table = [line for line in lines if "±" in line]
    assert len(table) == 8
    for line, bot in zip(table, simulated.tables.records(), strict=True):
        assert words.score(bot["won"], bot["lost"]) in line
    if width >= 80:
        assert any("[b]old[/b]" in line for line in table), "markup in a name is text"


def test_control_characters_in_a_name_are_written_out() -> None:
    assert printable("a\x1b[31mb\n\u202e\x9b") == r"a\x1b[31mb\n\u202e\x9b"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a|b", r"a\|b"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("[x](y)", r"\[x\](y)"),
        ("line\nbreak", "line break"),
        ("`*_~#!\\", r"\`\*\_\~\#\!" + "\\\\"),
    ],
)
def test_markdown_is_escaped(text: str, shown: str) -> None:
    assert markdown(text) == shown


def test_numbers_in_words() -> None:
    times = (0, 7, 999, 999.6, 12_345, 999_400, 999_600, 1_010_000, 75_000_000)
    shown = [words.DASH, "7 µs", "999 µs", "1.00 ms", "12.3 ms", "999 ms", "1.00 s", "1.01 s", "75.0 s"]
    assert [duration(time) for time in times] == shown
    assert (percent(0.5), percent(0.123, 1), signed(12.6)) == ("50 %", "12.3 %", "+13")
    assert signed(-3.4) == words.MINUS + "3"


def test_axes_have_round_ticks_and_hold_their_range() -> None:
    assert axis(13.2, 37.9).ticks == (10, 15, 20, 25, 30, 35, 40)
    assert axis(5, 5).low < 5 < axis(5, 5).high
    assert axis(0, 50).at(25) == 50
    assert axis(0, 50).at(90) == 100
    assert log_share(0, 0) == log_share(5, 100) == 1
    assert log_share(10**6, 10**6) == 100


def test_charts_lie_within_their_boxes(simulated: Simulated) -> None:
    _, bars = rating_plot(simulated.tables)
    for bar in bars:
        assert 0 <= bar.conservative <= bar.low <= bar.mu <= bar.high <= 100
        assert bar.order_low <= bar.mu <= bar.order_high
    across, _, lines = history_plot(simulated.tables)
    assert across.ticks[0] == 0
    assert len(lines) == 8
    for line in lines:
        points = [tuple(map(float, point.split(","))) for point in line.points.split()]
        assert (points[0][0], points[-1][0]) == (0, 100)
        assert all(0 <= value <= 100 for point in points for value in point)
