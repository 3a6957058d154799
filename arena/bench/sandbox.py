"""What a sandbox costs: the start of a bot, and a line there and back."""

from collections.abc import Callable, Iterator

from arena.bench import Bench, Row, interleaved, row
from arena.bot import Bot
from arena.doctor import Talk, echoing_bot, start_and_talk
from arena.sandbox import Basic, Caps, Off, Sandbox
from arena.sandbox.choice import choose


def measure(repetitions: int) -> Iterator[Row | str]:
    """Rows for a plain start, the limits alone, and the sandboxes that work here."""
    sandboxes: dict[str, Sandbox] = {"off": Off(), "basic": Basic()}
    for kind in ("landlock", "bwrap"):
        try:
            sandboxes[kind] = choose(kind, Caps()).sandbox
        except ValueError as error:
            yield str(error)
    with echoing_bot() as bot:
        subjects = {name: _talk(each, bot) for name, each in sandboxes.items()}
        found = interleaved(subjects, repetitions)
    for name, figures in found.items():
        yield row(f"start, {name}", "ms", [figure.start_ms for figure in figures])
    for name, figures in found.items():
        yield row(f"round trip, {name}", "µs", [figure.round_trip_us for figure in figures])


def _talk(sandbox: Sandbox, bot: Bot) -> Callable[[int], Talk]:
    return lambda _: start_and_talk(sandbox, bot)


BENCH = Bench(
    title="sandbox: from the start of a program to its first reply, and one line there and back",
    help="""Time what each sandbox adds to the start of a bot and to a reply.

    The bot is cat, which repeats every line. The sandboxes take turns, so that whatever else the machine does
    disturbs all of them alike.

    \b
    Example:
      arena bench sandbox --repetitions 50
    """,
    measure=measure,
    repetitions=25,
)
