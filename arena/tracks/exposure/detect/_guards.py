"""What a test of a redirect's target says of the host that it leads to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from arena.tracks.exposure.detect._grades import (
    GOOD,
    NOTHING,
    Grade,
    Graded,
    attacker_controlled,
    first_texts,
    is_name,
    only_if,
    present,
    quote_texts,
    schemes_only,
)
from arena.tracks.exposure.detect._hosts import (
    HostOutcome,
    Part,
    TriedHost,
    keeps_inside,
    parse_host,
    try_pattern,
)
from arena.tracks.exposure.detect._program import PLACEHOLDER, ParsedProgram, texts_of
from arena.tracks.exposure.detect._redirects import Redirect, key_of
from arena.tracks.exposure.detect._tainted import NOT_SEEN
from arena.tracks.exposure.flow.facts import UNKNOWN, Check, Value

_HOST_STEPS = frozenset((".netloc", ".hostname", ".host", ".domain", ".registered_domain", ".fqdn"))
_OTHER_STEPS = frozenset((".scheme", ".path", ".query", ".fragment", ".port", ".params"))
_PIECES = frozenset((".split", ".rsplit", ".partition", ".rpartition", ".group", ".groups"))
_CUTS = _PIECES | {"[:]"}
# Checks of frameworks, and those of modules that cannot be seen here but say by their name what they do.
_HELPERS = re.compile(
    r"(?:.*[.?])?(?:url_has_allowed_host_and_scheme|is_safe_url|is_safe_redirect_url|is_url_safe|url_is_safe"
    r"|(?:is|check|validate)_\w*(?:safe|allowed|valid|trusted|internal|same|local)\w*)"
)
_KNOWN_HELPERS = ("django.", "flask_security.", "starlette.", "wtforms.")
_PATTERN_CALL = re.compile(
    r"(?:re|regex)\.(?:compile\(\)\.)?(match|search|fullmatch|findall|finditer|split|sub)"
)
_OWN_ORIGIN = ("host_url", "url_root", "root_url", "base_url", "url_for()")


class Guards:
    """Grades tests of a program about the data that forms the target of a redirect."""

    def __init__(self, program: ParsedProgram, redirect: Redirect) -> None:
        self._program = program
        self._sources = redirect.data
        self._joined = any(text.endswith("//") for text in first_texts(redirect.target))
        self._target = redirect.target
        self._checks = redirect.checks
        self._defaulted = bool(redirect.target.texts)

    def passed_tests(self) -> list[Graded]:
        """Tests that were certainly passed when the redirect happens.

        Where the target can be the program's constant text instead, a good test anywhere decided which.
        """
        tests = present(self._graded_all(self._checks))
        # The constant stands for what a test refused: where the test stood does not matter.
        if self._defaulted:
            tests += [
                graded_check for graded_check in self.anywhere() if graded_check.grade in GOOD
            ]
        return tests

    def anywhere(self) -> list[Graded]:
        """Tests about the same data anywhere in the program, as if each was passed."""
        return present(self.grade(check) for check in self._program.tests)

    def failed_tests(self) -> list[Graded]:
        """Good tests for a host that were certainly failed when the redirect happens."""
        # Graded as if they were passed: a good test that failed lets only bad targets through.
        turned = [replace(check, holds=True) for check in self._checks if not check.holds]
        graded = ((self.grade(item), item) for item in turned)
        return [
            grade
            for grade, item in graded
            if grade.grade is Grade.STRICT or (grade.grade is Grade.EXACT and _names_a_host(item))
        ]

    def _graded_all(self, checks: Iterable[Check]) -> Iterator[Graded]:
        checks_known = tuple(checks)
        yield from (self.grade(check) for check in checks_known)
        if self._is_local_path(checks_known):
            yield Graded(Grade.EXACT, 0, "a test for a path of this site")

    def grade(self, check: Check) -> Graded:
        """The grade of a single check."""
        if check.operator == "either":
            return self._grade_alternatives(check)
        work = _BY_OPERATOR.get(check.operator)
        return work(self, check) if work else NOTHING

    def _grade_alternatives(self, check: Check) -> Graded:
        """A good grade where each alternative has a good test, else the first grade that is not good."""
        graded = [present(self._graded_all(branch)) for branch in check.alternatives]
        best = [next((item for item in branch if item.grade in GOOD), None) for branch in graded]
        if all(best):
            return (
                next((item for item in best if item and item.grade is Grade.STRICT), best[0])
                or NOTHING
            )
        return next(
            (item for branch in graded for item in branch if item.grade not in GOOD), NOTHING
        )

    def looks_at(self, value: Value) -> bool:
        """Whether it holds data of the redirect's target."""
        if any(key_of(flow) in self._sources for flow in value.flows):
            return True
        return any(("path", path) in self._sources for path in value.paths)

    def _steps(self, value: Value) -> frozenset[str]:
        return frozenset(
            step for flow in value.flows if key_of(flow) in self._sources for step in flow.through
        )

    def _part(self, value: Value) -> Part | None:
        """The part of the URL that a value is; None for a part that is not about the host."""
        steps = self._steps(value)
        if steps & _HOST_STEPS or any(path.endswith("urlparse()[]") for path in value.paths):
            return "host"
        if steps & _PIECES:
            return "host"
        if steps & _OTHER_STEPS:
            return None
        return "host" if self._joined else "url"

    def _is_another_part(self, value: Value, part: Part) -> bool:
        """Whether it is an element of the same data, such as another field of the same document."""
        return part == "url" and "[]" in self._steps(value) and value is not self._target

    def _is_local_path(self, checks: Iterable[Check]) -> bool:
        """startswith("/") and not startswith("//"), or the second character is no slash."""
        begins, double = False, False
        for check in checks:
            if any(name.endswith(".startswith") for name in check.name) and self.looks_at(
                check.left
            ):
                texts = texts_of(check.right.items[0]) if check.right.items else ()
                begins = begins or (check.holds and texts == ("/",))
                double = double or (not check.holds and "//" in texts)
        return begins and double

    def _equal(self, check: Check) -> Graded:
        subject, compared = check.left, check.right
        if not self.looks_at(subject):
            subject, compared = compared, subject
        part = self._part(subject) if self.looks_at(subject) else None
        if (
            part is None
            or not check.holds
            # Data that is compared with itself is not restricted.
            or self.looks_at(compared)
            or attacker_controlled(compared)
        ):
            return NOTHING
        if None in compared.constants or (
            part == "url" and compared.exact and "" in compared.constants
        ):
            return Graded(Grade.EXACT, check.line, "an empty host") if part == "host" else NOTHING
        if "[:]" in self._steps(subject) and part == "url":
            return self._prefix(texts_of(compared), check.line)
        if (compared.exact and not compared.texts) or self._is_another_part(subject, part):
            return NOTHING
        return Graded(Grade.EXACT, check.line, "a comparison of the whole")

    def _inside(self, check: Check) -> Graded:
        if self.looks_at(check.left):
            return self._grade_membership(check)
        if not self.looks_at(check.right) or self._part(check.right) is None:
            return NOTHING
        if check.right.items is not None and not self._steps(check.right) & _CUTS:
            return self._equal_items(check)
        names = [text for text in texts_of(check.left) if parse_host(text)]
        unknown = not check.left.constants and not check.left.flows and check.holds
        word = self._is_known(check) and any(map(is_name, check.left.texts))
        if names or unknown or word:
            return Graded(Grade.PART, check.line, f"{quote_texts(names or check.left.texts)} in it")
        return NOTHING

    def _is_known(self, check: Check) -> bool:
        return check.holds and any(check is item for item in self._checks)

    def _equal_items(self, check: Check) -> Graded:
        is_constant_item = check.holds and bool(check.left.constants)
        return (
            Graded(Grade.EXACT, check.line, "a comparison of the whole")
            if is_constant_item
            else NOTHING
        )

    def _grade_membership(self, check: Check) -> Graded:
        part = self._part(check.left)
        if part is None or self.looks_at(check.right) or attacker_controlled(check.right):
            return NOTHING
        if check.right.items is None and check.right.pairs is None and check.right.texts:
            weak = check.holds and part == "host" and any(map(parse_host, check.right.texts))
            return Graded(Grade.PART, check.line, "a part of a text") if weak else NOTHING
        if part == "url" and "[:]" in self._steps(check.left):
            return self._prefix(texts_of(check.right), check.line)
        # A list of schemes says nothing of the host.
        if schemes_only(check.right) or self._is_another_part(check.left, part):
            return NOTHING
        return (
            Graded(Grade.EXACT, check.line, "a list of allowed values") if check.holds else NOTHING
        )

    def _truth(self, check: Check) -> Graded:
        if check.holds or not self.looks_at(check.left) or self._part(check.left) != "host":
            return NOTHING
        direct = check.left.ends(".netloc", ".hostname", ".host", "[]")
        return Graded(Grade.EXACT, check.line, "an empty host") if direct else NOTHING

    def _grade_call(self, check: Check) -> Graded:
        for name in sorted(check.name):
            match = _PATTERN_CALL.fullmatch(name)
            if match:
                return self._grade_pattern(check, match[1], ".compile()." in name)
            if _HELPERS.fullmatch(name) and not name.startswith("<"):
                return self._grade_helper(check, name)
            work = _BY_METHOD.get(name.rpartition(".")[2])
            if work and self.looks_at(check.left):
                return work(self, check)
        return NOTHING

    def _grade_helper(self, check: Check, name: str) -> Graded:
        arguments = (*(check.right.items or ()), *check.keywords.values())
        if check.holds and any(self.looks_at(item) for item in arguments):
            shown = f"{name.lstrip('?$')}()"
            is_known_helper = name.startswith(_KNOWN_HELPERS)
            what = shown if is_known_helper else f"{shown}, and what that does {NOT_SEEN}"
            return Graded(Grade.EXACT, check.line, what)
        return NOTHING

    def _starts(self, check: Check) -> Graded:
        value = (check.right.items or (UNKNOWN,))[0]
        part, texts = self._part(check.left), texts_of(value)
        if part is None:
            return NOTHING
        if value.ends(*_OWN_ORIGIN):
            return Graded(only_if(check.holds), check.line, "this site's own address in front")
        if part == "url" or any("//" in text for text in texts):
            graded_check = self._prefix(texts, check.line)
            return graded_check if check.holds or graded_check.grade is Grade.PART else NOTHING
        return self._grade_search(check)

    def _prefix(self, texts: tuple[str, ...], line: int) -> Graded:
        forms = [form for form in map(parse_host, texts) if form is not None]
        # A text that names no host restricts none.
        if not forms:
            return NOTHING
        if all(form.ended for form in forms) and len(forms) == len(texts):
            return Graded(Grade.EXACT, line, "a whole host in front")
        return Graded(
            Grade.PART, line, f"{quote_texts(texts)} in front, without a slash after the host"
        )

    def _ends(self, check: Check) -> Graded:
        part = self._part(check.left)
        value = (check.right.items or (UNKNOWN,))[0]
        texts = texts_of(value)
        forms = [form for form in map(parse_host, texts) if form is not None]
        if part is None or not forms:
            return NOTHING
        if part == "host" and all(form.dotted for form in forms):
            return Graded(only_if(check.holds), check.line, "a domain with its dot at the end")
        return Graded(Grade.PART, check.line, f"{quote_texts(texts)} at the end")

    def _grade_search(self, check: Check) -> Graded:
        """A method that looks for a text anywhere: find, index, count, split."""
        texts = texts_of((check.right.items or (UNKNOWN,))[0])
        if any(map(parse_host, texts)) and self._part(check.left) is not None:
            return Graded(Grade.PART, check.line, f"{quote_texts(texts)} somewhere in it")
        return NOTHING

    def _simple(self, check: Check) -> Graded:
        whole = not self._steps(check.left) & (_CUTS | {"[]"})
        return Graded(Grade.EXACT, check.line, "a plain word") if check.holds and whole else NOTHING

    def _grade_pattern(self, check: Check, how: str, compiled: bool) -> Graded:
        arguments = check.right.items or ()
        pattern = check.left if compiled else (arguments[0] if arguments else UNKNOWN)
        rest = arguments if compiled else arguments[1:]
        subject = next((item for item in rest if self.looks_at(item)), None)
        part = self._part(subject) if subject is not None else None
        if part is None:
            return NOTHING
        results = [
            self._try(text, how, part, check)
            for text in texts_of(pattern, re.escape(PLACEHOLDER))
            if text in self._program.flags
        ]
        return next(
            (item for item in results if item.grade is Grade.LOOSE),
            results[0] if results else NOTHING,
        )

    def _try(self, pattern: str, how: str, part: Part, check: Check) -> Graded:
        flags = self._program.flags[pattern]
        outcome: TriedHost = try_pattern(pattern, flags, how, part)
        if outcome.outcome is HostOutcome.LOOSE:
            return Graded(Grade.LOOSE, check.line, f"the pattern {pattern[:80]!r}", outcome.passed)
        if outcome.outcome is HostOutcome.STRICT:
            return (
                Graded(Grade.STRICT, check.line, f"the pattern {pattern[:80]!r}")
                if check.holds
                else NOTHING
            )
        inside = check.holds and part == "url" and keeps_inside(pattern, flags, how)
        return Graded(Grade.EXACT, check.line, "a pattern for local paths") if inside else NOTHING


def _names_a_host(check: Check) -> bool:
    sides = (check.left, *(check.right.items or (check.right,)))
    return any(parse_host(text) is not None for side in sides for text in texts_of(side))


Work = Callable[[Guards, Check], Graded]
_BY_OPERATOR: Mapping[str, Work] = {
    "==": Guards._equal,
    "is": Guards._equal,
    "in": Guards._inside,
    "truth": Guards._truth,
    "call": Guards._grade_call,
}
_BY_METHOD: Mapping[str, Work] = {
    "startswith": Guards._starts,
    "endswith": Guards._ends,
    **dict.fromkeys(
        ("find", "rfind", "index", "rindex", "count", "split", "partition", "__contains__"),
        Guards._grade_search,
    ),
    **dict.fromkeys(("isalnum", "isalpha", "isdigit", "isdecimal", "isidentifier"), Guards._simple),
}
