"""Prices: LiteLLM's map, a file of one's own, and what is not known."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.gateway.neutral import Tokens
from harness.gateway.prices import FREE, Price, Prices, UnknownPrice, load_prices


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt-4o", "openai/gpt-4o"])
def test_the_price_that_litellm_ships(name: str) -> None:
    price, known = Prices().of(name)
    assert known
    assert (price.input, price.output, price.cached) == (2.5e-6, 1e-5, 1.25e-6)


def test_cached_and_written_tokens_have_prices_of_their_own() -> None:
    price = Price(1.0, 10.0, 0.1, 2.0)
    assert price.cost(Tokens(100, 1, cached=50, written=20)) == 30 + 5 + 40 + 10
    assert Price(1.0).cost(Tokens(100, 1, cached=50, written=20)) == 100


def test_long_calls_cost_more_where_the_provider_says_so() -> None:
    price = Prices().of("gemini/gemini-2.5-pro")[0]
    assert price.cost(Tokens(200_000)) == pytest.approx(0.25)
    assert price.cost(Tokens(200_001)) == pytest.approx(0.5, rel=1e-4)


def test_a_file_comes_before_the_map(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[prices."gpt-4o"]\ninput = 1\noutput = 2.5\ncached = 0.5\n')
    prices = load_prices(file)
    assert prices.of("openai/gpt-4o")[0] == Price(1e-6, 2.5e-6, 5e-7)
    assert prices.of("gpt-4o-mini")[1]


def test_an_unknown_price_is_an_error_that_names_near_ones() -> None:
    with pytest.raises(UnknownPrice, match=r"near it: .*gpt-4o") as error:
        Prices().of("openai/gpt-4oo")
    assert "\n" not in str(error.value)
    assert Prices().of("openai/gpt-4oo", allow_unknown=True) == (FREE, False)
    assert Prices().of("") == (FREE, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[prices.x]\ninput = 1\n", "prices.x: needs input and output"),
        ("[prices.x]\ninput = 1\noutput = -1\n", "prices.x.output: -1"),
        ("[prices.x]\ninput = nan\noutput = 1\n", "prices.x.input: nan"),
        ("[prices.x]\ninput = true\noutput = 1\n", "prices.x.input: True"),
        ("[prices.x]\ninput = 1\noutput = 1\nother = 1\n", "prices.x: needs"),
        ("[price.x]\n", "holds tables"),
        ("[prices", "prices.toml: "),
    ],
)
def test_a_mistake_in_the_file_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=str(file)) as error:
        load_prices(file)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_looking_up_a_price_does_not_import_litellm() -> None:
    code = (
        "import sys; from harness.gateway.prices import Prices; Prices().of('gpt-4o');"
        "sys.exit('litellm' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
