"""The command line: which trials, how many, from which seed; the table, and every defect with the line to repeat it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser("python -m faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=20, help="how many (20)")
    parser.add_argument("--corruptions", type=int, default=50, help="how many (50)")
    parser.add_argument("--disks", type=int, default=6, help="full disks (6)")
    parser.add_argument("--rights", type=int, default=None, help="rights taken away; default: each of them once")
    parser.add_argument("--crowds", type=int, default=2, help="eight processes at once (2)")
    parser.add_argument("--pictures", action="store_true", help="image_search too (torch makes its tiny CLIP: 5 s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", metavar="KIND[:N],…", help="these trials alone, e.g. kills:17")
    parser.add_argument("--lines", metavar="FILE", help="each trial as a line of JSON")
    parser.add_argument(
        "--source", metavar="DIR", default=str(ROOT), help="the clone that is put to the test; default: this"
    )
    parser.add_argument("--keep", metavar="DIR", help="leave the last trial's folder here")
    asked = parser.parse_args()
    if sys.platform in ("win32", "emscripten"):
        parser.error("it forks, so it wants a POSIX system")
    from faults.running import run_all

    return run_all(asked)


if __name__ == "__main__":
    sys.exit(main())
