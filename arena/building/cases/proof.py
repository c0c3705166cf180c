"""Statements of a case on the origin of its parts, on its VIC, and on the results of its task."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from szz.proof.result import How
from tasks.kinds import TaskKind
from tasks.schema import CommitId, CommitIdOrNone, Inside, Model, SignatureSpec

Sha256 = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")]
LabelOrNone = Literal["NO", "CE", "IC", "CV", "CS", "C&S", ""]
# The ways of `arena.building.patches.fixes`; "given" is a patch that somebody wrote.
FixedHow = Literal["merge", "sources", "tokens", "needed", "files", "feature", "tree", "given", ""]
Conclusion = Literal["right", "doubtful", "wrong", ""]
# TOML has numbers of any length; Python prints none of over 4,300 digits.
Count = Annotated[int, Field(ge=0, lt=1 << 63)]
Names = Annotated[tuple[str, ...], Field(max_length=10_000)]


class FuzzingOrigin(Model):
    """A campaign of `arena cases fuzz` on the fix's parent that reaches the PoC again.

    corpus: its initial inputs. seed: of the libFuzzer turn that reached the PoC. budget: CPU seconds that the
    campaign was allowed. executions: how many inputs had run by then. tried, successes: how often the
    campaign was repeated, and how many repetitions reached the PoC.
    """

    corpus: str = Field(default="", max_length=500)
    seed: Count = 0
    budget: float = Field(gt=0, le=1e9)
    executions: Count = 0
    tried: Count = 0
    successes: Count = Field(default=0, alias="found")


class PocOrigin(Model):
    """Where the PoC comes from: a file of a repository's history, or a campaign; `note` is for people.

    repository: a URL; "" is the case's repository. sha256: of the PoC's content.
    """

    note: str = Field(default="", max_length=500)
    repository: str = Field(default="", max_length=1000)
    commit: CommitIdOrNone = ""
    path: Inside | Literal[""] = ""
    sha256: Sha256 = ""
    fuzzing: FuzzingOrigin | None = None

    @model_validator(mode="before")
    @classmethod
    def _wrap_note(cls, value: Any) -> Any:
        """Older case files have a text in place of this table."""
        return {"note": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_source(self) -> PocOrigin:
        if bool(self.commit) is not bool(self.path):
            raise ValueError("commit and path are stated together")
        if self.commit and self.fuzzing:
            raise ValueError("it comes from a commit or from fuzzing, not from both")
        return self


class RecipeOrigin(Model):
    """Where OSS-Fuzz has the recipe's folder, and a digest of its files (`recipes.digest_of_files`)."""

    commit: CommitId
    path: Inside
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class ProofSpec(Model):
    """The stated VIC of a case: confirming builds these three commits and searches nothing.

    how, builds: how it was determined, and how many revisions were built for that. over: paths of the fix's
    fuzz target that replace each revision's. signature: the crash at the VIC. read_by: who has read the
    VIC against the fix, with which conclusion.
    """

    vic: CommitId
    pvic: CommitId
    vfc: CommitId
    how: How = ""
    builds: Count = 0
    over: tuple[Inside, ...] = ()
    signature: SignatureSpec | None = None
    read_by: str = Field(default="", max_length=200)
    conclusion: Conclusion = ""
    note: str = Field(default="", max_length=2000)

    @model_validator(mode="after")
    def _distinct_and_signed(self) -> ProofSpec:
        if len({self.vic, self.pvic, self.vfc}) < 3:
            raise ValueError("vic, pvic and vfc are three commits")
        if self.conclusion and not self.read_by:
            raise ValueError("a conclusion is somebody's: read_by is needed")
        return self


class ExpectedLabels(Model):
    """Labels of the calibration patches: gold, gold with the fix, and no patch."""

    gold: LabelOrNone = ""
    fixed: LabelOrNone = ""
    empty: LabelOrNone = ""


class ExpectedSpec(Model):
    """The expected results of the case's task of kind `write`. What is "" or None is not stated.

    tests: how many gold passes. failing: those of them that fail without gold. crashing, harmless: how many
    neighbours of each kind. fixed: the method that produced the fixed patch. suite_image: the kind of image
    that the suite ran in (`arena.building.suite_selection`). kinds: all kinds of task that the case became.
    lines: how many gold adds and removes. minutes: wall time of the build, on a single machine.
    """

    labels: ExpectedLabels = ExpectedLabels()
    tests: Count | None = None
    failing: Names | None = None
    crashing: Count | None = None
    harmless: Count | None = None
    fixed: FixedHow = ""
    suite_image: Literal["rich", "own", "older", ""] = ""
    kinds: tuple[TaskKind, ...] = ()
    lines: Count | None = None
    minutes: float | None = Field(default=None, ge=0, le=1e9)
