"""Steps of `arena sweep` between a checked file and a result: open, plan, drive, report."""

from __future__ import annotations

import functools
import inspect
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from arena.cli.common import OK, UNLABELLED, emit, print_err
from arena.interrupt import set_way_on

if TYPE_CHECKING:
    from arena.protocols import Engine, Track
    from arena.store.model import AttemptKey
    from arena.store.store import Store
    from arena.sweep.choice import Choice
    from arena.sweep.control import Ending
    from arena.sweep.disk import ImageNeed
    from arena.sweep.file import Sweep
    from arena.sweep.plan import Plan, Standing

ENGINES = "arena.sweep.engines"
LOCAL = "local"
INTERRUPTED = 130
# Seconds that threads have to end by themselves after a sweep was stopped.
MAX_EXIT_WAIT_S = 1.0


def expect_engine(sweep: Sweep) -> type[Any]:
    """The class of the sweep's engine. Raises SweepError for an unknown engine or option."""
    from arena.sweep.file import SweepError
    from parsers.registry import UnknownName, lookup

    try:
        engine_class: type[Any] = lookup(ENGINES, sweep.engine)
    except UnknownName as error:
        raise SweepError(f"{sweep.where}: engine.name: {error}") from error
    # `local` takes the track and the store, which no file can name.
    taken = [] if sweep.engine == LOCAL else list(inspect.signature(engine_class).parameters)
    for name in sweep.engine_options:
        if name not in taken:
            option_names = ", ".join(taken) or "none"
            raise SweepError(
                f"{sweep.where}: engine: {sweep.engine!r} has no option {name!r}; known: {option_names}"
            )
    return engine_class


def _engine(sweep: Sweep, track: Track, store: Store) -> Engine:
    engine_class = expect_engine(sweep)
    engine: Engine = (
        engine_class(track, store)
        if sweep.engine == LOCAL
        else engine_class(**sweep.engine_options)
    )
    return engine


@contextmanager
def _track(sweep: Sweep, store: Store, is_plan: bool = False) -> Iterator[Track]:
    from arena.store.patient import PatientStore
    from arena.sweep.file import SweepError
    from arena.tracks.opening import open_track
    from parsers.registry import UnknownName

    try:
        setup = replace(sweep.setup, is_plan=is_plan)
        opened = open_track(setup, PatientStore(store.url), print_err)
    except (ValueError, UnknownName) as error:
        raise SweepError(f"{sweep.where}: {error}") from error
    with closing(opened) as track:
        yield track


def plan_sweep(sweep: Sweep, store: Store, probe: bool = False) -> Plan:
    """The plan of a sweep's file. probe: ask each model once.

    Raises SweepError, and what opening the track raises.
    """
    from arena.probe import known_before, probe_models
    from arena.sweep.choice import choose
    from arena.sweep.plan import expect_costs, make_plan, standing
    from arena.sweep.runs import settings_for

    with _track(sweep, store, is_plan=not probe) as track:
        choice = choose(sweep, track)
        settings_for(store, choice.run, sweep)
        stood, images = standing(store, choice), _images(sweep, choice)
        sweep_plan = make_plan(sweep, choice, stood, images, expect_costs(store, choice))
        probes = probe_models(sweep.setup, track, choice.keys) if probe else []
        refusals = [probe_result.line for probe_result in probes if probe_result.line]
        known_refusals = known_before(sweep.setup, track, (key.model for key in choice.keys))
        return replace(sweep_plan, warnings=(*sweep_plan.warnings, *known_refusals, *refusals))


def _images(sweep: Sweep, choice: Choice) -> list[ImageNeed]:
    """Only tasks of the track `repo` start from images."""
    from arena.sweep.disk import image_needs
    from harness.grade.environment import identify
    from tasks.loader import load_pack

    if not any(fact.image for fact in choice.tasks):
        return []
    images = _image_sizes(sweep.setup.sandbox)
    tasks = {task.id: task for task in load_pack(sweep.setup.pack).tasks}
    return image_needs(choice.tasks, lambda task: identify(images, tasks[task]).image, images)


def _image_sizes(sandbox: str) -> Any:
    """The backend that `choose_backend` would choose, without messages and without a cleanup."""
    from parsers.registry import lookup

    package = "harness.sandbox.backends"
    name = sandbox
    if sandbox == "auto":
        name = "local" if lookup(package, "docker")().available() else "docker"
    images = lookup(package, name)()
    images.resolve = functools.cache(images.resolve)  # the same few images for all tasks
    return images


def conduct(sweep: Sweep, store: Store, run: str, as_json: bool, probe: bool = True) -> None:
    """Run the open attempts of a sweep, report the result, and exit. Raises before any cost arises."""

    expect_engine(sweep)
    set_way_on("what has ended is kept, and to go on: the same command")
    try:
        choice, ending = _run_open_attempts(sweep, store, run, probe)
    except KeyboardInterrupt:
        print_err(f"interrupted; what has ended is kept, and to go on: arena sweep resume {run}")
        _exit(INTERRUPTED)
    code = _report_result(store, choice, ending, as_json)
    _exit(code)


def _run_open_attempts(
    sweep: Sweep, store: Store, run: str, probe: bool
) -> tuple[Choice, Ending | None]:
    """Drive what is open; None for the ending where nothing is. probe: leave out models that refuse."""
    from arena.probe import probe_models, without_refused
    from arena.sweep.choice import choose
    from arena.sweep.plan import make_plan, standing
    from arena.sweep.runs import settings_for

    with _track(sweep, store) as track:
        choice = choose(sweep, track, run)
        settings = settings_for(store, choice.run, sweep, choice.ids)
        stood = standing(store, choice)
        plan = make_plan(sweep, choice, stood)
        engine = _engine(sweep, track, store)
        left = plan.attempts - plan.done
        _expect_no_other_driver(store, choice.run)
        wanted: Sequence[AttemptKey] = choice.keys
        if left:
            # Before the run is written: an engine that is not there must leave no empty run.
            engine.expect()
            if probe:
                probes = probe_models(sweep.setup, track, choice.keys)
                wanted = without_refused(choice.keys, probes, print_err)
        # Before the first call that costs something.
        _introduce(plan, store, sweep)
        if stood.missing:
            name, kind = track.pack_name, sweep.setup.track
            store.open_run(name, choice.keys, settings, choice.run, kind, choice.tasks)
        if left:
            return choice, _drive(sweep, store, choice, wanted, stood, track, engine)
        # No driver is needed, but none may change the run at the same time either.
        with store.lease(choice.run):
            store.set_settings(choice.run, settings)
        return choice, None


def _introduce(plan: Plan, store: Store, sweep: Sweep) -> None:
    from arena.sweep.plan import WITHDRAWN
    from arena.sweep.runs import siblings

    for text in plan.warnings:
        print_err(text)
    cost = f", at most {plan.max_usd:.2f} USD" if plan.max_usd else ""
    print_err(f"{plan.run}: {plan.attempts} attempts of {plan.tasks} tasks, {plan.done} done{cost}")
    if plan.gone:
        print_err(f"{plan.gone} attempts of the run {WITHDRAWN}")
    others = siblings(store, plan.run, sweep.name)
    if others and not plan.done:
        print_err(f"made in another way, and so another run, is {others[0]} of the same name")


def _expect_no_other_driver(store: Store, run: str) -> None:
    """Raises ValueError when another driver is at work, before the run is changed under it."""
    from arena.store.store import UnknownRun

    with suppress(UnknownRun):  # a new one
        if store.has_driver(run):
            raise ValueError(f"another driver is at work on {run}: arena sweep status {run}")


def _drive(
    sweep: Sweep,
    store: Store,
    choice: Choice,
    attempts: Sequence[AttemptKey],
    stood: Standing,
    track: Track,
    engine: Engine,
) -> Ending:
    from arena.store.model import attempt_id
    from arena.sweep.control import DriveOptions
    from arena.sweep.drive import drive
    from arena.sweep.pricing import is_free
    from arena.sweep.progress import Progress
    from arena.sweep.runs import settings_for

    run, usd = choice.run, sweep.bounds.sweep.usd
    options = DriveOptions(
        sweep.bounds,
        wanted={attempt_id(run, key) for key in attempts},
        free=frozenset(m for m in {key.model for key in choice.keys} if is_free(m, sweep.setup)),
        begun=lambda: store.set_settings(run, settings_for(store, run, sweep, choice.ids)),
    )
    with _stop_on_signal() as stop, Progress(run, len(choice.keys), usd) as progress:
        return drive(
            store,
            run,
            sweep.setup,
            engine,
            sweep.capacity,
            track.needs,
            options,
            progress,
            stop,
        )


@contextmanager
def _stop_on_signal() -> Iterator[threading.Event]:
    """SIGINT or SIGTERM sets the event; the second raises KeyboardInterrupt."""
    from arena.sweep.control import GRACE

    stop = threading.Event()

    def handle_signal(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        message = f"\nstopping: what is in flight has {GRACE:g} s to end; once more ends at once\n"
        os.write(2, message.encode())  # print is not to be called from here: it may be at work

    # Python takes signal handlers from the main thread only.
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {kind: signal.signal(kind, handle_signal) for kind in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _report_result(store: Store, choice: Choice, ending: Ending | None, as_json: bool) -> int:
    """Report the state of the file's attempts; returns the exit code."""
    from arena.sweep.control import Why
    from arena.sweep.plan import standing
    from arena.sweep.progress import labels_text
    from arena.sweep.runs import reason_in_words

    run, stood = choice.run, standing(store, choice)
    unlabelled = len(choice.keys) - sum(stood.labels.values())
    usd = round(sum(spent.usd for spent in stood.spent.values()), 6)
    facts = {"run": run, "attempts": len(choice.keys), "labels": dict(stood.labels)}
    why = str(ending.why) if ending else "done"
    message = ending.message if ending else ""
    # All attempts were tried, and some have no label: that is no success.
    if unlabelled and why == Why.DONE:
        why, message = str(Why.FAULTS), reason_in_words(store, run)
    if as_json:
        rest = {"unlabelled": unlabelled, "usd": usd, "ended": why, "message": message}
        emit({**facts, **rest})
    else:
        labels = labels_text(stood.labels) or "no label"
        print(
            f"{run}: {len(choice.keys)} attempts: {labels}; {unlabelled} unlabelled; {usd:.4f} USD"
        )
    if unlabelled:
        print_err(f"{message or 'not all could be labelled'}; to go on{_way_on(why, run)}")
    print_err(f"results: arena report {run}")
    return UNLABELLED if unlabelled else OK


def _way_on(why: str, run: str) -> str:
    from arena.sweep.control import Why

    if why == Why.BUDGET:
        return ", give it more [budget] in its file: arena sweep run FILE"
    return f": arena sweep resume {run}"


def _exit(code: int) -> NoReturn:
    """Exit, without waiting for abandoned attempts: the next start removes their containers."""
    until = time.monotonic() + MAX_EXIT_WAIT_S
    while _is_working() and time.monotonic() < until:
        time.sleep(0.02)
    if _is_working():
        sys.stdout.flush()
        sys.stderr.flush()
        # A usual exit would wait for these threads, which may be in calls of minutes.
        os._exit(code)
    raise typer.Exit(code)


def _is_working() -> bool:
    return any(thread.name.startswith("attempt") for thread in threading.enumerate())
