"""What a tournament shows while it is played: a progress bar and the scores so far, or plain lines."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from arena.results import TournamentInfo, short_names
from arena.tournament import Progress

_REFRESH_S = 0.5
"""The screen is drawn at most twice a second: drawing takes time from the bots."""
_SHOWN = 12
"""Bots in the table of scores so far."""
_PLAIN_STEPS = 10
"""Lines of progress in all when the output is no terminal."""


@contextmanager
def shown_progress(
    info: TournamentInfo, start: Progress, *, quiet: bool
) -> Iterator[Callable[[Progress], None]]:
    """Call what this gives after each result; draws to standard error and leaves the screen clean."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _live(info, start) as update:
            yield update
    else:
        yield _plain_lines(info, start)


def _plain_lines(info: TournamentInfo, start: Progress) -> Callable[[Progress], None]:
    step = max(1, (start.jobs - start.done) // _PLAIN_STEPS)
    due = start.done + step

    def update(progress: Progress) -> None:
        nonlocal due
        if progress.done >= due or progress.done == progress.jobs > due - step:
            click.echo(f"{info.id}: {progress.done} of {progress.jobs} matches", err=True)
            due = progress.done + step

    return update


@contextmanager
def _live(info: TournamentInfo, start: Progress) -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("[bold]{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    task = bar.add_task(info.game, total=start.jobs, completed=start.done)
    drawn = 0.0
    with Live(Group(bar), console=Console(stderr=True), refresh_per_second=2, transient=True) as live:

        def update(progress: Progress) -> None:
            nonlocal drawn
            now = time.monotonic()
            if now - drawn >= _REFRESH_S:
                drawn = now
                bar.update(task, completed=progress.done)
                live.update(Group(bar, _scores(info, progress)))

        yield update


def _scores(info: TournamentInfo, progress: Progress) -> Any:
    from rich.markup import escape
    from rich.table import Table

    names = short_names([bot.label for bot in info.bots])
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("score so far")
    for heading in ("W", "L", "%"):
        table.add_column(heading, justify="right")
    scored = [(progress.wins[label], progress.losses[label], label) for label in names]
    scored.sort(key=lambda s: (-s[0] / max(1, s[0] + s[1]), s[2]))
    for won, lost, label in scored[:_SHOWN]:
        share = f"{100 * won / (won + lost):.0f}" if won + lost else "-"
        table.add_row(escape(names[label]), str(won), str(lost), share)
    if len(scored) > _SHOWN:
        table.add_row(f"… and {len(scored) - _SHOWN} more", "", "", "")
    return table
