"""One file with prices and limits of models; a mistake in it is told with file and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.gateway.limits import CallLimits, load_limits
from harness.gateway.prices import load_prices

TERMS = """
[prices."a/b"]
input = 1.0
output = 4.0
[limits."a/b"]
concurrent = 2
calls_a_minute = 60
"""


def test_prices_and_limits_of_one_file(tmp_path: Path) -> None:
    path = tmp_path / "terms.toml"
    path.write_text(TERMS)
    assert load_limits(path) == {"a/b": CallLimits(concurrent=2, calls_a_minute=60)}
    assert load_prices(path).look_up_price("a/b")[0].output == 4e-6
    assert load_limits(None) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[limits.x]\nconcurrent = 0", "limits.x.concurrent: 0 is no whole number"),
        ("[limits.x]\nconcurrent = true", "limits.x.concurrent: True is no whole number"),
        ("[limits.x]\nspeed = 1", "limits.x: may have calls_a_minute, concurrent"),
        ("[limits]\nx = 1", "limits.x: may have"),
        ("limits = 1", "holds tables"),
        ("[other]", "holds tables"),
        ("", "holds tables"),
        ("[limits", "terms.toml: "),
    ],
)
def test_a_mistake_names_file_and_field(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "terms.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"terms\.toml") as caught:
        load_limits(path)
    assert said in str(caught.value) and "\n" not in str(caught.value)
