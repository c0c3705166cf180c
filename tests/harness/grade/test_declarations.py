"""Functions that headers define again or rename, without any macro; plain declarations are none."""

from __future__ import annotations

import pytest

from harness.grade.declarations import redefined_functions

REDEFINED = {
    "a copy of one's own": (
        "static inline int strcmp(const char *a, const char *b)\n{\n    return a == b;\n}\n",
        {"strcmp"},
    ),
    "a body without static": ("int puts(const char *s) { return s != 0; }", {"puts"}),
    "static, defined elsewhere": ("static int puts(const char *s);", {"puts"}),
    "a label": ('extern int strcmp(const char *, const char *) __asm__("mine");', {"strcmp"}),
    "an alias": ('static int puts(int) __attribute__((weakref("mine"), unused));', {"puts"}),
    "behind an attribute": (
        "__attribute__((always_inline)) inline int puts(int c) { return c; }",
        {"puts"},
    ),
    "in a namespace": ("namespace p { inline int puts(int) { return 0; } }", {"puts"}),
    "for C": ('extern "C" { static int puts(int) { return 0; } }', {"puts"}),
}
HARMLESS = {
    "a declaration": "int strcmp(const char *, const char *);",
    "a declaration for C++": 'extern "C" int puts(const char *);',
    "a format that is checked": "int log_(const char *, ...) __attribute__((format(printf, 1, 2)));",
    "a call": 'static inline int same(const char *a) { return strcmp(a, "x") == 0; }',
    "a member": "struct reader { int (*read)(void *); };",
    "a value": "static int size = sizeof(int); static int (*call)(int) = puts;",
    "text": 'static const char usage[] = "puts(x) {";',
}


@pytest.mark.parametrize(("text", "names"), REDEFINED.values(), ids=REDEFINED)
def test_what_is_defined_again_or_renamed_is_found(text: str, names: set[str]) -> None:
    assert redefined_functions(text) == names


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_what_a_header_only_declares_or_calls_is_left_out(text: str) -> None:
    borrowed = {"strcmp", "puts", "printf", "read", "sizeof"}
    assert redefined_functions(text) & borrowed == set()
