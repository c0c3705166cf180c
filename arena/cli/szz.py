"""`arena szz`: fixes in, candidate inducing commits out."""

from __future__ import annotations

import codecs
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arena import options
from arena.cli.common import OK, UNMET, emit, print_err
from arena.report.text import one_line

if TYPE_CHECKING:
    from szz.repository import Repository
    from szz.trace import Traced


def fixes_from(words: list[str]) -> list[str]:
    """Names of commits; `@FILE` stands for those in a file, a name per line (`#` starts a comment).

    Files are UTF-8 or UTF-16 by their mark, else UTF-8. Raises ValueError when a file cannot be read.
    """
    names: list[str] = []
    for word in words:
        if not word.startswith("@"):
            names.append(word)
            continue
        try:
            data = sys.stdin.buffer.read() if word == "@-" else Path(word[1:]).read_bytes()
            wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            text = data.decode("utf-16" if wide else "utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{word}: {error}") from error
        # The first word: a subject may follow, as in `git log --oneline`.
        lines = (line.partition("#")[0].split() for line in text.splitlines())
        names += [parts[0] for parts in lines if parts]
    return names


def _print(traced: Traced, repository: Repository) -> None:
    head = f"{traced.fix}  {traced.variant}  {traced.lines} line(s)"
    print(f"{head}{_about_commit(repository, traced.fix)}", flush=True)
    counts: dict[str, int] = {}
    for origin in traced.origins:
        counts[origin.commit] = counts.get(origin.commit, 0) + origin.count
    for commit, lines in counts.items():
        print(f"    {commit}  {lines} line(s){_about_commit(repository, commit)}")
    if traced.error or traced.note:
        print(f"    {one_line(traced.error or traced.note)}")


def _about_commit(repository: Repository, commit: str) -> str:
    """Date and subject of a commit, with space before them; "" for an unreadable commit."""
    from szz.repository import GitFailed

    try:
        subject = repository.git("show", "-s", "--format=%cs  %s", commit)
    except GitFailed:  # the line of the fix names what is wrong with it
        return ""
    return f"  {one_line(subject.decode('utf-8', 'replace').strip())}"


def command(
    repository: Annotated[Path, typer.Argument(help="A git repository, bare or not.")],
    fix: Annotated[list[str], typer.Argument(help="Fix commits, or @FILE with one per line.")],
    variant: Annotated[
        str, typer.Option("--variant", help="The SZZ variant; see docs/szz.md.")
    ] = "b-szz",
    paths: Annotated[
        Literal["source", "all"],
        typer.Option(
            "--paths", help="source: C and C++ without tests and generated files; or all."
        ),
    ] = "source",
    workers: Annotated[
        int, typer.Option("--workers", min=0, help="Processes; 0: one per CPU.")
    ] = 0,
    index: Annotated[
        bool | None,
        typer.Option(
            "--index/--no-index",
            help="Write a commit-graph beside the repository first; default: if there are many fixes.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    from parsers.registry import lookup
    from szz.repository import NoRepository, Repository
    from szz.trace import trace

    chosen = lookup("szz.variants", variant)
    names = fixes_from(fix)
    failed = 0
    try:
        with Repository(repository) as opened:
            for traced in trace(opened, names, chosen, paths, workers, index):
                failed += traced.error is not None
                if as_json:
                    emit(traced.to_json())
                else:
                    _print(traced, opened)
    except NoRepository as error:
        raise ValueError(str(error)) from error
    if not as_json:
        print_err(
            f"{len(names)} fix(es), variant {chosen.name}, paths {paths}, {failed} not traced"
        )
    raise typer.Exit(UNMET if failed else OK)
