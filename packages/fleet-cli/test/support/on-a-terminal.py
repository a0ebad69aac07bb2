"""Runs a command on a terminal of its own: on-a-terminal.py ROWS COLUMNS COMMAND...

What the terminal shows goes to stdout as it is. Lines on stdin are told to it: `press HEX` types
bytes, `resize ROWS COLUMNS` changes its size. Ends as the command does.
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios


def set_size(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


master, slave = pty.openpty()
set_size(slave, int(sys.argv[1]), int(sys.argv[2]))
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2):
        os.dup2(slave, fd)
    os.closerange(3, 64)
    os.execvp(sys.argv[3], sys.argv[3:])
os.close(slave)
told = b""
sources = [master, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if master in ready:
        try:
            shown = os.read(master, 65536)
        except OSError:
            shown = b""
        if not shown:
            break
        os.write(1, shown)
    if 0 in ready:
        part = os.read(0, 4096)
        if not part:
            sources.remove(0)
        told += part
        while b"\n" in told:
            line, told = told.split(b"\n", 1)
            word, *rest = line.decode().split()
            if word == "press":
                os.write(master, bytes.fromhex(rest[0]))
            elif word == "resize":
                set_size(master, int(rest[0]), int(rest[1]))
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) % 256)
