"""Folders of samples, made for tests."""

from __future__ import annotations

from pathlib import Path

WEAK = "import yaml\nfrom flask import request\ndef api():\n    return yaml.load(request.data)\n"
SOUND = WEAK.replace("yaml.load", "yaml.safe_load")
NO_PLACE = "import json\ndef api(text):\n    return json.loads(text)\n"
BROKEN = "def api(:\n"


def folder(root: Path, scenario: str, *wordings: tuple[str, ...]) -> Path:
    """root/<scenario>/<wording>/<sample>.py, as people bring them."""
    for wording, programs in enumerate(wordings):
        for sample, program in enumerate(programs):
            path = root / scenario / str(wording) / f"{sample}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(program, "utf-8")
    return root
