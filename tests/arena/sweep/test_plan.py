"""A plan counts what is to be made, what is done, and what it may cost at most."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.protocols import Setup
from arena.store.model import AttemptKey, AttemptUpdate, Spent, TaskFacts, attempt_id
from arena.store.store import Store
from arena.sweep.choice import Choice, choose
from arena.sweep.disk import BASE, ENVIRONMENT, image_needs
from arena.sweep.file import SweepError, make_sweep
from arena.sweep.plan import Plan, expect_costs, make_plan, standing
from arena.sweep.pricing import is_free
from harness.grade.verdict import Health, Label, Verdict
from tests.arena.sweep.matrix_track import FACTS, MatrixTrack, make_pack, sweep_of

PRICES = "prices.toml"
TWO_MODELS = """
[matrix]
agents = ["gold", "aider"]
models = ["dear/one", "dear/two"]
[models]
prices = "prices.toml"
"""


@pytest.fixture(autouse=True)
def prices(tmp_path: Path) -> None:
    """Two models that cost, and one that does not."""
    rows = {"dear/one": 1, "dear/two": 2, "free/one": 0}
    text = "".join(
        f'[prices."{name}"]\ninput = {usd}\noutput = {usd}\n' for name, usd in rows.items()
    )
    (tmp_path / PRICES).write_text(text)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def chosen(folder: Path, text: str) -> Choice:
    return choose(sweep_of(folder, text), MatrixTrack())


def columns(choice: Choice) -> set[tuple[str, str, str, str, int]]:
    return {(k.task, k.agent, k.model, k.prompt, k.replicate) for k in choice.keys}


def plan_of(folder: Path, text: str, store: Store) -> Plan:
    sweep = sweep_of(folder, text)
    choice = choose(sweep, MatrixTrack())
    return make_plan(sweep, choice, standing(store, choice))


# which attempts


def test_the_whole_matrix(tmp_path: Path) -> None:
    text = TWO_MODELS.replace(
        "[models]", 'prompts = ["neutral", "reminder"]\nreplicates = 3\n[models]'
    )
    choice = chosen(tmp_path, text)
    assert len(choice.keys) == 4 * 3 + 4 * 2 * 2 * 3  # gold asks no model and is told in one way
    assert len(columns(choice)) == len(choice.keys)
    assert choice.tasks == FACTS
    assert not choice.warnings


@pytest.mark.parametrize(
    ("wanted", "tasks"),
    [
        ('tasks = "brook-*"', {"brook-one", "brook-two"}),
        ('tasks = ["*-one", "lexis-two"]', {"brook-one", "lexis-one", "lexis-two"}),
        ('language = "c"', {"brook-one", "lexis-one", "lexis-two"}),
        ('cwe = "CWE-416"', {"brook-two", "lexis-one"}),
        ('cwe = ["CWE-787", "CWE-190"]', {"brook-one", "lexis-two"}),
        ('project = "lexis"', {"lexis-one", "lexis-two"}),
        ('project = "lexis"\ncwe = "CWE-416"', {"lexis-one"}),
        ("limit = 3", {"brook-one", "brook-two", "lexis-one"}),
        ('language = "c"\nlimit = 2', {"brook-one", "lexis-one"}),
    ],
)
def test_filters(tmp_path: Path, wanted: str, tasks: set[str]) -> None:
    choice = chosen(tmp_path, f'[matrix]\nagents = "gold"\n[filter]\n{wanted}')
    assert {key.task for key in choice.keys} == tasks == {fact.task for fact in choice.tasks}


def test_a_sample_is_drawn_with_the_seed_and_holds_smaller_ones(tmp_path: Path) -> None:
    def drawn(seed: int, number: int) -> set[str]:
        text = f'[matrix]\nagents = "gold"\nseed = {seed}\n[filter]\nsample = {number}'
        return {key.task for key in chosen(tmp_path, text).keys}

    assert drawn(5, 2) == drawn(5, 2)
    for number in (1, 2, 3):
        assert len(drawn(5, number)) == number
        assert drawn(5, number) < drawn(5, number + 1)
    assert len({frozenset(drawn(seed, 2)) for seed in range(20)}) > 3


@pytest.mark.parametrize(
    ("rules", "left"),
    [
        ('{agent = "aider"}', 4),
        ('{agent = "aider", model = "dear/one"}', 8),
        ('{task = "brook-*"}', 6),
        ('{task = "brook-*", agent = "gold"}', 10),
        ('{agent = "gold"}, {model = "dear/*"}', 0),
        ('{replicate = 0, task = "lexis-one"}', 9),
    ],
)
def test_exclusions(tmp_path: Path, rules: str, left: int) -> None:
    text = TWO_MODELS.replace("[models]", f"exclude = [{rules}]\n[models]")
    if left:
        assert len(chosen(tmp_path, text).keys) == left
    else:
        with pytest.raises(SweepError, match="exclusions leave nothing of their 12 attempts"):
            chosen(tmp_path, text)


def test_what_has_no_effect_is_told(tmp_path: Path) -> None:
    text = '[matrix]\nagents = "gold"\nexclude = [{agent = "codex"}]\n[filter]\nsample = 9'
    assert [said.partition(": ")[2] for said in chosen(tmp_path, text).warnings] == [
        "filter.sample: 9 asked for, and only 4 tasks are there",
        "matrix.exclude.0: leaves out nothing",
    ]


MISTAKES = {
    '[matrix]\nagents = ["gold", "adier"]': "matrix.agents: unknown name 'adier'; known: aider,",
    '[matrix]\nagents = "aider"': "matrix.agents: agent 'aider' needs a model",
    '[matrix]\nagents = "gold"\nprompts = "rude"': "matrix.prompts: unknown prompt 'rude'; known:",
    '[matrix]\nagents = "gold"\n[filter]\ntasks = "brok-one"': (
        "filter.tasks: no task has 'brok-one'; did you mean 'brook-one' or 'brook-two'?; known: "
    ),
    '[matrix]\nagents = "gold"\n[filter]\nlanguage = "rust"': "filter.language: no task has 'rust'",
    '[matrix]\nagents = "gold"\n[filter]\ndomain = "web"': "filter.domain: no task has 'web'; known: none",
    '[matrix]\nagents = "gold"\n[filter]\nproject = "brook"\ncwe = "CWE-190"': (
        "filter: none of 4 tasks passes it"
    ),
}


@pytest.mark.parametrize(("text", "said"), MISTAKES.items(), ids=range(len(MISTAKES)))
def test_mistakes_name_the_field(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SweepError) as raised:
        chosen(tmp_path, text)
    assert str(raised.value).startswith(f"{tmp_path / 'nightly.toml'}: {said}")


# what it costs at most: 4 tasks, aider with two dear models, 2 USD for each attempt


@pytest.mark.parametrize(
    ("budget", "usd", "bound"),
    [
        ("", 16.0, "caps"),
        ("[budget]\nusd = 100", 16.0, "caps"),
        ("[budget]\nusd = 7", 7.0, "budget"),
        ('[budget.models."dear/one"]\nusd = 3', 11.0, "budget.models"),
        ('[budget.models."*"]\nusd = 3', 6.0, "budget.models"),
        ('[budget.models."*"]\nusd = 5\n[budget.models."dear/two"]\nusd = 2', 7.0, "budget.models"),
        ('[budget]\nusd = 5\n[budget.models."dear/one"]\nusd = 3', 5.0, "budget"),
        ("[caps]\nusd = 0.25", 2.0, "caps"),
    ],
)
def test_the_bound_on_cost(
    tmp_path: Path, store: Store, budget: str, usd: float, bound: str
) -> None:
    plan = plan_of(tmp_path, f"{TWO_MODELS}{budget}", store)
    assert (plan.attempts, plan.done, plan.tasks) == (12, 0, 4)
    assert plan.max_usd == pytest.approx(usd)
    assert plan.bound_by == bound
    assert plan.by_model["dear/one"].open == 4
    assert plan.by_model[""].max_usd == 0


def test_agents_without_a_model_and_free_models_cost_nothing(tmp_path: Path, store: Store) -> None:
    text = TWO_MODELS.replace('"dear/one", "dear/two"', '"free/one", "script:turns.toml"')
    plan = plan_of(tmp_path, text, store)
    assert (plan.attempts, plan.max_usd, plan.bound_by) == (12, 0.0, "")


def test_a_model_without_a_price_is_told_before_anything(tmp_path: Path, store: Store) -> None:
    text = TWO_MODELS.replace('"dear/two"', '"nobody/knows-this"')
    with pytest.raises(ValueError, match="no price is known for model 'nobody/knows-this'"):
        plan_of(tmp_path, text, store)
    assert not is_free("nobody/knows-this", Setup("repo", "p", allow_unknown_price=True))


def test_what_is_done_and_spent_counts(tmp_path: Path, store: Store) -> None:
    text = f'{TWO_MODELS}[budget]\nusd = 7\n[budget.models."dear/one"]\nusd = 6'
    sweep = sweep_of(tmp_path, text)
    choice = choose(sweep, MatrixTrack())
    gone = AttemptKey("brook-one", "codex", "dear/one")
    store.open_run("little", [*choice.keys, gone], sweep.settings, sweep.run)
    good = Verdict(Label.SECURE, Health.OK, "fine")
    fault = Verdict(None, Health.INFRA, "a fault")
    done = [AttemptKey("brook-one", "aider", "dear/one"), AttemptKey("brook-two", "gold"), gone]
    store.write(
        [AttemptUpdate(attempt_id(sweep.run, key), Spent(1.5), verdict=good) for key in done]
    )
    failed = AttemptKey("brook-two", "aider", "dear/one")
    store.write([AttemptUpdate(attempt_id(sweep.run, failed), Spent(0.5), verdict=fault)])
    stood = standing(store, choice)
    plan = make_plan(sweep, choice, stood)
    assert (plan.attempts, plan.done, plan.gone) == (12, 2, 1)
    assert stood.labels == {"C&S": 2}
    assert plan.by_model["dear/one"].open == 3
    assert plan.max_usd == pytest.approx(7 - 5.0)  # all that the run has spent is gone
    costs = expect_costs(store, choice)
    assert (costs.of, costs.unknown) == (2, 4), "the other model of the same agent is not known"
    assert 0 < costs.usd < costs.replicate_usd, "what has ended is not paid again"
    told = make_plan(sweep, choice, stood, (), costs).to_json()
    assert told["expected"]["usd"] == costs.usd
    assert told["sees"] is None, "few tasks see no difference, whatever it is"
    many = replace(plan, tasks=100)
    assert many.sees is not None and many.sees_with_one_more is not None
    assert many.sees > many.sees_with_one_more > 0
    assert (told["open"], told["no_longer_in_file"], told["disk_bytes"]) == (10, 1, 0)


@pytest.mark.slow
@given(
    caps=st.floats(0.01, 5),
    replicates=st.integers(1, 5),
    budget=st.none() | st.floats(5, 500),
    own=st.none() | st.floats(5, 500),
)
def test_the_bound_is_never_above_any_budget(
    tmp_path_factory: pytest.TempPathFactory,
    caps: float,
    replicates: int,
    budget: float | None,
    own: float | None,
) -> None:
    folder = tmp_path_factory.getbasetemp() / "bound"
    make_pack(folder / "little")
    (folder / PRICES).write_text('[prices."dear/one"]\ninput = 1\noutput = 1\n')
    limits: dict[str, object] = {} if budget is None else {"usd": budget}
    if own is not None:
        limits["models"] = {"dear/one": {"usd": own}}
    table = {
        "name": "n",
        "pack": "little",
        "matrix": {"agents": ["aider"], "models": ["dear/one"], "replicates": replicates},
        "caps": {"usd": caps},
        "budget": limits,
        "models": {"prices": PRICES},
    }
    sweep = make_sweep(table, "here", folder)
    choice = choose(sweep, MatrixTrack())
    plan = make_plan(sweep, choice, standing(Store(folder / "store"), choice))
    least = min(caps * 4 * replicates, budget or 1e9, own or 1e9)
    assert plan.max_usd == pytest.approx(least, abs=1e-6)


# images and disk


@dataclass
class Images:
    """Images of a node, by name; names that were asked for."""

    sizes: dict[str, int]
    asked: list[str] = field(default_factory=list)

    def size(self, image: str) -> int | None:
        self.asked.append(image)
        return self.sizes.get(image)


def test_what_is_here_is_measured_and_the_rest_estimated() -> None:
    images = Images({"arena/cpp": 1000, "env-brook-one": 1300})
    needs = image_needs(FACTS, lambda task: f"env-{task}", images)
    first, other = needs
    assert (first.image, first.base, first.environments, first.here) == ("arena/cpp", 1000, 2, 1)
    assert (
        first.bytes == 1000 + 300 + 300
    )  # the one that is not here is taken to be as the one that is
    assert (other.image, other.base, other.here, other.estimated) == ("other:1", None, 0, True)
    assert other.bytes == BASE + 2 * 300
    assert (
        "env-lexis-one" not in images.asked
    )  # its name would need the base, which would be pulled


def test_all_here_is_no_estimate() -> None:
    sizes = {"arena/cpp": 10, "env-brook-one": 13, "env-brook-two": 15}
    (need,) = image_needs(FACTS[:2], lambda task: f"env-{task}", Images(sizes))
    assert (need.bytes, need.estimated, need.to_json()["bytes"]) == (10 + 3 + 5, False, 18)


def test_nothing_here_is_estimated_by_rule() -> None:
    (need,) = image_needs(FACTS[:2], str, Images({}))
    assert (need.bytes, need.estimated) == (BASE + 2 * ENVIRONMENT, True)


def test_tasks_without_an_image_need_none() -> None:
    assert image_needs([TaskFacts("alpha")], str, Images({})) == []


def test_two_scripts_that_tables_would_show_as_one_are_refused(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "turns.toml").touch()
    text = TWO_MODELS.replace(
        '"dear/one", "dear/two"', '"script:a/turns.toml", "script:b/turns.toml"'
    )
    with pytest.raises(SweepError, match="have the same name in tables"):
        choose(sweep_of(tmp_path, text), MatrixTrack())
