"""A sweep: from its file to the inputs of the track, the driver and the engine.

Paths in a sweep file are relative to the folder of the file. What makes an attempt what it is (track, pack
and its version, scanner, caps, pins, options, endpoint) is part of the run's id, so that no run mixes
attempts with different settings; the matrix, budgets, concurrency and the engine are not, so that a
sweep can grow, and go on elsewhere, under the same id.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from arena.jobs import Capacity
from arena.protocols import Matrix, Setup
from arena.store.model import run_of_sweep
from arena.sweep.budget import Bounds, Cap
from arena.sweep.named_files import files_of
from arena.sweep.schema import SWEEP_NAME, SweepSpec
from arena.sweep.spec_from_toml import (
    SweepError,
    expect_some,
    read_table,
    validate_spec,
    with_absolute_paths,
)
from arena.tracks.opening import other_form
from arena.vocabulary import tracks
from harness.grade.ports import digest_of
from harness.protocols import Budget
from tasks.loader import TaskError, find_pack, load_spec

__all__ = ["Sweep", "SweepError", "load_sweep", "make_sweep"]

# Of the settings that are stored with a run.
FORM = 1


@dataclass(frozen=True)
class Sweep:
    """A checked sweep with absolute paths. pack: the name in `pack.toml`; version: of the pack.

    where: the file's name in messages; not part of the sweep.
    """

    spec: SweepSpec
    pack: str
    version: str
    where: str = field(default="sweep", compare=False)

    @property
    def name(self) -> str:
        return self.spec.name

    @cached_property
    def run(self) -> str:
        """The id of its run."""
        made_by = {
            "track": self.spec.track,
            "pack": [self.pack, self.version],
            "sast": self.spec.sast,
            "caps": self.spec.caps.model_dump(mode="json"),
            "pin": dict(self.setup.pinned),
            "api_base": self.spec.models.api_base,
            "options": self.spec.options,
            # Only where it is set: a new field must not change the ids of runs that were made before it.
            **({"alias": True} if self.spec.models.alias else {}),
        }
        return run_of_sweep(self.name, digest_of(json.dumps(made_by, sort_keys=True)))

    @cached_property
    def setup(self) -> Setup:
        spec = self.spec
        return Setup(
            track=spec.track,
            pack=spec.pack,
            sandbox=spec.sandbox,
            scanner=spec.sast,
            caps=Budget(**spec.caps.model_dump()),
            trust_agents=spec.trust_agents,
            api_base=spec.models.api_base,
            prices=spec.models.prices,
            allow_unknown_price=spec.models.allow_unknown_price,
            pinned=_pins(spec.models.pin),
            options=spec.options,
            alias=spec.models.alias,
        )

    @property
    def matrix(self) -> Matrix:
        """The matrix over all tasks of the pack; `choice.choose` applies filters and exclusions."""
        matrix = self.spec.matrix
        return Matrix(matrix.agents, self.spec.model_names, matrix.prompts, (), matrix.replicates)

    @property
    def bounds(self) -> Bounds:
        budget = self.spec.budget
        models = {name: Cap(cap.usd, cap.tokens) for name, cap in budget.models.items()}
        sweep_cap = Cap(budget.usd, budget.tokens, budget.seconds)
        return Bounds(sweep_cap, models, dict(self.spec.concurrency.models))

    @property
    def capacity(self) -> Capacity:
        """Capacity of each node that declares none; a sandbox per CPU where the file has no number."""
        concurrency = self.spec.concurrency
        sandboxes = concurrency.sandboxes or cpus()
        return Capacity(
            sandboxes, concurrency.builds or sandboxes, concurrency.memory, concurrency.disk
        )

    @property
    def engine(self) -> str:
        return self.spec.engine.name

    @property
    def engine_options(self) -> dict[str, Any]:
        """Keyword arguments of the engine: `address` if the file has it, and the engine's `options`."""
        engine = self.spec.engine
        return {**({"address": engine.address} if engine.address else {}), **engine.options}

    @property
    def settings(self) -> dict[str, Any]:
        """JSON to be stored with the run; `Sweep.from_settings` makes the same sweep of it."""
        sweep = self.spec.model_dump(mode="json", by_alias=True)
        return {
            "sweep": {
                "form": FORM,
                "pack": self.pack,
                "version": self.version,
                "file": sweep,
                "files": files_of(self.spec),
            }
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], where: str = "stored sweep") -> Sweep:
        """The sweep of a run's settings. Raises SweepError for a run that is no sweep's."""
        stored = settings.get("sweep")
        if not isinstance(stored, dict):
            raise SweepError(f"{where}: was not made by `arena sweep run`")
        if stored.get("form") != FORM:
            raise SweepError(
                f"{where}: settings of form {stored.get('form')!r}; this version reads {FORM}"
            )
        spec = validate_spec(stored.get("file") or {}, where)
        return cls(spec, str(stored.get("pack", "")), str(stored.get("version", "")), where)

    def with_engine(self, name: str = "", address: str = "", workers: int = 0) -> Sweep:
        """The same sweep on another engine, or with another number of sandboxes; "" and 0 change nothing."""
        changes: dict[str, Any] = {}
        if name or address:
            engine_spec = (
                self.spec.engine if name in ("", self.engine) else type(self.spec.engine)()
            )
            changed = {k: v for k, v in {"name": name, "address": address}.items() if v}
            changes["engine"] = engine_spec.model_copy(update=changed)
        if workers:
            changes["concurrency"] = self.spec.concurrency.model_copy(
                update={"sandboxes": workers, "builds": min(self.spec.concurrency.builds, workers)}
            )
        return Sweep(self.spec.model_copy(update=changes), self.pack, self.version, self.where)


def load_sweep(path: Path | str) -> Sweep:
    """The sweep of a TOML file. Raises SweepError (a ValueError): a line with file and field."""
    file = Path(path)
    table = read_table(file)
    if "name" not in table and not re.fullmatch(SWEEP_NAME, file.stem):
        rule = "letters, digits and . _ -, up to 25, a letter or digit first"
        raise SweepError(f"{file}: the file's name is no name of a sweep ({rule}): add name = ...")
    return make_sweep({"name": file.stem, **table}, str(file), file.parent)


def make_sweep(table: Mapping[str, Any], where: str, base: Path) -> Sweep:
    """The sweep of a table as a sweep file has it; paths are relative to `base`. Raises SweepError."""
    spec = with_absolute_paths(validate_spec(table, where), base)
    expect_some(table, where)
    if not spec.name:
        raise SweepError(f"{where}: name: needed")
    track, pack, version = _pack_facts(spec, where)
    if spec.track and spec.track != track:
        names = (
            f"known: {', '.join(tracks())}"
            if spec.track not in tracks()
            else f"pack {pack!r} is of {track!r}"
        )
        raise SweepError(f"{where}: track: is {spec.track!r}; {names}")
    return Sweep(spec.model_copy(update={"track": track}), pack, version, where)


def _pack_facts(spec: SweepSpec, where: str) -> tuple[str, str, str]:
    """Track, name and version of the pack. For a benchmark in a foreign form, the version is its digest."""
    if form := other_form(spec.pack):
        path = Path(spec.pack)
        return form, path.name, _digest(path)
    try:
        pack_spec = load_spec(find_pack(spec.pack))
    except TaskError as error:
        raise SweepError(f"{where}: pack: {error}") from error
    return pack_spec.track, pack_spec.name, pack_spec.version


def _digest(root: Path) -> str:
    """The digest of a file, or of all files below a folder with their names."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
        if path.is_file():
            with path.open("rb") as content:
                part = hashlib.file_digest(content, "sha256").hexdigest()
            # With a NUL and a line end around it, so that no two trees give the same text.
            digest.update(f"{path.relative_to(root)}\0{part}\n".encode())
    return digest.hexdigest()[:16]


def _pins(pin: Mapping[Any, Any]) -> dict[str, Any]:
    """TOML has no null: "null" stands for it."""
    return {name: None if value == "null" else value for name, value in pin.items()}


def cpus() -> int:
    """As many CPUs as this process may use."""
    # Not `os.cpu_count`, which counts all CPUs of the machine, whatever a container may use.
    return max(1, len(os.sched_getaffinity(0)))
