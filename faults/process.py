"""Commands as processes: forked from this one, which has imported everything, or cold, in a new interpreter.

Many may run at once; what they print is taken as it comes. A limit of time holds for each: whatever does not end is
killed and counts as hung.
"""

from __future__ import annotations

import importlib
import os
import selectors
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from faults.strikes import ENDINGS
from faults.world import Places

LONGEST = 30.0
"""Seconds that a command may take: some hundred times what it needs."""
Setup = Callable[[], None]


@dataclass(frozen=True)
class Command:
    """A program and its arguments; every one is asked for JSON."""

    program: str
    args: tuple[str, ...]

    @property
    def line(self) -> list[str]:
        return [*self.args, "--json"]

    def __str__(self) -> str:
        return f"{self.program} {' '.join(self.args[:2])}"


@dataclass(frozen=True)
class Done:
    """status: as a shell has it, −N for a death by signal N. hung: it had to be ended."""

    command: Command
    status: int
    out: str
    err: str
    seconds: float
    hung: bool = False


@dataclass
class Running:
    command: Command
    pid: int
    started: float
    kill_at: float | None = None
    """Seconds after its start."""
    hung: bool = False
    status: int | None = None
    ended: float = 0.0
    open: int = 2
    printed: dict[str, bytearray] = field(default_factory=lambda: {"out": bytearray(), "err": bytearray()})
    ends: dict[int, str] = field(default_factory=dict)

    @property
    def done(self) -> Done:
        out, err = (self.printed[name].decode(errors="replace") for name in ("out", "err"))
        assert self.status is not None
        return Done(self.command, self.status, out, err, self.ended - self.started, self.hung)


def forked(command: Command, places: Places, setup: Setup = lambda: None, kill_at: float | None = None) -> Running:
    """Start a command in a fork. setup: run in the child before it, its environment being the world's already."""
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    sys.stdout.flush(), sys.stderr.flush()
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        for end, own in ((out_end, 1), (err_end, 2), (os.open(os.devnull, os.O_RDONLY), 0)):
            os.dup2(end, own)
        os.closerange(3, 256)
        _become(command, places.environment, str(places.world), setup)
    for end in (out_end, err_end):
        os.close(end)
    return Running(command, pid, started, kill_at, ends={out: "out", err: "err"})


def _become(command: Command, environment: Mapping[str, str], folder: str, setup: Setup) -> None:
    """Be that command to the end, as `python PROGRAM.py ARGS` would."""
    status = 1
    try:
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, "w" if n else "r", encoding="utf-8") for n in range(3))
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        from strata.shell import execute

        module = importlib.import_module("strata.__main__" if command.program == "strata" else command.program)
        setup()
        status = execute(module.app, command.line)
        for ending in ENDINGS:
            ending()
    except KeyboardInterrupt:
        status = 130
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush(), sys.stderr.flush()
        finally:
            os._exit(status)


def cold(command: Command, places: Places, kill_at: float | None = None) -> Running:
    """Start a command as a user does, with nothing imported."""
    file = places.site / ("strata/__main__.py" if command.program == "strata" else f"{command.program}.py")
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    started = time.monotonic()
    process = subprocess.Popen([sys.executable, str(file), *command.line], env=dict(places.environment),
                               cwd=places.world, stdin=subprocess.DEVNULL, stdout=out_end, stderr=err_end)  # fmt: skip
    for end in (out_end, err_end):
        os.close(end)
    process.returncode = 0  # it is waited for here, by its number
    return Running(command, process.pid, started, kill_at, ends={out: "out", err: "err"})


def gather(running: Sequence[Running], longest: float = LONGEST) -> list[Done]:
    """Take what they print until all have ended, killing each at its time, and those that do not end."""
    with selectors.DefaultSelector() as selector:
        for one in running:
            for fd in one.ends:
                selector.register(fd, selectors.EVENT_READ, one)
        while selector.get_map():
            for key, _ in selector.select(_pause(running, longest)):
                one = key.data
                data = os.read(key.fd, 1 << 16)
                one.printed[one.ends[key.fd]] += data
                if not data:
                    selector.unregister(key.fd)
                    os.close(key.fd)
                    one.open -= 1
                    if not one.open:
                        _reap(one)
            _strike(running, longest)
    return [one.done for one in running]


def run(command: Command, places: Places, setup: Setup = lambda: None) -> Done:
    return gather([forked(command, places, setup)])[0]


def _pause(running: Sequence[Running], longest: float) -> float:
    now = time.monotonic()
    times = [one.started + (longest if one.kill_at is None else one.kill_at) - now for one in running if one.open]
    return max(0.0, min([0.5, *times]))


def _strike(running: Sequence[Running], longest: float) -> None:
    now = time.monotonic()
    for one in running:
        if not one.open:
            continue
        age = now - one.started
        if one.kill_at is not None and age >= one.kill_at:
            os.kill(one.pid, signal.SIGKILL)
            one.kill_at = None
        elif age > longest and not one.hung:
            one.hung = True
            os.kill(one.pid, signal.SIGKILL)


def _reap(one: Running) -> None:
    _, status = os.waitpid(one.pid, 0)
    one.status, one.ended = os.waitstatus_to_exitcode(status), time.monotonic()
