"""Tries to reach the listeners it is told of: TCP, UDP, IPv6, an abstract and an ordinary Unix socket."""

import json
import os
import socket

told = json.loads(os.environ["LISTENERS"])


def attempt(name, family, kind, address):
    try:
        with socket.socket(family, kind) as out:
            out.settimeout(2)
            out.connect(address)
            out.send(b"hello")
            print("CONNECTED", name)
    except OSError as error:
        print("refused:", name, error)


attempt("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", told["tcp"]))
attempt("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", told["udp"]))
attempt("ipv6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", told["tcp"]))
attempt("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\0" + told["abstract"])
attempt("unix", socket.AF_UNIX, socket.SOCK_STREAM, told["unix"])
for name, family in (("netlink", 16), ("packet", 17), ("vsock", 40), ("crypto", 38)):
    try:
        socket.socket(family, socket.SOCK_DGRAM).close()
        print("OPENED", name)
    except OSError as error:
        print("refused:", name, error)
print("done", flush=True)
