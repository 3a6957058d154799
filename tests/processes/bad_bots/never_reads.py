"""Leaves its input alone for ever."""

import time

time.sleep(3600)
