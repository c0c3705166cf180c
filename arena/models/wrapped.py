"""Code that a model put into JSON ({"code": "..."}, files with their content, lists of lines), fenced again.

Models write what only resembles JSON: line ends within texts, Python's quotes, an end that is missing.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from arena.models.blocks import fence, find_blocks
from arena.models.thoughts import drop_thoughts

# Names of fields that hold code.
CODE = re.compile(
    r"(?:(?:full|final|complete|fixed|source|python|javascript|js|cpp|c|test|tests|pytest|security)_?)*"
    r"(?:code|source|program|solution|implementation|script|contents?|tests?|suite|module|file)",
    re.IGNORECASE,
)
# Names of fields with the text that a model would have written without JSON.
SPEECH = re.compile(
    r"(?:final_?)?(?:answer|completion|response|output|result|text|body|reply|message)",
    re.IGNORECASE,
)
NAMES = ("path", "filename", "file_name", "name", "file")
SUFFIXES = {".py": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript"}
SUFFIXES |= dict.fromkeys((".cpp", ".cc", ".cxx", ".c", ".h", ".hpp"), "cpp")
# Characters of JSON that are read: what is longer is left as it is.
MAX_WRAPPED = 1 << 20
MAX_DEPTH = 6
_OPENS = re.compile(r"\s*[{\[]")
# Half an escape at the end of a text.
_HALF = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?\Z")
_BROKEN = re.compile(r'\s*\{\s*"(\w{1,40})"\s*:\s*"')


def fence_json_code(reply: str) -> str:
    """A reply in which code from JSON is fenced; a reply without such code is unchanged. Raises nothing."""
    inner = _json_in(reply)
    if not inner or len(inner) > MAX_WRAPPED:
        return reply
    value = _parse_value(inner)
    if value is None:
        return _broken_off(inner) or reply
    fenced = "\n\n".join(_fences(value, "", ""))
    return fenced or reply


def _json_in(reply: str) -> str:
    """The JSON that is the whole reply or its only fenced block; "" for none."""
    if _OPENS.match(reply):
        return reply
    blocks = find_blocks(reply)
    if len(blocks) == 1 and blocks[0].language in ("json", "json5", "jsonc", "") and (
        _OPENS.match(blocks[0].text)
    ):  # fmt: skip
        return blocks[0].text
    return ""


def _parse_value(text: str) -> Any:
    """The object or list in a text of JSON or of a Python literal; None for neither."""
    for read in (_json, _literal):
        try:
            value = read(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        if isinstance(value, dict | list):
            return value
    return None


def _json(text: str) -> Any:
    return json.loads(text, strict=False)


def _literal(text: str) -> Any:
    return ast.literal_eval(text)


def _fences(value: Any, field: str, language: str, depth: int = 0) -> Iterator[str]:
    """Texts of fields that hold code, each in a fence unless it has a fence already."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, str):
        if SPEECH.fullmatch(field) or (value.strip() and find_blocks(value)):
            yield drop_thoughts(value)
        elif value.strip() and (language or CODE.fullmatch(field)):
            yield fence(value, language)
    elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        yield from _fences("\n".join(value), field, language, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _fences(item, field, language, depth + 1)
    elif isinstance(value, dict):
        yield from _code_in_object(value, depth + 1)


def _code_in_object(value: dict[str, Any], depth: int) -> Iterator[str]:
    """The code in an object; if it names a file, its content is in that file's language."""
    named = next((_language(str(value[name])) for name in NAMES if name in value), "")
    for key, value_of_key in value.items():
        field = str(key)
        if not (named and field.lower() in NAMES):
            code = named if CODE.fullmatch(field) else ""
            yield from _fences(value_of_key, field, _language(field) or code, depth)


def _language(name: str) -> str:
    """The language of a file by its name; "" for an unlisted suffix."""
    return SUFFIXES.get(PurePosixPath(name[:300]).suffix.lower(), "")


def _broken_off(text: str) -> str:
    """The code in JSON that has no end, in a fence without an end; "" for different text."""
    begun = _BROKEN.match(text)
    if not begun or not CODE.fullmatch(begun[1]):
        return ""
    try:
        code, _ = json.JSONDecoder(strict=False).raw_decode(text[begun.end() - 1 :])
        return fence(code, "")  # what broke off is another field
    except ValueError:
        pass
    rest = _HALF.sub(r"\1", text[begun.end() :])
    try:
        code = json.loads(f'"{rest}"', strict=False)
    except ValueError:
        return ""
    return "\n".join(fence(code, "").splitlines()[:-1])
