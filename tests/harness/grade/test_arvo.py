"""An image in ARVO's form (`/src/<project>`, `arvo compile`, `arvo`, `/tmp/poc`) as an environment, by name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache
from harness.grade.verdict import Label
from harness.sandbox.base import Backend, ImageMissing
from tasks.loader import Task, load_pack
from tests.conftest import SMALL
from tests.mini import BASE, Mini

pytestmark = pytest.mark.docker
IMAGE = "arena/env:test-arvo"
ARVO = """\
#!/bin/sh
# Sets its own options, so that a crash shows on the output only.
case "$1" in
compile) cd /src/mini && make build/fuzz ;;
*) env -i PATH="$PATH" ASAN_OPTIONS=detect_leaks=0 /src/mini/build/fuzz /tmp/poc ;;
esac
"""


@pytest.fixture(scope="module")
def image(docker: Backend) -> Iterator[str]:
    box = docker.create(docker.resolve("arena/cpp"), SMALL)
    box.start()
    try:
        box.put({f"mini/{name}": text.encode() for name, text in BASE.items()}, "/src")
        box.put({"arvo": ARVO.encode()}, "/usr/local/bin", executable=True)
        box.put({"poc": b"twice\nabcdefgh"}, "/tmp")
        box.snapshot(IMAGE, {})
        yield IMAGE
    finally:
        box.stop()


def arvo_task(mini: Mini, image: str) -> Task:
    task = load_pack(mini.folder).tasks[0]
    spec = task.spec
    parts = {
        "source": spec.source.model_copy(update={"repository": None}),
        "environment": spec.environment.model_copy(update={"image": image}),
        "poc": spec.poc.model_copy(
            update={"build": "arvo compile", "command": "arvo", "file": None}
        ),
    }
    return Task(task.folder, spec.model_copy(update=parts))


@pytest.mark.nightly("gold is taken anew for a task of its own")
def test_labels_in_an_arvo_image(docker: Backend, mini: Mini, image: str) -> None:
    task = arvo_task(mini, image)
    grader = Grader(docker, MemoryCache())
    gold = grader.grade(task, task.solution("gold"))
    assert (gold.label, gold.evidence["poc"]["historical"]) == (Label.CV, True)
    assert gold.evidence["poc"]["via"] == "output"
    assert grader.grade(task, task.solution("fixed")).label is Label.SECURE


def test_an_image_that_is_not_to_be_had_is_one_clear_line(docker: Backend, mini: Mini) -> None:
    task = arvo_task(mini, "arena-test/no-such-image:1")
    with pytest.raises(ImageMissing, match="no-such-image"):
        Grader(docker, MemoryCache()).grade(task, task.solution("gold"))
