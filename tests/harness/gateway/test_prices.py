"""Prices: LiteLLM's map, a file of the user's, and names without a price."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway import prices
from harness.gateway.neutral import Tokens
from harness.gateway.price import FREE, Price
from harness.gateway.price_table import load_table, table_facts
from harness.gateway.prices import Prices, UnknownPrice, load_prices


def entry(usd: float | None, **more: Any) -> dict[str, Any]:
    """An entry of LiteLLM's map with a price of input, which tells the entries apart."""
    return {"input_cost_per_token": usd, **more}


MAP = {
    "gpt-4o": entry(1.0),
    "azure/gpt-4o": entry(2.0),
    "eu/azure/gpt-4o": entry(3.0),
    "openrouter/maker/large": entry(4.0),
    "maker/small": entry(5.0),
    "maker/large": entry(6.0),
    "gift": entry(0.0),
    "maker/painter": {"mode": "image_generation"},
    "painter": entry(7.0),
}


@pytest.fixture
def small_map(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prices, "load_table", lambda: MAP)


def test_the_price_that_litellm_ships() -> None:
    price, known = Prices().look_up_price("gpt-4o")
    assert ((price, known), True) == (Prices().look_up_price("openai/gpt-4o"), known)
    assert (price.input, price.output, price.cached) == (2.5e-6, 1e-5, 1.25e-6)
    assert all(type(row) is dict for row in load_table().values())


def test_the_map_is_a_file_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model_prices_and_context_window_backup.json"
    file.write_text('{"m": {"input_cost_per_token": 1}, "note": "text", "list": []}')
    spec = ModuleSpec("litellm", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", {"litellm": spec}.get)
    assert load_table.__wrapped__() == {"m": {"input_cost_per_token": 1}}
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "1.2")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    facts = table_facts.__wrapped__()
    assert (facts.version, facts.digest) == ("1.2", digest[:12])
    assert str(facts) == f"LiteLLM 1.2 ({digest[:12]}), read {facts.day}"


@pytest.mark.parametrize("spec", [None, ModuleSpec("litellm", None)])
def test_without_litellm_there_are_no_prices(
    spec: ModuleSpec | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    monkeypatch.setattr(prices, "load_table", load_table.__wrapped__)
    with pytest.raises(UnknownPrice) as error:
        Prices().look_up_price("m")
    assert str(error.value) == "LiteLLM, whose package holds the prices, is not installed"


def test_looking_up_a_price_does_not_import_litellm() -> None:
    code = (
        "import sys; from harness.gateway.prices import Prices; Prices().look_up_price('gpt-4o');"
        "sys.exit('litellm' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


LONG = Price(1.0, 10.0, steps=((100, Price(2.0, 20.0, 0.5)), (200, Price(3.0, 30.0))))


@pytest.mark.parametrize(
    ("price", "tokens", "usd"),
    [
        (FREE, Tokens(100, 100, cached=10, written=10), 0.0),
        (Price(1.0, 10.0, 0.5, 2.0), Tokens(100, 1, cached=50, written=20), 30 + 25 + 40 + 10),
        (Price(1.0, 10.0, 0.0, 0.0), Tokens(100, 1, cached=50, written=20), 30 + 10),
        (Price(1.0, 10.0, cached=0.5), Tokens(100, 0, cached=50, written=20), 30 + 25 + 20),
        (Price(1.0, 10.0, written=2.0), Tokens(100, 0, cached=50, written=20), 30 + 50 + 40),
        (Price(1.0, 10.0), Tokens(0, 3, reasoning=2), 30.0),
        (Price(1.0, 10.0, 0.5), Tokens(10, 0, cached=10), 5.0),
        (Price(1.0, 10.0, 0.5), Tokens(10, 0, cached=50), 25.0),
        (LONG, Tokens(100, 1), 110.0),
        (LONG, Tokens(101, 1), 222.0),
        (LONG, Tokens(101, 1, cached=1), 220.5),
        (LONG, Tokens(200, 1), 420.0),
        (LONG, Tokens(201, 1), 633.0),
        (Price(1.0, 10.0, reasoning=40.0), Tokens(0, 5, reasoning=3), 20 + 120),
        (Price(1.0, 10.0, reasoning=0.0), Tokens(0, 5, reasoning=3), 20.0),
        (Price(1.0, written=2.0, written_hour=4.0), Tokens(9, written=9, written_hour=4), 10 + 16),
        (Price(1.0, written=2.0), Tokens(9, written=9, written_hour=4), 18.0),
        (Price(1.0, written_hour=4.0), Tokens(9, written=9, written_hour=4), 5 + 16),
        (Price(1.0, 2.0, request=5.0), Tokens(1, 1), 8.0),
    ],
)
def test_the_cost_of_a_call(price: Price, tokens: Tokens, usd: float) -> None:
    assert price.cost(tokens) == usd


@given(*(st.integers(0, 10**6) for _ in range(4)))
def test_cached_and_written_tokens_cost_what_input_costs(
    plain: int, cached: int, written: int, output: int
) -> None:
    tokens = Tokens(plain + cached + written, output, cached, written)
    assert Price(3.0, 7.0).cost(tokens) == 3 * tokens.input + 7 * output


@pytest.mark.usefixtures("small_map")
@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("gpt-4o", 1.0),
        ("azure/gpt-4o", 2.0),
        ("eu/azure/gpt-4o", 3.0),
        ("us/azure/gpt-4o", 2.0),
        ("a/b/c/gpt-4o", 1.0),
        ("openrouter/maker/large", 4.0),
        ("router/maker/large", 6.0),
        ("x/openrouter/maker/small", 5.0),
        ("maker/painter", 7.0),
        ("gift", 0.0),
        ("", 0.0),
    ],
)
def test_a_name_is_looked_up_whole_and_then_without_its_leading_parts(
    model: str, usd: float
) -> None:
    assert (
        Prices().look_up_price(model)
        == Prices().look_up_price(model, allow_unknown=True)
        == (Price(usd), True)
    )


@pytest.mark.usefixtures("small_map")
@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("gpt-4o", 10.0),
        ("eu/azure/gpt-4o", 10.0),
        ("maker/small", 20.0),
        ("openrouter/maker/small", 20.0),
        ("maker/large", 6.0),
        ("small", 30.0),
    ],
)
def test_prices_of_the_user_come_before_the_map(model: str, usd: float) -> None:
    table = {"gpt-4o": Price(10.0), "small": Price(30.0), "maker/small": Price(20.0)}
    assert Prices(table).look_up_price(model) == (Price(usd), True)


@pytest.mark.usefixtures("small_map")
@pytest.mark.parametrize(
    ("model", "near"),
    [
        ("gpt-4oo", "; near it: gpt-4o, azure/gpt-4o"),
        ("my-provider/of-models/gpt-4oo", "; near it: gpt-4o, azure/gpt-4o"),
        ("openrouter/maker/small", "; near it: openrouter/maker/large, maker/small"),
        ("openrouter/small", "; near it: openrouter/maker/large"),
        ("maker/smal", "; near it: maker/small, maker/large"),
        ("cohort-1", "; near it: cohort-12, cohort-123, cohort-1234"),
        ("zzz/of-the-far-east/yyy/cohort-1", "; near it: cohort-12, cohort-123, cohort-1234"),
        ("paint", "; near it: painter"),
        ("nothing-like-it", ""),
    ],
)
def test_an_unknown_price_is_an_error_that_names_near_models(model: str, near: str) -> None:
    table = Prices({f"cohort-{number}": Price(1.0) for number in (12, 123, 1234, 12345)})
    with pytest.raises(UnknownPrice) as error:
        table.look_up_price(model)
    assert str(error.value) == (
        f"no price is known for model '{model}'{near}; give one with --prices FILE, "
        "or allow it with --allow-unknown-price"
    )
    assert table.look_up_price(model, allow_unknown=True) == (FREE, False)


def test_near_models_of_the_same_provider_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {
        "large": entry(1.0, litellm_provider="maker"),
        "maker/tiny": entry(2.0, litellm_provider="maker"),
        "other/eu/larg-2": entry(3.0, litellm_provider="other"),
    }
    monkeypatch.setattr(prices, "load_table", lambda: table)
    with pytest.raises(UnknownPrice, match="; near it: maker/large;"):
        Prices().look_up_price("maker/eu/larg")
    with pytest.raises(UnknownPrice, match="; near it: maker/tiny, maker/large;"):
        Prices().look_up_price("maker/tin")


@pytest.mark.usefixtures("small_map")
def test_a_price_names_its_source() -> None:
    table = Prices({"small": Price(1.0), "script": Price(2.0), "script:x.py": Price(3.0)})
    users_file = "the user's file"
    assert table.look_up_price("maker/small")[0].source == users_file
    assert table.look_up_model_price("script:y.py", "")[0].source == users_file
    priced_by_file, is_exact = table.look_up_model_price("script:x.py", "")
    assert (priced_by_file.source, is_exact) == (users_file, True)
    assert table.look_up_price("gpt-4o")[0].source == str(table_facts())


@pytest.mark.usefixtures("small_map")
@pytest.mark.parametrize(
    ("text", "name", "price"),
    [
        ("azure/gpt-4o", "gpt-4o", (Price(1.0), True)),
        ("script:gpt-4o", "gift", (FREE, True)),
        ("script:dir:x.py", "", (Price(8.0), True)),
        ("script", "", (Price(8.0), True)),
        ("replay:gpt-4o", "", (FREE, False)),
        ("", "", (FREE, True)),
    ],
)
def test_a_script_or_a_replay_is_billed_only_by_a_price_of_the_user(
    text: str, name: str, price: tuple[Price, bool]
) -> None:
    assert Prices({"script": Price(8.0)}).look_up_model_price(text, name) == price


@pytest.mark.usefixtures("small_map")
def test_scripts_have_prices_of_their_own_by_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("cheap.toml", "dear.toml"):
        (tmp_path / name).touch()
    file = tmp_path / "prices.toml"
    row = "input = {0}\noutput = {0}\n"
    file.write_text(
        f'[prices."script:cheap.toml"]\n{row.format(1)}'
        f'[prices."script:{tmp_path}/dear.toml"]\n{row.format(20)}'
        f'[prices."script:hello"]\n{row.format(3)}'
    )
    prices = load_prices(file)
    monkeypatch.chdir(tmp_path)
    for text, usd in {
        "script:cheap.toml": 1e-6,  # as `arena run` names it
        f"script:{tmp_path}/cheap.toml": 1e-6,  # as a sweep does
        "script:dear.toml": 20e-6,
        "script:hello": 3e-6,
        "script:other.toml": 0.0,
    }.items():
        assert prices.look_up_model_price(text, "")[0].input == usd, text


@pytest.mark.usefixtures("small_map")
def test_a_price_of_no_model_is_named(tmp_path: Path) -> None:
    prices = Prices(
        dict.fromkeys(("a/b", "openai/does-not-exist", "gpt-4o", "script:chaep.toml"), FREE)
    )
    assert prices.find_unused(["x/a/b", "script:cheap.toml"]) == [
        "openai/does-not-exist",
        "script:chaep.toml",
    ]
    assert load_prices().find_unused(["a/b"]) == []


def test_a_name_without_a_file_is_not_looked_up_as_one() -> None:
    prices = Prices({f"script:{Path.cwd()}": Price(8.0), "script:dir:x.py": FREE})
    assert prices.look_up_model_price("script", "") == (FREE, False)
    assert prices.find_unused(["script", "script:dir:x.py"]) == [f"script:{Path.cwd()}"]
    assert Prices({"script": FREE}).find_unused(["script:dir:x.py"]) == []


def test_only_a_file_beside_the_prices_gets_its_path(tmp_path: Path) -> None:
    (tmp_path / "dir:x.py").touch()
    file = tmp_path / "prices.toml"
    names = ["script:dir:x.py", "script:elsewhere.py", "script:"]
    file.write_text("".join(f'[prices."{name}"]\ninput = 1\noutput = 1\n' for name in names))
    beside = f"script:{tmp_path.resolve()}/dir:x.py"
    assert load_prices(file).find_unused([]) == [beside, "script:elsewhere.py", "script:"]


def test_a_file_may_state_every_price(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    rows = "".join(f"{name} = {usd}\n" for usd, name in enumerate(prices.USER_FIELDS, 1))
    file.write_text(f"[prices.x]\n{rows}")
    millionths = (1e-6, 2e-6, 3e-6, 4e-6, 5e-6, 6e-6)
    assert load_prices(file).look_up_price("x") == (Price(*millionths), True)


@pytest.mark.usefixtures("small_map")
def test_the_model_that_a_call_is_billed_as_must_have_a_price() -> None:
    with pytest.raises(UnknownPrice):
        Prices().look_up_model_price("script:x", "nothing-like-it")
    assert Prices().look_up_model_price("gpt-4o", "nothing-like-it", True) == (FREE, False)
    assert not Prices().look_up_model_price("gpt-4o", "nothing-like-it", True)[0].is_known
    assert Prices().look_up_model_price("replay:gpt-4o", "")[0].is_known, "a replay costs nothing"


@pytest.mark.usefixtures("small_map")
def test_a_file_has_prices_for_a_million_tokens(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(
        '[prices."gpt-4o"]\ninput = 1\noutput = 2.5\ncached = 0.5\nwritten = 1.25\n'
        '[prices."a/b"]\ninput = 0\noutput = 0\n'
    )
    table = load_prices(file)
    assert table.look_up_price("openai/gpt-4o") == (Price(1e-6, 2.5e-6, 5e-7, 1.25e-6), True)
    assert table.look_up_price("a/b") == (Price(0.0, 0.0, None, None), True)
    assert (
        table.look_up_price("maker/small")
        == load_prices().look_up_price("maker/small")
        == (Price(5.0), True)
    )
    assert load_prices().look_up_price("gpt-4o") == (Price(1.0), True)


NEEDS = "prices.x: needs input and output, and may have cached, written, written_hour, reasoning"
NO_PRICE = "is no price in USD per million tokens"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[prices.x]\ninput = 1\n", NEEDS),
        ("[prices.x]\noutput = 1\ncached = 1\n", NEEDS),
        ("[prices.x]\ninput = 1\noutput = 1\nother = 1\n", NEEDS),
        ("[prices]\nx = 1\n", NEEDS),
        ("[prices.x]\ninput = 1\noutput = -1\n", f"prices.x.output: -1 {NO_PRICE}"),
        (
            "[prices.x]\ninput = 1\noutput = 1\ncached = -0.001\n",
            f"prices.x.cached: -0.001 {NO_PRICE}",
        ),
        ("[prices.x]\ninput = nan\noutput = 1\n", f"prices.x.input: nan {NO_PRICE}"),
        ("[prices.x]\ninput = 1\noutput = inf\n", f"prices.x.output: inf {NO_PRICE}"),
        ("[prices.x]\ninput = true\noutput = 1\n", f"prices.x.input: True {NO_PRICE}"),
        ('[prices.x]\ninput = 1\noutput = "2"\n', f"prices.x.output: '2' {NO_PRICE}"),
        (
            "[prices.ok]\ninput = 1\noutput = 1\n[prices.x]\ninput = 1\noutput = 1\nwritten = false\n",
            f"prices.x.written: False {NO_PRICE}",
        ),
        ("[price.x]\n", 'holds tables [limits."NAME"] (or prices, takes), and nothing else'),
    ],
)
def test_a_mistake_in_the_file_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(ValueError) as error:
        load_prices(file)
    assert str(error.value) == f"{file}: {message}"


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text("[prices")
    with pytest.raises(ValueError, match=r"^\S+/prices\.toml: \S[^\n]*$"):
        load_prices(file)
