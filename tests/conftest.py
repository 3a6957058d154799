"""What all tests share: a loud word about what this machine lacks, since tests that need it are skipped."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from arena.sandbox.choice import bwrap_problem, landlock_problem

PROBES = {
    "bwrap": "the sandbox of separate namespaces",
    "chromium": "the pages in a real browser",
    "gcc": "bots in C",
    "g++": "bots in C++",
    "go": "bots in Go",
    "java": "bots in Java",
    "javac": "bots in Java",
    "lua5.4|lua": "bots in Lua",
    "node": "bots in JavaScript",
    "perl": "bots in Perl",
    "php": "bots in PHP",
    "ruby": "bots in Ruby",
    "rustc": "bots in Rust",
    "tclsh": "bots in Tcl",
}
"""Programs that tests start (any one of those between bars will do), and what is not tested without them."""


def lacking() -> dict[str, str]:
    """The programs that are not here, with what goes untested."""
    missing = {
        names: use
        for names, use in PROBES.items()
        if not any(shutil.which(name) or _alias(name) for name in names.split("|"))
    }
    if "bwrap" not in missing and (problem := bwrap_problem()):
        missing["bwrap"] = f"{PROBES['bwrap']}, which is installed and does not work: {problem}"
    if problem := landlock_problem():
        missing["landlock"] = f"the sandbox where bubblewrap cannot run: {problem}"
    return missing


def _alias(name: str) -> str | None:
    # Debian has chromium; other systems name the same browser otherwise.
    others = {"chromium": ("chromium-browser", "google-chrome"), "go": ("/usr/local/go/bin/go",)}
    return next((found for other in others.get(name, ()) if (found := shutil.which(other))), None)


NOT_ABOUT_PYTHON = ("bench", "browser", "docs", "languages", "sandbox", "test_packaging.py")
"""Tests of other programs and of the machine: where tox has several interpreters, the oldest runs these."""


@cache
def older_interpreter() -> str | None:
    """An older Python that tox runs the tests with as well, by its name; None outside tox."""
    if not os.environ.get("TOX_ENV_NAME", "").startswith("py3"):
        return None
    for minor in range(11, sys.version_info.minor):
        program = shutil.which(f"python3.{minor}")
        # A shim of pyenv may be there without the interpreter behind it.
        if program and subprocess.run([program, "-c", ""], capture_output=True, check=False).returncode == 0:
            return f"python3.{minor}"
    return None


def pytest_ignore_collect(collection_path) -> bool | None:
    here = Path(__file__).parent
    if collection_path.parent == here and collection_path.name in NOT_ABOUT_PYTHON and older_interpreter():
        return True
    return None


def pytest_report_header() -> list[str]:
    if older := older_interpreter():
        return [f"machine: {', '.join(NOT_ABOUT_PYTHON)} are left to the run with {older}"]
    missing = lacking()
    if not missing:
        return ["machine: every toolchain, the sandbox and the browser are here"]
    return ["machine: NOT TESTED HERE, since the program is missing:"] + [
        f"    {names}: {use}" for names, use in missing.items()
    ]


LANGUAGES_IN_CI = 10
"""CI installs compilers and interpreters for more than these; playing fewer means that the list broke."""


def languages_played(terminalreporter) -> list[str]:
    """What tests/languages reports as properties of its tests: they cross from xdist's workers to us."""
    properties = (p for report in terminalreporter.stats.get("passed", []) for p in report.user_properties)
    return sorted({value for key, value in properties if key == "language played"})


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") != "true" or reporter is None or hasattr(session.config, "workerinput"):
        return
    kits = [
        report
        for kind in ("passed", "failed", "skipped")
        for report in reporter.stats.get(kind, [])
        if "test_kit_is_submitted_checked_and_played" in report.nodeid
    ]
    # A run of a few tests by hand is not measured by what it left out.
    if len(kits) > LANGUAGES_IN_CI and len(languages_played(reporter)) < LANGUAGES_IN_CI:
        reporter.write_line(f"\nfewer than {LANGUAGES_IN_CI} languages were played", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter) -> None:
    if found := languages_played(terminalreporter):
        terminalreporter.write_line(f"languages played: {len(found)}: {', '.join(found)}")
    missing = lacking()
    if missing:
        terminalreporter.write_line(f"NOT TESTED on this machine: {', '.join(missing)}", yellow=True)
