"""`arena dual`: is what a model writes from a specification correct and secure?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli import dual_generate, dual_report, dual_validate
from arena.cli.common import OK, UNLABELLED, UNMET, JsonOption, emit, tell
from arena.report.text import one_line, visible

NAME = "dual"
HELP = "Programs from specifications: functional and security suites together."

PackOption = Annotated[str, typer.Option("--pack", help="A pack's folder, or its name.")]
JobsOption = Annotated[int, typer.Option("--jobs", min=0, help="Samples at a time; 0: one a CPU.")]
TaskOption = Annotated[list[str] | None, typer.Option("--task", help="Only these tasks.")]
LanguageOption = Annotated[
    str, typer.Option("--language", help="python, javascript or cpp; default: all.")
]

app = typer.Typer(no_args_is_help=True)


@app.callback()
def group() -> None:
    """Programs from specifications: correct and secure, judged together."""


app.command("report", help="Results as tables, HTML, CSV, Markdown or JSON.")(dual_report.report)
app.command("compare", help="Two results, task by task.")(dual_report.compare)
app.command("explain", help="One sample: each test with what came, and why.")(dual_report.explain)
app.command("validate", help="Against people's labels: precision, recall, F1.")(
    dual_validate.validate
)
for name, (function, help_) in dual_generate.COMMANDS.items():
    app.command(name, help=help_)(function)


@app.command("score", help="Run samples against both suites, and judge what they did.")
def score(
    samples: Annotated[
        str,
        typer.Option("--samples", help="Folder of <task id>/<sample>.<py|js|cpp>, or reference."),
    ],
    pack: PackOption = "dual",
    out: Annotated[
        Path | None, typer.Option("--json", help="Write the result here; - for stdout.")
    ] = None,
    k: Annotated[
        int, typer.Option("--k", min=0, help="Samples a task; 0: as many as the fullest has.")
    ] = 0,
    task: TaskOption = None,
    language: LanguageOption = "",
    install: Annotated[
        bool, typer.Option("--install", help="Install packages that samples import (wheels only).")
    ] = False,
    coverage: Annotated[bool, typer.Option(help="Record which statements ran.")] = True,
    judge: Annotated[
        str, typer.Option("--judge", help="A model for tests that only a model can judge.")
    ] = "",
    resolver: Annotated[
        str, typer.Option("--resolver", help="A model that tells the judge of unknown names.")
    ] = "",
    agentic: Annotated[
        str, typer.Option("--agentic", help="A model that starts what the adapters cannot.")
    ] = "",
    api_base: Annotated[str, typer.Option("--api-base", help="An endpoint of your own.")] = "",
    prices: Annotated[
        Path | None, typer.Option("--prices", help="A TOML file with prices of your own.")
    ] = None,
    max_usd: Annotated[
        float | None, typer.Option("--max-usd", min=0, help="Cap in USD for each of the models.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Name of the result, for tables.")] = "",
    jobs: JobsOption = 0,
) -> None:
    from arena.cli.dual_models import Wanted
    from arena.cli.dual_session import score_all, tell_problems, write_json
    from arena.tracks.dual.intervals import result_json
    from arena.tracks.dual.judging import check_task
    from arena.tracks.dual.samples import load_samples

    loaded = _chosen(pack, task)
    for one in loaded.tasks:
        check_task(one)
    found = load_samples(loaded, samples, k, _language(language))
    tell_problems(found.problems)
    wanted = Wanted(judge, resolver, agentic, api_base, prices, max_usd=max_usd)
    result = score_all(loaded, found, wanted, jobs, install, coverage)
    result = result.model_copy(update={"name": (name or Path(samples).name)[:200]})
    if out is not None:
        write_json(result_json(result), out)
    if out != Path("-"):
        _tell(result)
    infra = any(sample.health == "infra" for sample in result.samples)
    raise typer.Exit(UNLABELLED if infra else OK)


@app.command("check", help="References pass all, 3 times; variants fail the tests that they must.")
def check(
    pack: Annotated[str, typer.Argument(help="A pack's folder or name.")] = "dual",
    task: TaskOption = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Runs of each reference.")] = 3,
    jobs: JobsOption = 0,
    as_json: JsonOption = False,
) -> None:
    raise typer.Exit(check_pack(pack, task or [], jobs, as_json, repeats))


def check_pack(pack: str, chosen: list[str], jobs: int, as_json: bool, repeats: int = 3) -> int:
    """Check a pack of the track `dual`; returns the exit code."""
    from arena.cli.dual_session import workers
    from arena.store.store import Store
    from arena.tracks.dual.check import Checked
    from arena.tracks.dual.check import check as check_one
    from arena.tracks.dual.scoring import make_means, make_scorer, open_stand
    from arena.tracks.dual.tasks.pack import DualTask
    from arena.tracks.pool import each

    loaded = _chosen(pack, chosen)

    def told(_: DualTask, found: Checked) -> None:
        if as_json:
            emit(found.to_json())
            return
        how = f"{', '.join(found.languages)}; {found.variants} variants"
        print(f"{'ok ' if found.ok else 'BAD'} {found.task}: {how}", flush=True)
        for problem in (*found.problems, *([f"infra: {found.infra}"] if found.infra else [])):
            print(f"      {one_line(problem)}", flush=True)

    store = Store()
    with open_stand(workers(jobs)) as stand:
        scorer = make_scorer(make_means(stand, store.folder, False, False), store, remember=False)
        checked = each(
            loaded.tasks, lambda one: check_one(one, scorer, repeats), workers(jobs), told
        )
    if any(found.infra for found in checked):
        return UNLABELLED
    return OK if all(found.ok for found in checked) else UNMET


@app.command("import", help="DualGauge-Bench's tests.json files -> a pack.")
def import_(
    source: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of <n>/tests.json.")],
    out: Annotated[Path, typer.Option("--out", help="The pack's folder, to be made.")],
    annotations: Annotated[
        Path | None, typer.Option("--annotations", help="What settles the untyped (TOML or JSON).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a pack that is there.")] = False,
    as_json: JsonOption = False,
) -> None:
    from arena.tracks.dual.tasks.dualgauge.importing import import_tasks

    found = import_tasks(source, out, annotations, force)
    if as_json:
        emit(found.as_json())
        return
    print(f"{found.tasks} tasks: {found.functional} functional, {found.security} security tests")
    for one in found.untyped:
        print(one_line(f"untyped: {one.task} {one.test}: {one.why}"))
    for problem in found.problems:
        tell(f"problem: {problem.task} {problem.test}: {problem.what}")


@app.command("show", help="All facts of one task, with its tests and what is expected.")
def show(
    id_: Annotated[str, typer.Argument(metavar="ID")],
    pack: PackOption = "dual",
    as_json: JsonOption = False,
) -> None:
    from arena.tracks.dual.tasks.dualgauge.showing import show as facts_of
    from arena.tracks.dual.tasks.pack import load_dual

    task = load_dual(pack).task(id_)
    if as_json:
        emit(facts_of(task))
        return
    print(visible(f"{task.id}: {task.spec.title or task.spec.domain}"))
    print(visible(f"languages: {', '.join(task.spec.languages)}; shape: {task.spec.io.shape}"))
    print(visible(f"\n{task.instruction.strip()}\n"))
    for kind, test in task.tests:
        oracles = ", ".join(one.oracle for one in test.expect) or f"untyped: {test.untyped}"
        print(one_line(f"{kind:10} {test.id}  {test.cwe}  {test.title}  [{oracles}]"))


def _chosen(pack: str, names: list[str] | None) -> Any:
    import dataclasses

    from arena.tracks.dual.tasks.pack import load_dual

    loaded = load_dual(pack)
    if not names:
        return loaded
    return dataclasses.replace(loaded, tasks=tuple(loaded.task(name) for name in names))


def _language(name: str) -> Any:
    from arena.tracks.dual.tasks.schema import LANGUAGES

    if name and name not in LANGUAGES:
        raise ValueError(f"--language: {name!r} is none of {', '.join(LANGUAGES)}")
    return name or None


def _tell(result: Any) -> None:
    from arena.tracks.dual.views import print_tables

    print_tables([result])
