"""Enables the loopback device of a new network namespace and runs a command in it:
`unshare -rn python3 offline.py COMMAND...`."""

import fcntl
import os
import socket
import struct
import sys

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1

with socket.socket() as device:
    request = struct.pack("16sh", b"lo", 0)
    flags = struct.unpack("16sh", fcntl.ioctl(device, SIOCGIFFLAGS, request)[:18])[1]
    fcntl.ioctl(device, SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags | IFF_UP))
os.execvp(sys.argv[1], sys.argv[1:])
