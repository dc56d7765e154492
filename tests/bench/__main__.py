"""
`python -m tests.bench` (`make bench`): the benchmarks, a JSON line each, on SQLite and, where TEST_DATABASE_URL is set,
on PostgreSQL. It talks to houses it starts on this machine's loopback, and to nothing else. `python -m tests.bench
turns` or `streams` runs only that one.
"""

from __future__ import annotations

import sys

from tests.bench import streams, turns
from tests.bench.houses import databases

MEASURES = {"turns": turns.measure, "streams": streams.measure}

if __name__ == "__main__":
    chosen = sys.argv[1:] or list(MEASURES)
    for database, url in databases():
        for name in chosen:
            MEASURES[name](database, url)
