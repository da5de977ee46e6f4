"""Runs a command and writes what it took: from a small process, since a peak of memory begins at that of the parent.

    python benchmarks/launched.py FILE COMMAND [ARGUMENT …]

FILE receives the time of day at its start, its seconds, peak memory in KiB and exit status. (Linux keeps a process's
peak over exec, so a command started by a benchmark that holds a gigabyte would seem to take one.)
"""

import os
import sys
import time

file, *line = sys.argv[1:]
began, start = time.time(), time.perf_counter()
pid = os.posix_spawn(line[0], line, os.environ)
_, status, usage = os.wait4(pid, 0)
seconds = time.perf_counter() - start
with open(file, "w", encoding="utf-8") as out:
    out.write(f"{began} {seconds} {usage.ru_maxrss} {os.waitstatus_to_exitcode(status)}")
