"""The report in a real, headless Chromium, opened as a file: what a reader does with it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from arena.report import words, write_overall, write_report
from arena.results import match_row
from arena.schedule import Plan
from arena.simulate import simulated_info, simulated_matches
from arena.standings import Standings

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="NO BROWSER: install chromium to test the report page"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Chromium's own sandbox does not start for root; the page is ours.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Standings]:
    plan = Plan("gridlock", 11, rounds=2, opening=2)
    info = simulated_info(plan, 8)
    records = {job.number: (job, record) for job, record in simulated_matches(plan, info)}
    rows = [match_row(info.id, job, record) for job, record in records.values()]
    folder = tmp_path_factory.mktemp("results") / info.id
    tables = write_report(folder, info, rows, lambda number: records[number][1])
    write_overall(folder.parent / "all", [tables])
    return folder / "report.html", tables


class Watched:
    """A page, everything it asked for, and everything it complained about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, path: Path, place: str = "") -> Page:
        self.page.goto(path.as_uri() + place)
        self.page.wait_for_selector("html[data-ready]", state="attached")
        return self.page


@pytest.fixture
def watched(browser: Browser, report: tuple[Path, Standings]) -> Iterator[Watched]:
    """No test of this file may leave a complaint or a request other than for the file itself."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    watched = Watched(context.new_page())
    yield watched
    assert watched.complaints == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in watched.requests)
    assert len([url for url in watched.requests if url.startswith("file:")]) == 1
    context.close()


def column(page: Page, number: int) -> list[str]:
    return page.locator(f"#standings tbody tr > :nth-child({number})").all_inner_texts()


def test_sorting_by_mouse_and_by_keyboard(watched: Watched, report: tuple[Path, Standings]) -> None:
    page = watched.open(report[0])
    best_first = column(page, 2)
    page.click("#standings th:has-text('Won') button")
    won = [int(text.split(words.DASH)[0]) for text in column(page, 4)]
    assert won == sorted(won, reverse=True)
    header = page.locator("#standings th", has_text="Bot")
    header.locator("button").focus()
    page.keyboard.press("Enter")
    expect(header).to_have_attribute("aria-sort", "ascending")
    names = column(page, 2)
    assert names != best_first
    page.keyboard.press("Enter")
    expect(header).to_have_attribute("aria-sort", "descending")
    assert column(page, 2) == names[::-1]
    expect(page.locator("#standings th[aria-sort]")).to_have_count(1)
    page.click("#standings th:has-text('Rank') button")
    assert column(page, 2) == best_first


def test_a_cell_of_the_crosstable_leads_to_the_matches_of_that_pair(
    watched: Watched, report: tuple[Path, Standings]
) -> None:
    path, tables = report
    page = watched.open(path)
    page.click("#crosstable tbody tr:nth-child(1) button[data-pair='0 2']")
    rows = page.locator("#matches tbody tr")
    expect(rows).to_have_count(4)
    names = page.locator("#legend button").all_inner_texts()
    for cells in rows.all():
        seats = cells.locator("td:nth-child(2), td:nth-child(3)").all_inner_texts()
        assert sorted(seats) == sorted([names[0], names[2]])
    won = page.locator("#matches td.won", has_text=names[0]).count()
    assert won == tables.won[0, 2]
    rows.nth(1).locator("a").click()
    number = rows.nth(1).get_attribute("data-number")
    expect(page.locator("#viewer-title")).to_contain_text(f"#{number}")
    assert page.url.endswith(f"#match-{number}")
    page.click("#filters button[type=reset]")
    expect(page.locator("#match-count")).to_have_text("112 matches")


def test_stepping_through_a_replay_with_the_keys(watched: Watched, report: tuple[Path, Standings]) -> None:
    page = watched.open(report[0], "#match-1")
    shown = page.locator("#plies [aria-current]")
    expect(shown).to_have_attribute("data-ply", "0")
    board = page.locator("#board svg")
    first = board.get_attribute("aria-label")
    page.keyboard.press("ArrowRight")
    expect(shown).to_have_attribute("data-ply", "1")
    assert board.get_attribute("aria-label") != first
    expect(page.locator("#board .changed")).to_have_count(2)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(shown).to_have_attribute("data-ply", "1")
    page.keyboard.press("End")
    expect(page.locator("#next")).to_be_disabled()
    expect(page.locator("#said .end")).to_contain_text("won")
    last = int(shown.get_attribute("data-ply") or 0)
    assert page.url.endswith(f"#match-1-ply-{last}")
    page.keyboard.press("ArrowRight")
    expect(shown).to_have_attribute("data-ply", str(last))
    page.keyboard.press("Home")
    expect(shown).to_have_attribute("data-ply", "0")
    assert board.get_attribute("aria-label") == first


def test_playing_by_itself_and_the_slider(watched: Watched, report: tuple[Path, Standings]) -> None:
    page = watched.open(report[0], "#match-1")
    page.select_option("#speed", "80")
    page.click("#play")
    expect(page.locator("#play")).to_have_attribute("aria-label", "pause")
    expect(page.locator("#next")).to_be_disabled(timeout=60_000)
    expect(page.locator("#play")).to_have_attribute("aria-label", "play")
    page.locator("#ply-range").fill("3")
    expect(page.locator("#plies [aria-current]")).to_have_attribute("data-ply", "3")
    page.click("#plies [data-ply='5']")
    expect(page.locator("#said")).to_contain_text("Ply 5")


def test_a_link_opens_a_match_at_a_ply_and_a_fault_is_explained(
    watched: Watched, report: tuple[Path, Standings]
) -> None:
    path, tables = report
    matches = tables.matches
    number = int(matches.loc[matches["forfeit"] == "crash", "number"].iloc[0])
    page = watched.open(path, f"#match-{number}-ply-3")
    expect(page.locator("#plies [aria-current]")).to_have_attribute("data-ply", "3")
    page.keyboard.press("End")
    expect(page.locator("#said")).to_contain_text("crash")
    expect(page.locator("#said pre")).to_contain_text("IndexError")
    page.evaluate("location.hash = '#match-99999'")
    expect(page.locator("#no-replay")).to_have_text("The replay of match 99999 is not in this page.")


def test_names_are_never_code(watched: Watched, report: tuple[Path, Standings]) -> None:
    page = watched.open(report[0])
    page.on("dialog", lambda dialog: watched.complaints.append(f"dialog {dialog.message}"))
    for name in ("<script>alert(1)</script>", "[b]old[/b]"):
        expect(page.locator("#standings tbody a", has_text=name)).to_have_count(1)
        expect(page.locator("#matches td", has_text=name).first).to_be_visible()


def test_light_and_dark(watched: Watched, report: tuple[Path, Standings]) -> None:
    page = watched.open(report[0])

    def paper() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = paper()
    page.emulate_media(color_scheme="dark")
    dark = paper()
    assert dark != light
    page.click("#theme")
    assert paper() == light, "the button overrules the system"
    page.click("#theme")
    assert paper() == dark


@pytest.mark.parametrize("width", [320, 390, 768, 1600])
def test_nothing_is_wider_than_the_screen(
    watched: Watched, report: tuple[Path, Standings], width: int
) -> None:
    watched.page.set_viewport_size({"width": width, "height": 800})
    page = watched.open(report[0])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for button in page.locator(".controls button").all():
        box = button.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 40, "large enough for a thumb"


def test_everything_but_the_replays_is_there_without_scripts(
    browser: Browser, report: tuple[Path, Standings]
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report[0].as_uri())
    expect(page.locator("#standings tbody tr")).to_have_count(8)
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.locator(".theatre")).to_be_hidden()
    context.close()


def test_the_overall_page_leads_to_the_report(browser: Browser, report: tuple[Path, Standings]) -> None:
    context = browser.new_context()
    watched = Watched(context.new_page())
    watched.page.goto((report[0].parent.parent / "all" / "overall.html").as_uri())
    watched.page.click("th:has-text('Bot') button")
    watched.page.click("nav a")
    watched.page.wait_for_selector("html[data-ready]", state="attached")
    assert watched.page.url == report[0].as_uri()
    assert watched.complaints == []
    context.close()
