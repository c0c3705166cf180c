"""Drivers, which run with an agent's own Python."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "path",
    sorted((Path(__file__).parents[3] / "harness/agents").glob("_*_driver.py")),
    ids=lambda p: p.name,
)
def test_drivers_need_nothing_but_the_standard_library(path: Path) -> None:
    tree = ast.parse(path.read_text())
    imported = {
        a.name.partition(".")[0]
        for n in ast.walk(tree)
        if isinstance(n, ast.Import)
        for a in n.names
    }
    imported |= {
        (n.module or "").partition(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)
    }
    assert imported <= set(sys.stdlib_module_names)


def test_the_driver_of_swe_agent_copies_its_tools_without_pip(tmp_path: Path) -> None:
    driver = importlib.import_module("harness.agents._swe_agent_driver")
    tools = tmp_path / "tools"
    for name, text in {
        "edit_anthropic/install.sh": "pip install tree-sitter",
        "edit_anthropic/bin/edit": "#!/usr/bin/env python3\nprint('edited')\n",
        "search/bin/find": "#!/bin/sh\n",
    }.items():
        (tools / name).parent.mkdir(parents=True, exist_ok=True)
        (tools / name).write_text(text)
        (tools / name).chmod(0o444)
    driver.copy_bundles(tools, tmp_path / "copy")
    assert (tmp_path / "copy/edit_anthropic/install.sh").read_text() == ""
    assert (tmp_path / "copy/search/bin/find").read_text() == "#!/bin/sh\n"
    tool = tmp_path / "copy/edit_anthropic/bin/edit"
    tool.chmod(0o755)
    run = subprocess.run([tool], capture_output=True, text=True, check=True, env={"PATH": ""})
    assert run.stdout == "edited\n"
