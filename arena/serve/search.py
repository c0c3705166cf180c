"""Search over a run's trajectories: the results, and the thread that indexes the rest."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any

from arena.report.details.bounds import clean
from arena.report.details.texts import texts_of
from arena.store.search import KINDS
from arena.store.store import StoreBusy, StoreUnusable

if TYPE_CHECKING:
    from arena.store.search import TextHit
    from arena.store.store import Store

# Attempts made searchable in one transaction: a sweep that writes meanwhile waits for no more.
BATCH = 25
MAX_HITS = 50
# Characters shown before and after a match.
CONTEXT_CHARS = 120


class TrajectorySearch:
    """Answers searches of a store; a thread indexes unsearchable attempts meanwhile, a run at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._working: set[str] = set()

    def answer(self, run: str, words: str, kind: str = "") -> dict[str, Any]:
        """Hits as JSON (each `attempt`, `step`, `kind`, `text`), `more`, `left`: attempts not indexed yet.

        Raises UnknownRun, and ValueError for no word or an unknown kind.
        """
        if kind and kind not in KINDS:
            raise ValueError(f"kind: {kind[:40]!r} is none of {', '.join(KINDS)}")
        id_ = self._store.run(run).id
        kinds = (kind,) if kind else KINDS
        matches, unindexed = self._store.search(id_, words[:400], kinds, MAX_HITS + 1)
        self._begin(id_)
        hits = [_describe_hit(hit, words) for hit in matches[:MAX_HITS]]
        return {"found": hits, "more": len(matches) > MAX_HITS, "left": unindexed}

    def _begin(self, run: str) -> None:
        with self._lock:
            if run in self._working:
                return
            self._working.add(run)
        # Not waited for when the server ends: the next search indexes what is left.
        threading.Thread(target=self._work, args=(run,), daemon=True).start()

    def _work(self, run: str) -> None:
        try:
            while self._store.index(run, lambda attempt: texts_of(self._store, attempt), BATCH):
                pass
        except (StoreBusy, StoreUnusable, OSError):
            return  # also a store that can only be read; each search says how many are left
        finally:
            with self._lock:
                self._working.discard(run)


def _describe_hit(hit: TextHit, words: str) -> dict[str, Any]:
    first = re.search("|".join(map(re.escape, re.findall(r"[^\W_]+", words))), hit.text, re.I)
    middle = first.start() if first else 0
    start, end = max(0, middle - CONTEXT_CHARS), middle + CONTEXT_CHARS
    text = f"{'…' if start else ''}{hit.text[start:end]}{'…' if end < len(hit.text) else ''}"
    return {**vars(hit), "text": clean(text)}
