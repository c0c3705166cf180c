"""What a recipe's image is made on: OSS-Fuzz's own builder where one is named, and Debian of two ages."""

from __future__ import annotations

from collections.abc import Sequence

from arena.building.cases.loader import LoadedCase
from arena.building.oss_fuzz.image import Say, with_image
from arena.building.revisions.witness import SandboxWitness
from harness.grade.ports import ResultCache
from harness.sandbox.base import Backend, ImageMissing
from images.base import BUILDER, builder_named
from images.bootstrap import OLDER
from images.builder import NEEDS

BOOKWORM = 1_686_355_200
"""When Debian 12 came out, 2023-06-10, in seconds since 1970: what is older was not written with it."""
TODAY = ""


def furnished(
    case: LoadedCase,
    backend: Backend,
    cache: ResultCache,
    say: Say = lambda text: None,
    needs: Sequence[str] = (),
) -> LoadedCase:
    """The case with the image that its revisions are built in; needs: see `with_image`.

    Where the fix does not build on one base, the next is asked: the builder that `ARENA_OSS_FUZZ_BASE` names,
    Debian 12, and for a fix that is older than this Debian 11, which has Python 2 and the C library of
    OSS-Fuzz's builders of then. Each is built once; what was seen is kept. A base that can get none of the
    needs is passed over; where all are, the case is returned as it is. Raises RecipeLost, TaskError and
    SandboxFault.
    """
    where = case.spec.environment
    if where is None or not where.recipe:
        return with_image(case, backend, cache, say)
    first: LoadedCase | None = None
    bases = _bases(where.date)
    for base in bases:
        told: list[str] = []

        def note(text: str, told: list[str] = told) -> None:
            told.append(text)
            say(text)

        try:
            there = with_image(case, backend, cache, note, base, needs)
        except ImageMissing as error:
            if base != OLDER:
                raise
            say(f"{case.id}: Debian 11 cannot be had: {error}")
            break
        absent = [name for name in needs if f"{NEEDS}{name} " in " ".join(told)]
        if needs and len(absent) == len(needs):
            continue
        first = first or there
        if len(bases) == 1 or _builds(there, backend, cache, say):
            return there
    return first or case


def _bases(date: int) -> list[str]:
    return [BUILDER] * builder_named() + [TODAY] + [OLDER] * (date < BOOKWORM)


def _builds(case: LoadedCase, backend: Backend, cache: ResultCache, say: Say) -> bool:
    with SandboxWitness(backend, case, cache, say) as witness:
        return bool(witness.built(witness.fix_and_parent()[0]).image)
