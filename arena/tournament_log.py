"""The log of a tournament: the lines of all workers in one file, through multiprocessing-logging.

Every worker gets a queue of its own. A worker that is killed while it writes to its queue can leave that
queue locked or half written for ever; nobody else uses it, so nobody else can hang.
"""

import logging
import threading
from pathlib import Path

from multiprocessing_logging import MultiProcessingHandler, install_mp_handler

LOGGER = "arena"
_WAKE = {"levelno": logging.NOTSET}
"""A record that says nothing."""
_FORMAT = "%(asctime)s %(levelname)s %(processName)s %(message)s"


class _EveryLine(logging.Formatter):
    """Every line of a record has its time and its process, so that each can be found by itself."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line or several."""
        text = super().format(record)
        head = text[: text.index(record.message)]
        return text.replace("\n", f"\n{head}")


class _WholeLines(logging.FileHandler):
    """A file whose lines are written one at a time, also by the threads that empty the workers' queues."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record under the handler's lock: the queues' threads call this without taking it."""
        if record.levelno == _WAKE["levelno"]:
            return
        with self.lock:  # type: ignore[union-attr]  # a handler has a lock from its creation on
            super().emit(record)


class TournamentLog:
    """The open log file. The parent logs to it directly, each worker through `channel_for`."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file = _WholeLines(path, mode="a", encoding="utf-8")
        self._file.setFormatter(_EveryLine(_FORMAT))
        self._channels: dict[str, MultiProcessingHandler] = {}
        self._left: set[str] = set()
        self._logger = logging.getLogger(LOGGER)
        self._before = (self._logger.level, self._logger.propagate, self._logger.handlers[:])
        self._logger.handlers = [self._file]
        self._logger.setLevel(logging.INFO)
        self._logger.propagate = False

    def channel_for(self, worker: str) -> logging.Handler:
        """A new queue for a worker that is about to be forked; call in the parent."""
        own = logging.Logger(worker)
        own.addHandler(self._file)
        install_mp_handler(own)
        (channel,) = own.handlers
        self._channels[worker] = channel
        return channel

    def has_left(self, worker: str) -> None:
        """This worker has ended of its own accord, so its queue is whole; that makes `close` quicker."""
        self._left.add(worker)

    def close(self) -> None:
        """Write what the queues still hold, and close the file. The workers must have ended before.

        The queue of a killed worker may never come to its end: all are closed side by side, so that the
        handler's own few seconds of patience pass once and not for each of them. A handler looks five times
        a second whether it is closed; a last record wakes it. The queue of a killed worker may be locked for
        ever, so nothing is written to that.
        """
        closers = [threading.Thread(target=c.close, daemon=True) for c in self._channels.values()]
        for closer in closers:
            closer.start()
        for worker in self._left:
            self._channels[worker].emit(logging.makeLogRecord(_WAKE))
        for closer in closers:
            closer.join()
        level, propagate, handlers = self._before
        self._logger.handlers = handlers
        self._logger.setLevel(level)
        self._logger.propagate = propagate
        self._file.close()


def log_to(channel: logging.Handler) -> None:
    """In a forked worker: send everything logged by the arena through this channel and nowhere else."""
    logger = logging.getLogger(LOGGER)
    logger.handlers = [channel]
    logger.propagate = False
