"""Names that a gold patch adds or changes, and the words in them."""

from __future__ import annotations

import re
from functools import lru_cache

from tasks.instruction.gold import GoldFile
from tasks.instruction.tokens import code_tokens

IDENTIFIER = re.compile(r"[A-Za-z_]\w+")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NO_STATEMENT = r"^(?!\s*(?:return|else|throw|delete|goto|case)\b)"
_DECLARES = (
    re.compile(r"^\s*#\s*define\s+(\w+)"),
    re.compile(r"\b(?:struct|class|union|enum(?:\s+class)?|namespace|using)\s+(\w+)\s*(?:[:{=]|$)"),
    re.compile(r"^\s*typedef\b.*\b(\w+)\s*;"),
    # a definition's head, which ends in no semicolon
    re.compile(_NO_STATEMENT + r"(?:[\w:<>,]+[\s*&]+)+(?:\w+::)?(~?\w+)\s*\([^;]*$"),
    # a prototype on one line
    re.compile(_NO_STATEMENT + r"(?:[\w:<>,]+[\s*&]+)+(\w+)\s*\([\w\s:<>,*&=\[\].]*\)[\w\s]*;"),
    # an enumerator on a line of its own
    re.compile(r"^\s*([A-Z]\w+)\s*(?:=\s*[\w'<|() ]+)?,\s*(?:/[/*].*)?$"),
)
_LINE = 300
_FUNCTION = re.compile(r"(\w+)\s*\(")
_KEYWORDS = frozenset(
    re.findall(
        r"\S+",
        "if for while switch return sizeof catch do else defined static_assert alignof decltype throw new "
        "delete case break continue default goto const static struct class union enum void int char bool "
        "unsigned signed long short float double auto inline extern typedef namespace using public private "
        "protected template typename virtual operator this true false nullptr NULL size_t std include "
        "define ifdef ifndef endif undef elif",
    )
)
# Parts of names that say nothing about what a file does.
_GENERIC = frozenset(
    re.findall(
        r"\S+",
        "get set put make new init free alloc next value node data size len length count num index idx "
        "text line str string buf buffer type kind name file path item entry list table code error err "
        "status result ret res ptr key val ctx context info state flag flags mode main src lib util utils "
        "common core impl internal base test default handle from with uint int char bool std begin end "
        "first last add put read write parse parser open close start stop run func process "
        "check find copy move take fail field array map out in tmp temp cur prev left right the and for "
        "that this one two into this not are document include level use uses",
    )
)
_SUFFIX = re.compile(r"(?:ations?|ments?|ings?|ions?|ers?|ors?|ies|ed|es|s|e|y)$")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """`word` in lower case without its ending: `expanded` and `expands` give the same."""
    low = word.lower()
    cut = _SUFFIX.sub("", low)
    return cut if len(cut) >= 3 else low


GENERIC_STEMS = frozenset(map(stem, _GENERIC))


def parts(name: str) -> set[str]:
    """The stems of the words in a name, without generic words."""
    name_parts = {stem(word) for word in PART.findall(name) if len(word) >= 3}
    return name_parts - GENERIC_STEMS


def declared_names(file: GoldFile) -> list[str]:
    """Names that the added lines of a file declare (functions, types, macros, enumerators)."""
    names: dict[str, None] = {}
    for line in file.lines("+"):
        for pattern in _DECLARES:
            match = pattern.search(line[:_LINE])
            if match and match[1] not in _KEYWORDS and len(match[1]) > 2:
                names[match[1]] = None
    return list(names)


def touched_functions(file: GoldFile) -> list[str]:
    """Functions that git names for the hunks of a file: those that the patch changes."""
    names_in_hunks = (_FUNCTION.findall(hunk.heading) for hunk in file.hunks)
    return list(dict.fromkeys(n for names in names_in_hunks for n in names if n not in _KEYWORDS))


def used(file: GoldFile) -> set[str]:
    """All identifiers in the added lines of a file."""
    added = "\n".join(file.lines("+"))
    tokens = (token for token, _ in code_tokens(added))
    return {t for t in tokens if IDENTIFIER.fullmatch(t)} - _KEYWORDS
