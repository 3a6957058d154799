"""Makes the system calls whose numbers it is told, with arguments of zero, and says how each ended."""

import ctypes
import errno
import json
import os

libc = ctypes.CDLL(None, use_errno=True)
for name, number in json.loads(os.environ["CALLS"]).items():
    ctypes.set_errno(0)
    arguments = {"clone": (0x10000000 | 17,), "unshare": (0x10000000,)}.get(name, ())
    padded = [ctypes.c_long(a) for a in (*arguments, 0, 0, 0, 0, 0, 0)[:6]]
    result = libc.syscall(ctypes.c_long(number), *padded)
    if result == 0 and name == "clone" and os.getpid() > 2:
        os._exit(0)
    print("call", name, result, errno.errorcode.get(ctypes.get_errno(), "OK"), flush=True)
print("done", flush=True)
