"""What all tests share: a loud word about what this machine lacks, since tests that need it are skipped."""

import shutil

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
    return {
        names: use
        for names, use in PROBES.items()
        if not any(shutil.which(name) or _alias(name) for name in names.split("|"))
    }


def _alias(name: str) -> str | None:
    # Debian has chromium; other systems name the same browser otherwise.
    others = {"chromium": ("chromium-browser", "google-chrome"), "go": ("/usr/local/go/bin/go",)}
    return next((found for other in others.get(name, ()) if (found := shutil.which(other))), None)


def pytest_report_header() -> list[str]:
    missing = lacking()
    if not missing:
        return ["machine: every toolchain, the sandbox and the browser are here"]
    return ["machine: NOT TESTED HERE, since the program is missing:"] + [
        f"    {names}: {use}" for names, use in missing.items()
    ]


def pytest_terminal_summary(terminalreporter) -> None:
    missing = lacking()
    if missing:
        terminalreporter.write_line(f"NOT TESTED on this machine: {', '.join(missing)}", yellow=True)
