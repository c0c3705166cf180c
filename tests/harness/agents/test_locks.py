"""The locks of agents' toolboxes: versions and hashes, and no address."""

from __future__ import annotations

import json
import re
from pathlib import Path

from harness.agents._program import AgentProgram
from harness.toolbox.recipe import NodeRecipe
from tests.harness.agents.test_programs import EVERY


@EVERY
def test_a_lock_names_versions_and_hashes_and_no_address(program: AgentProgram) -> None:
    """Whoever changes what is pinned makes the lock anew (scripts/agent_locks.py)."""
    text = Path(program.recipe.lock).read_text()
    assert "://" not in text and "resolved" not in text
    if isinstance(program.recipe, NodeRecipe):
        packages = json.loads(text)["packages"]
        for package in program.recipe.packages:
            name, _, version = package.rpartition("@")
            assert packages[f"node_modules/{name}"]["version"] == version
        assert all(
            one.get("integrity", "").startswith("sha512-") for n, one in packages.items() if n
        )
        return
    locked = re.findall(
        r"(?m)^([\w.-]+==\S+)(?: ; [^\\\n]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", text
    )
    assert len(locked) == len(re.findall(r"(?m)^\S", text)), (
        "each line is a package with its hashes"
    )
    assert set(program.recipe.packages) <= {name for name, _ in locked}
    assert not {name.partition("==")[0] for name, _ in locked} & set(program.recipe.without)
