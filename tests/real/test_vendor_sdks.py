"""The vendors' SDKs, whose types say where a request may bring in what a provider runs, fetches or stores."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.harness.gateway import sdk_places
from tests.harness.gateway.seal_places import leaks, undecided
from tests.real.releases import compare_releases

pytestmark = pytest.mark.real


@pytest.mark.parametrize("package", ["openai", "anthropic"])
def test_the_seal_holds_at_every_place(
    package: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    def holes(programs: Path) -> list[str]:
        command = [programs / "python", sdk_places.__file__]
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        places: list[dict[str, Any]] = json.loads(printed)
        assert {place["dialect"] for place in places} <= {"chat", "responses", "messages"}
        assert len(places) > 300
        return undecided(places) + leaks(places)

    compare_releases(request, tmp_path, package, holes, [])
