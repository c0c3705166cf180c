"""What an image is made of is told by labels, which count only for the very image that they name."""

from __future__ import annotations

from typing import Any

import pytest

from images.content import ImageContent, content_of, is_own_name

NAME = "arena/oss-fuzz/brook:0123456789abcdef0123456789abcdef"
LABELS = {"io.arena.name": NAME, "io.arena.versions": "1f"}


def image(tags: list[str] | None, labels: dict[str, str] | None) -> dict[str, Any]:
    return {"Id": "sha256:77", "RepoTags": tags, "Config": {"Labels": labels}}


@pytest.mark.parametrize(
    ("tags", "labels", "content"),
    [
        ([NAME], LABELS, ImageContent(NAME, "1f")),
        (["mine:1", NAME], LABELS, ImageContent(NAME, "1f")),
        ([f"localhost/{NAME}"], LABELS, ImageContent(NAME, "1f")),  # Podman
        # made FROM one of ours: the labels are another image's
        (["mine:1"], LABELS, ImageContent("sha256:77")),
        ([], LABELS, ImageContent("sha256:77")),
        (None, LABELS, ImageContent("sha256:77")),
        ([NAME], None, ImageContent("sha256:77")),
        # a tag that is no digest says nothing of the content
        (["arena/env:latest"], {"io.arena.name": "arena/env:latest"}, ImageContent("sha256:77")),
    ],
)
def test_labels_count_for_the_image_that_they_name(
    tags: list[str] | None, labels: dict[str, str] | None, content: ImageContent
) -> None:
    assert content_of(image(tags, labels)) == content


def test_results_are_filed_under_the_name_and_the_versions() -> None:
    assert ImageContent("sha256:77").digest == "sha256:77"
    digests = {ImageContent(*one).digest for one in (("a", "1"), ("a", "2"), ("b", "1"))}
    assert len(digests) == 3 and "a" not in digests


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("arena/cpp", True),
        ("docker.io/arena/cpp:1", True),
        ("index.docker.io/arena/cpp", True),
        ("localhost/arena/cpp", True),
        ("gcr.io/arena/cpp", False),
        ("arenas/cpp", False),
        ("n132/arvo:1-vul", False),
    ],
)
def test_which_names_no_registry_is_asked_for(name: str, own: bool) -> None:
    assert is_own_name(name) == own
