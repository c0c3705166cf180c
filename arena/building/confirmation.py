"""The result of confirming a case, and reasons why the weakness may not begin at its VIC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.building.candidates import named_by, note_frame_missing
from arena.building.cases.loader import LoadedCase
from arena.building.cases.proof import ProofSpec
from arena.building.cases.schema import Case
from szz.observation import Observation
from szz.proof.result import Proof
from szz.repository import Repository
from szz.trace import Traced
from tasks.schema import SignatureSpec


@dataclass(frozen=True)
class Confirmation:
    """The result of confirming a case. `traced`: the candidates of SZZ for each of its fixes.

    doubt: why the VIC may not be where the weakness came in, "" where nothing says so; it is among the notes.
    built: the case by the recipe that builds its VIC, where it is not the fix's. over: see `ProofSpec`.
    """

    case: str
    proof: Proof
    traced: tuple[Traced, ...] = ()
    doubt: str = ""
    built: LoadedCase | None = None
    over: tuple[str, ...] = ()

    @property
    def candidates(self) -> tuple[str, ...]:
        """SZZ's candidates for all fixes, each once, without the fixes themselves."""
        fixes = {traced.fix for traced in self.traced}
        named = (commit for traced in self.traced for commit in traced.candidates)
        return tuple(dict.fromkeys(commit for commit in named if commit not in fixes))

    def to_json(self) -> dict[str, Any]:
        """The contract of `arena tasks confirm --json`."""
        return {
            "case": self.case,
            **self.proof.to_json(),
            "candidates": list(self.candidates),
            "szz": [traced.to_json() for traced in self.traced],
        }


def proof_spec(spec: Case, confirmation: Confirmation) -> ProofSpec | None:
    """The `[proof]` of a confirmed case: what it states already, or what the search came to; else None."""
    proof = confirmation.proof
    if not (proof.confirmed and proof.vic and proof.pvic and proof.vfc):
        return None
    # What a person wrote in a stated proof (who read it, the conclusion, a note) is kept and not derived
    # anew.
    if spec.proof and (spec.proof.vic, spec.proof.vfc) == (proof.vic, proof.vfc):
        return spec.proof
    signature = next((run.signature for run in proof.runs if run.commit == proof.vic), None) or {}
    facts = {
        "kind": signature.get("kind", ""),
        "access": signature.get("access", ""),
        "frames": tuple(signature.get("frames", ()))[:5],
    }
    return ProofSpec(
        vic=proof.vic,
        pvic=proof.pvic,
        vfc=proof.vfc,
        how=proof.how,
        builds=len(proof.runs),
        over=confirmation.over,
        signature=SignatureSpec.model_validate(facts) if facts["frames"] else None,
    )


def doubt_of(repository: Repository, spec: Case, proof: Proof) -> str:
    """Why a VIC may not be where the weakness came in."""
    # An older candidate flipped as well, so no PoC can say which of both brought the weakness in.
    if proof.again:
        anew = "it was hidden in between, or mended and brought in anew"
        return f"{proof.again[:12]} crashes as well, and its parent does not: {anew}"
    vic_run = next((run for run in proof.runs if run.commit == proof.vic), None)
    # B-SZZ's candidate wrote lines that the fix removes; only a bisect names commits without such a link.
    return doubt_of_bisect(repository, spec, vic_run) if vic_run and proof.how == "bisect" else ""


def doubt_of_bisect(repository: Repository, spec: Case, observation: Observation) -> str:
    """Why a bisected VIC, by this observation, may be older; "" where a fix's message names it."""
    if named_by(repository, spec.fix, observation.commit):
        return ""
    return note_frame_missing(
        repository, observation.commit, tuple((observation.signature or {}).get("frames", ()))
    )
