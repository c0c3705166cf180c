"""How quick the search over trajectories is with 100,000 attempts: `python scripts/bench/search.py`.

Fills a store of its own with made-up attempts and texts (`--steps` for each), and prints one JSON object: the
seconds to put them in, the bytes of the database, and for each query what was found and the ms of an answer.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from arena.store.model import Attempt, AttemptKey, AttemptUpdate, Spent, attempt_id
from arena.store.search import StepText
from arena.store.store import Store
from harness.grade.verdict import Health, Verdict

WORDS = [f"word{n}" for n in range(5_000)]
QUERIES = {
    "of one attempt": "needle77",
    "of one in a hundred": "rare",
    "of every attempt": "make",
    "three words": "make word1 word2",
    "a beginning": "need*",
    "of none": "nowhere",
}
BATCH = 500


def texts(number: int, steps: int) -> Iterator[StepText]:
    """What a made-up agent said; the same each time."""
    draw = random.Random(number)
    for step in range(1, steps + 1):
        yield StepText(step, "command", f"make -C src/{draw.choice(WORDS)}.c && ctest")
        yield StepText(step, "result", " ".join(draw.choices(WORDS, k=60)))
    yield StepText(steps, "message", f"needle{number} {'rare' if number % 100 == 0 else 'usual'}")


def fill_store(folder: Path, attempts: int, steps: int) -> tuple[Store, float]:
    """A store with all attempts searchable, and the seconds that this took."""
    store = Store(folder)
    keys = [AttemptKey(f"task-{n // 50}", f"agent-{n % 50}") for n in range(attempts)]
    store.open_run("bench", keys, {}, "bench")
    ids = {attempt_id("bench", key): n for n, key in enumerate(keys)}
    verdict = Verdict("CV", Health.OK, "", {})
    ended = [AttemptUpdate(id_, Spent(0.1, 10, 1.0, 1), None, verdict) for id_ in ids]
    for start in range(0, attempts, BATCH):
        store.write(ended[start : start + BATCH])

    def texts_of(attempt: Attempt) -> list[StepText]:
        return list(texts(ids[attempt.id], steps))

    begun = time.perf_counter()
    while store.index("bench", texts_of, BATCH):
        pass
    return store, time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=9)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        store, took = fill_store(Path(temporary), asked.attempts, asked.steps)
        told = {
            "attempts": asked.attempts,
            "texts": asked.attempts * (2 * asked.steps + 1),
            "index_seconds": round(took, 1),
            "bytes": Path(temporary, "arena.sqlite").stat().st_size,
        }
        print(
            json.dumps(told | {n: time_query(store, q, asked.repeats) for n, q in QUERIES.items()})
        )


def time_query(store: Store, words: str, repeats: int) -> dict[str, float]:
    """What a query finds, and the median and longest ms of its answers."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        found, _ = store.search("bench", words)
        times.append(1000 * (time.perf_counter() - begun))
    median, worst = round(statistics.median(times), 1), round(max(times), 1)
    return {"found": len(found), "ms": median, "worst_ms": worst}


if __name__ == "__main__":
    main()
