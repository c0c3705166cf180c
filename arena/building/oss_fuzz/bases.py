"""Which Debian a recipe's image is made of: today's, or the one before where today's cannot build the fix."""

from __future__ import annotations

from arena.building.cases.loader import LoadedCase
from arena.building.oss_fuzz.image import Say, with_image
from arena.building.revisions.witness import SandboxWitness
from harness.grade.ports import ResultCache
from harness.sandbox.base import Backend, ImageMissing

BOOKWORM = 1_686_355_200
"""When Debian 12 came out, 2023-06-10, in seconds since 1970: what is older was not written with it."""


def furnished(
    case: LoadedCase, backend: Backend, cache: ResultCache, say: Say = lambda text: None
) -> LoadedCase:
    """The case with the image that its revisions are built in.

    Of a fix before Debian 12 that does not build there, Debian 11 is asked: it has Python 2 and the C library
    of OSS-Fuzz's builders of then. Each is built once; what was seen is kept. Raises RecipeLost, TaskError
    and SandboxFault.
    """
    where = case.spec.environment
    there = with_image(case, backend, cache, say)
    if (
        where is None
        or not where.recipe
        or where.date >= BOOKWORM
        or _builds(there, backend, cache, say)
    ):
        return there
    try:
        older = with_image(case, backend, cache, say, older=True)
    except ImageMissing as error:
        say(f"{case.id}: Debian 11 cannot be had: {error}")
        return there
    return older if _builds(older, backend, cache, say) else there


def _builds(case: LoadedCase, backend: Backend, cache: ResultCache, say: Say) -> bool:
    with SandboxWitness(backend, case, cache, say) as witness:
        return bool(witness.built(witness.fix_and_parent()[0]).image)
