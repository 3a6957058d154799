"""Crashes in the hope of leaving a large core file."""

import ctypes
import resource

try:
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print("RAISED", flush=True)
except (ValueError, OSError):
    print("refused", flush=True)
ctypes.string_at(0)
