"""Base images for recipes: OSS-Fuzz's builder where it is configured, and Debian of two ages."""

from __future__ import annotations

from collections.abc import Sequence

from arena.building.cases.loader import LoadedCase
from arena.building.oss_fuzz.image import Say, with_image
from arena.building.revisions.witness import SandboxWitness
from harness.grade.ports import ResultCache
from harness.sandbox.base import Backend, ImageMissing
from images.base import BUILDER, builder_named
from images.bootstrap import OLDER
from images.builder import NEEDS, TOOL

# When Debian 12 came out, 2023-06-10, in seconds since 1970: what is older was not written with it.
BOOKWORM = 1_686_355_200
TODAY = ""


def with_built_image(
    case: LoadedCase,
    backend: Backend,
    cache: ResultCache,
    say: Say = lambda text: None,
    needs: Sequence[str] = (),
    behind: int = 0,
) -> LoadedCase:
    """The case with the image that its revisions are built in; needs: see `with_image`.

    Where the fix, or what the recipe is `meant_for`, does not build on a base, the next is tried: the
    builder that `ARENA_OSS_FUZZ_BASE` names, Debian 12, and for what is older than this Debian 11,
    which has Python 2 and the C library of OSS-Fuzz's builders of then. Each is built once; what was
    observed is stored. With needs it is that base, or the first after it that can get any of them, and the
    search begins `behind` bases after it; where there is none, the case is returned as it is, and
    whether anything builds there is left to who uses it. Raises RecipeLost, TaskError and SandboxFault.
    """
    environment = case.spec.environment
    if environment is None or not environment.recipe:
        return with_image(case, backend, cache, say)
    plain, bases = _choose_base(case, _bases(environment.date), backend, cache, say)
    if not needs and not behind:
        return plain
    return _choose_richer_base(case, bases[behind:], backend, cache, say, needs)


def _choose_base(
    case: LoadedCase, bases: list[str], backend: Backend, cache: ResultCache, say: Say
) -> tuple[LoadedCase, list[str]]:
    """The case on the first base on which its fix builds, else on the first; and the bases from there on."""
    first: LoadedCase | None = None
    for index, base in enumerate(bases):
        built_case = _image_on_base(case, backend, cache, say, base)
        # Whether the fix builds is only asked where another base could be taken instead.
        if built_case and (len(bases) == 1 or _builds(built_case, backend, cache, say)):
            return built_case, bases[index:]
        first = first or built_case
    return first or case, bases


def _choose_richer_base(
    case: LoadedCase,
    bases: list[str],
    backend: Backend,
    cache: ResultCache,
    say: Say,
    needs: Sequence[str],
) -> LoadedCase:
    """The case on the first base that can get any of the needs, if there are some."""
    for base in bases:
        messages: list[str] = []

        def note(text: str, messages: list[str] = messages) -> None:
            messages.append(text)
            say(text.replace(f"{NEEDS}{TOOL}", "").replace(NEEDS, ""))

        built_case = _image_on_base(case, backend, cache, note, base, needs)
        absent = [name for name in needs if f"{NEEDS}{name} " in " ".join(messages)]
        if built_case and (not needs or len(absent) < len(needs)):
            return built_case
    return case


def _image_on_base(
    case: LoadedCase,
    backend: Backend,
    cache: ResultCache,
    say: Say,
    base: str,
    needs: Sequence[str] = (),
) -> LoadedCase | None:
    """The case with an image on that base; None where Debian 11 cannot be had."""
    try:
        return with_image(case, backend, cache, say, base, needs)
    except ImageMissing as error:
        # Without Debian 12 nothing works; the older release may be gone from the mirrors of this machine.
        if base != OLDER:
            raise
        say(f"{case.id}: Debian 11 cannot be had: {error}")
        return None


def _bases(date: int) -> list[str]:
    return [BUILDER] * builder_named() + [TODAY] + [OLDER] * (date < BOOKWORM)


def _builds(case: LoadedCase, backend: Backend, cache: ResultCache, say: Say) -> bool:
    architecture = case.spec.environment.meant_for if case.spec.environment else ""
    with SandboxWitness(backend, case, cache, say) as witness:
        return bool(witness.build_commit(architecture or witness.fix_and_parent()[0]).image)
