"""How fast we are on this machine. Every module of this package with a constant `BENCH` is one benchmark."""

import importlib
import pkgutil
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

Measured = TypeVar("Measured")


@dataclass(frozen=True)
class Row:
    """One figure: the median of several runs, with the smallest and the largest of them."""

    subject: str
    unit: str
    median: float
    low: float
    high: float
    runs: int
    note: str = ""
    details: Mapping[str, float] = field(default_factory=dict)
    """Other figures of the same runs, by name: medians."""


@dataclass(frozen=True)
class Bench:
    """A benchmark: `measure(repetitions, **options)` yields rows, and strings that are remarks for readers.

    `parameters` are click options of its own; their values arrive as keyword arguments.
    """

    title: str
    help: str
    """Shown by `arena bench NAME --help`: what is measured and how, with an example."""
    measure: Callable[..., Iterable[Row | str]]
    repetitions: int = 5
    parameters: tuple[Any, ...] = ()


def row(
    subject: str,
    unit: str,
    values: list[float],
    note: str = "",
    details: Mapping[str, list[float]] | None = None,
) -> Row:
    """The row for what was measured in several runs."""
    middle = {name: statistics.median(others) for name, others in (details or {}).items()}
    low, high = min(values), max(values)
    return Row(subject, unit, statistics.median(values), low, high, len(values), note, middle)


def interleaved(
    subjects: Mapping[str, Callable[[int], Measured]], repetitions: int
) -> dict[str, list[Measured]]:
    """Measure each subject once per round: whatever disturbs the machine for a while disturbs all of them.

    The number of the round is handed over, as a seed; the first round warms up and is not counted.
    """
    found: dict[str, list[Measured]] = {name: [] for name in subjects}
    for number in range(repetitions + 1):
        for name, measure in subjects.items():
            value = measure(number)
            if number:
                found[name].append(value)
    return found


def bench_names() -> list[str]:
    """Names of all benchmarks, sorted; none is imported for this."""
    return sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(__path__) if m.name[0] != "_")


def load_bench(name: str) -> Bench:
    """The benchmark of this name; KeyError for an unknown one."""
    if name not in bench_names():
        raise KeyError(name)
    bench: Bench = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").BENCH
    return bench


def run(bench: Bench, repetitions: int | None = None, **options: Any) -> Iterator[Row | str]:
    """Measure; rows come as soon as they are known."""
    yield from bench.measure(repetitions or bench.repetitions, **options)
