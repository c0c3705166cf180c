"""The models of a run asked once each before it begins, so that none is refused for all attempts of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.protocols import Setup, Track
from arena.store.model import AttemptKey
from harness.gateway.probe import ProbeResult

# What the tracks speak themselves, for agents that are no program.
DIRECT = "chat"
AT_ONCE = 8
MAX_NAMED = 5


@dataclass(frozen=True)
class Probe:
    """A model, the dialect that it was asked in, and what came."""

    model: str
    dialect: str
    result: ProbeResult

    @property
    def line(self) -> str:
        """One line for people: "" where nothing was refused."""
        about = f"{self.model} ({self.dialect})"
        if self.result.refused:
            word = "busy" if self.result.passing else "refused"
            return f"probe: {about}: {word}: {self.result.refused}"
        left = "; ".join(f"{name} is not sent: {why}" for name, why in self.result.unpinned.items())
        return f"probe: {about}: {left}" if left else ""

    def to_json(self) -> dict[str, Any]:
        return {"model": self.model, "dialect": self.dialect, **asdict(self.result)}


def probe_models(setup: Setup, track: Track, keys: Sequence[AttemptKey]) -> list[Probe]:
    """Ask each model of the attempts once in each dialect that their agents speak.

    Scripts and replays are not asked: they have a call for each that is expected. Raises what opening a model
    raises.
    """
    pairs = dict.fromkeys((key.model, dialect_of(key.agent)) for key in keys if key.model)
    asked_pairs = [pair for pair in pairs if ":" not in pair[0].partition("/")[0]]
    pinned = {**getattr(track, "pins", {}), **setup.pinned}  # not every track has pins of its own
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda pair: _probe(setup, pinned, *pair), asked_pairs))


def without_refused(
    keys: Sequence[AttemptKey], probes: Sequence[Probe], say: Callable[[str], None]
) -> list[AttemptKey]:
    """The attempts of models that answered; each thing that was refused is said in one line.

    Raises ValueError where no attempt is left.
    """
    for probe in probes:
        if probe.line:
            say(probe.line)
    if (usd := sum(probe.result.usd for probe in probes)) > 0:
        say(f"probe: {len(probes)} asked, {usd:.6f} USD, which are no attempt's")
    refused = {
        (probe.model, probe.dialect)
        for probe in probes
        if probe.result.refused and not probe.result.passing
    }
    left = [key for key in keys if (key.model, dialect_of(key.agent)) not in refused]
    if keys and not left:
        raise ValueError(
            "no model of the run answers as it would be asked (--no-probe goes on all the same)"
        )
    return left


def dialect_of(agent: str) -> str:
    """The dialect that an agent speaks to its model."""
    from harness.agents._make import load_program
    from harness.agents._named import read_agent
    from parsers.registry import UnknownName

    try:
        program = load_program(read_agent(agent).kind.partition(":")[0])
    except UnknownName:  # `direct`, or a class of the user's
        return DIRECT
    return str(getattr(program, "dialect", DIRECT))


def known_before(setup: Setup, track: Track, models: Iterable[str]) -> list[str]:
    """What is known of models before they are asked: a line for each parameter that one is not sent, for
    each kind of price that the table tells of it and that is not applied, for a key that is not at hand, and
    for prices of no model.
    """
    from harness.gateway.pins import choose_pins, load_takes, with_effort
    from harness.gateway.prices import load_prices

    file = Path(setup.prices) if setup.prices else None
    takes, prices = load_takes(file), load_prices(file)
    lines, names = [], dict.fromkeys(models)
    if unused := prices.find_unused(with_effort(model, {})[0] for model in names):
        few = ", ".join(unused[:MAX_NAMED]) + (" ..." if len(unused) > MAX_NAMED else "")
        lines.append(f"{setup.prices}: prices of no model here, and none that is known: {few}")
    for model in names:
        name, pins = with_effort(model, {**getattr(track, "pins", {}), **setup.pinned})
        if missing := _missing_key(name, setup.api_base):
            lines.append(f"{missing}, before it can run")
        billed = "" if ":" in name.partition("/")[0] else name
        left = choose_pins(billed, pins, takes).left_out
        lines += [f"{model}: {pin} is not sent: {why}" for pin, why in left.items()]
        unread = prices.look_up_price(billed, allow_unknown=True)[0].unread
        lines += [f"{model}: the price table's {key} is not applied" for key in unread]
    return lines


def _missing_key(name: str, api_base: str) -> str:
    """What is said of a model whose key is not at hand; "" for every other."""
    from harness.gateway.models import KeyMissing
    from harness.gateway.models._make import make_model

    if not name or ":" in name.partition("/")[0]:
        return ""
    try:
        make_model(name, api_base)
    except KeyMissing as error:
        return str(error).removeprefix("--model: ")
    return ""


def _probe(setup: Setup, pinned: Mapping[str, Any], model: str, dialect: str) -> Probe:
    from harness.gateway.models._make import make_model
    from harness.gateway.pins import load_takes, with_effort
    from harness.gateway.prices import load_prices
    from harness.gateway.probe import probe_model

    name, pins = with_effort(model, pinned)
    file = Path(setup.prices) if setup.prices else None
    client = make_model(name, setup.api_base)
    price = load_prices(file).look_up_model_price(name, client.name, setup.allow_unknown_price)[0]
    return Probe(model, dialect, probe_model(client, dialect, pins, price, load_takes(file)))
