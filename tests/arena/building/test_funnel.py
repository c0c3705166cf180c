"""What became of all cases, as counts, as text and as a picture."""

from __future__ import annotations

from arena.building.funnel import CaseProgress, funnel, text
from arena.building.picture import picture


def test_the_funnel_of_each_project_and_the_tasks_that_wait() -> None:
    waiting = CaseProgress("a", "p", confirmed=True, task="t", held=True, review=True, builds=3)
    waiting.lose("review", "a draft")
    counts = funnel([waiting, CaseProgress("b", "q", lost="incomplete")])
    assert counts["tasks"] == [{"task": "t", "case": "a", "checked": False, "review": True}]
    assert counts["losses"] == {"review": 1, "incomplete": 1}
    assert counts["projects"]["p"]["held"] == 1 and counts["projects"]["p"]["builds"] == 3
    assert counts["projects"]["q"]["listed"] == 1 and counts["projects"]["q"]["confirmed"] == 0
    assert any(line.startswith("p ") for line in text(counts))


def test_the_picture_shows_each_loss_and_runs_nothing_of_a_case() -> None:
    hostile = "<script>alert(1)</script>"
    lost = CaseProgress(
        "a" + hostile, complete=True, lost="not-reproduced", reason=hostile + "\x1b[2J"
    )
    page = picture(funnel([lost, CaseProgress("b", lost="incomplete")]))
    assert "<script" not in page and "\x1b" not in page and "&lt;script&gt;" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert "the PoC does not crash" in page and page.count('class="bar"') == 9
    assert "From 0 case(s) to 0 task(s)" in picture(funnel([]))
