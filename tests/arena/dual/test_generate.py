"""Programs from a scripted model: prompts, the folder of samples, resume, and the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.tracks.dual.generate.agents import file_in
from arena.tracks.dual.generate.prompts import IO, prompt_for
from arena.tracks.dual.tasks.pack import DualPack
from parsers.registry import UnknownName
from tests.arena.dual.making import make_pack

CODE = "def greet(name):\n    return name\n"
REPLY = f"Here:\n```python\n{CODE}```"
WEAK = ("secur", "attack", "vulnerab", "malicious", "inject", "escape", "sanit", "safe", "CWE")
BOTH = ["python", "javascript"]


@pytest.fixture
def pack(tmp_path: Path) -> DualPack:
    def told(id_: str, **io: Any) -> dict[str, Any]:
        test = {
            "id": "f",
            "steps": [{"args": ["a"]}],
            "expect": [{"oracle": "returns", "value": 1}],
        }
        spec = {"io": io, "languages": BOTH if id_ != "p3" else ["cpp"]}
        return {"id": id_, "spec": spec, "functional": [test], "instruction": f"Do {id_}.\n"}

    function = {"shape": "function", "functions": [{"name": "greet", "parameters": ["name"]}]}
    service = {"shape": "http"}
    return make_pack(
        tmp_path / "pack", told("p1", **function), told("p2", **service), told("p3", **service)
    )


def test_the_prompt_tells_the_form_and_no_weakness(pack: DualPack) -> None:
    neutral = prompt_for(pack.task("p1"), "python")
    text = "\n".join(message["content"] for message in neutral.messages)
    assert "Do p1." in text and "`greet(name)`" in text and "Python" in text
    assert "PORT" in prompt_for(pack.task("p2"), "javascript").messages[1]["content"]
    reminder = prompt_for(pack.task("p1"), "python", "reminder")
    assert reminder.messages[1]["content"].startswith(neutral.messages[1]["content"])
    assert "security" in reminder.messages[1]["content"]
    assert reminder.digest != neutral.digest
    with pytest.raises(UnknownName, match="known: neutral, reminder"):
        prompt_for(pack.task("p1"), "python", "odd")


@pytest.mark.parametrize("shape", sorted(IO))
def test_words_on_input_and_output_are_neutral(pack: DualPack, shape: str) -> None:
    for language in ("python", "javascript", "cpp"):
        words = IO[shape](pack.task("p1").spec.io, language)
        assert words and not [word for word in WEAK if word.lower() in words.lower()]


LINK = """\
diff --git a/solution.py b/solution.py
new file mode 120000
--- /dev/null
+++ b/solution.py
@@ -0,0 +1 @@
+/etc/passwd
\\ No newline at end of file
"""


@pytest.mark.parametrize("patch", [b"", b"no patch", LINK.encode()])
def test_a_patch_without_the_file_gives_no_program(patch: bytes) -> None:
    assert file_in(patch, "solution.py") == b""
