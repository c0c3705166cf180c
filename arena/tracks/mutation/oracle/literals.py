"""Values from what a program's source names: keys it knows, limits it sets, hosts it allows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from parsers.python_syntax import syntax_tree

MAX_LITERALS = 10
TEXT_LENGTH = 60
HOST = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}")
ELSEWHERE = "evil.example"


def program_values(source: str) -> dict[str, tuple[str, ...]]:
    """Kind of parameter -> values as Python source, from the constants of a program."""
    constants = [n.value for n in ast.walk(syntax_tree(source)) if isinstance(n, ast.Constant)]
    numbers = [v for v in constants if isinstance(v, int) and not isinstance(v, bool)]
    texts = [v for v in constants if isinstance(v, str) and 0 < len(v) <= TEXT_LENGTH]
    plain = [text for text in texts if re.fullmatch(r"[\w .:/@+-]+", text)]
    near = tuple(dict.fromkeys(repr(value) for n in numbers for value in _neighbouring_numbers(n)))
    words = tuple(dict.fromkeys(map(repr, plain)))[:MAX_LITERALS]
    values_by_kind = {
        **dict.fromkeys(("number", "size"), near[:MAX_LITERALS]),
        "id": (*near[:MAX_LITERALS], *words),
        **dict.fromkeys(("text", "name", "role", "token", "query", "command"), words),
        "url": tuple(repr(url) for host in _hosts(texts) for url in _spoofed_urls(host))[
            : 2 * MAX_LITERALS
        ],
        "path": tuple(repr(path) for base in _folders(texts) for path in _climbing(base))[
            :MAX_LITERALS
        ],
        "filename": tuple(
            repr(name) for end in _endings(texts) for name in _disguised_file_names(end)
        )[:MAX_LITERALS],
    }
    return {kind: values for kind, values in values_by_kind.items() if values}


def _neighbouring_numbers(number: int) -> tuple[int, ...]:
    """The number, its neighbours, and what is far above a limit of it (within reason)."""
    # Not beyond a million: a size of that order would exhaust the sandbox and not the program's limit.
    far = (number * 10 + 1,) if 1 < number < 10**6 else ()
    return (number, number + 1, number - 1, *far)


def _hosts(texts: list[str]) -> list[str]:
    return list(dict.fromkeys(h for text in texts for h in HOST.findall(text.lower())))[:3]


def _spoofed_urls(host: str) -> Iterator[str]:
    """URLs that hold an allowed host and lead elsewhere."""
    bare = host.removeprefix("www.")
    # Each form beats one usual mistake: a check by prefix, by suffix, by substring, before the `@`, or of the
    # path.
    yield f"https://{bare}.{ELSEWHERE}/"
    yield f"https://evil{bare}/"
    yield f"https://{ELSEWHERE}/{bare}"
    yield f"https://{bare}@{ELSEWHERE}/"
    yield f"//{ELSEWHERE}/?{bare}"
    yield f"http://{host}/"


def _folders(texts: list[str]) -> list[str]:
    folders = [t for t in texts if re.fullmatch(r"/[\w./-]{2,}", t)]
    return list(dict.fromkeys(folders))[:3]


def _climbing(base: str) -> Iterator[str]:
    """Paths that begin like an allowed folder and lead out of it."""
    yield f"{base.rstrip('/')}/../../../../etc/passwd"
    yield f"{base.rstrip('/')}_other/file.txt"
    yield f"../{base.strip('/').rpartition('/')[2]}_other/file.txt"


def _endings(texts: list[str]) -> list[str]:
    return list(dict.fromkeys(t for t in texts if re.fullmatch(r"\.[a-z0-9]{2,5}", t)))[:3]


def _disguised_file_names(ending: str) -> Iterator[str]:
    """File names that show an allowed ending and have another."""
    yield f"shell{ending}.php"
    yield f"shell.php{ending}"
    yield f"{ending}/../shell.php"
