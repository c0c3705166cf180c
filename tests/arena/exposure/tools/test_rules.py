"""Which alert is about which weakness: by the rule where it is known, by the CWE elsewhere."""

from __future__ import annotations

import importlib
import re

import pytest

from arena.tracks.exposure.tasks.pack import load_exposure
from arena.tracks.exposure.tools._rules import (
    ELSEWHERE,
    FURTHER,
    QUERIES,
    about,
    can_look,
    queries_for,
)
from arena.tracks.exposure.tools._tool import ToolWeakness
from arena.tracks.exposure.tools.bandit import RULES
from tests.arena.exposure.tools.making import PATH, REGEX, SUBSTRING, TAR, UPLOAD, YAML

CREDENTIALS = ToolWeakness(("CWE-798",), "credentials")
COMMAND = ToolWeakness(("CWE-78",), "command")
CODE = ToolWeakness(("CWE-94",), "code")


@pytest.mark.parametrize(
    ("rule", "cwe", "is_about", "is_not"),
    [
        ("py/incomplete-hostname-regexp", "CWE-20", REGEX, SUBSTRING),
        ("py/incomplete-url-substring-sanitization", "CWE-20", SUBSTRING, REGEX),
        ("py/path-injection", "CWE-22", PATH, TAR),
        ("py/tarslip", "CWE-22", TAR, PATH),
        ("py/unsafe-unpacking", "CWE-22", TAR, PATH),
        ("B202", "CWE-22", TAR, PATH),
        ("B506", "CWE-20", YAML, REGEX),
        ("B105", "CWE-259", CREDENTIALS, COMMAND),
        ("B307", "CWE-78", CODE, COMMAND),
    ],
)
def test_a_known_rule_is_about_one_of_two_with_its_cwe(
    rule: str, cwe: str, is_about: ToolWeakness, is_not: ToolWeakness
) -> None:
    assert about(rule, (cwe,), is_about, {})
    assert not about(rule, (cwe,), is_not, {})


def test_rules_that_are_not_known_go_by_their_cwe() -> None:
    assert about("mine.tar", ("CWE-22",), TAR, {})
    assert about("mine.tar", ("CWE-22",), PATH, {})
    assert not about("mine.tar", ("CWE-23",), PATH, {})
    assert not about("mine.tar", (), PATH, {})


def test_a_detector_from_elsewhere_goes_by_the_cwe_of_known_rules() -> None:
    assert about("py/tarslip", ("CWE-22",), ToolWeakness(("CWE-22",), "my.module:PLUGIN"), {})


def test_rules_about_something_else_are_never_about_ours() -> None:
    assert not about("B201", ("CWE-94",), CODE, {})
    assert not about("py/cookie-injection", ("CWE-20",), REGEX, {})


def test_the_users_table_adds_and_takes_away() -> None:
    assert about("B310", ("CWE-22",), PATH, {"B310": ("CWE-22",)})
    assert about("mine", (), YAML, {"mine": ("CWE-502",)})
    assert about("B506", ("CWE-20",), YAML, {"B506": ("CWE-999",)}), "it adds"
    assert not about("B506", ("CWE-20",), YAML, {"B506": ()})


def test_a_tool_without_a_rule_for_a_weakness_cannot_look() -> None:
    assert can_look(None, UPLOAD, {}), "it does not say"
    assert not can_look({}, YAML, {})
    assert not can_look(RULES, UPLOAD, {})
    assert not can_look(RULES, REGEX, {}), "under CWE-20, Bandit has YAML and XML alone"
    assert not can_look(RULES, PATH, {})
    assert can_look(RULES, YAML, {})
    assert can_look(RULES, UPLOAD, {"B108": ("CWE-434",)})


def test_the_papers_scenarios_each_have_a_query_of_codeql() -> None:
    detectors = {one.spec.detector for one in load_exposure("exposure").scenarios}
    paper = {one.spec.detector for one in load_exposure("exposure").scenarios if one.spec.paper}
    assert paper <= QUERIES.keys() <= detectors
    assert FURTHER.keys() <= detectors


def test_a_rule_is_in_one_place() -> None:
    listed = [rule for rules in QUERIES.values() for rule in rules]
    listed += [rule for rules in FURTHER.values() for rule in rules]
    listed += ELSEWHERE
    assert len(listed) == len(set(listed))
    assert all(re.fullmatch(r"B[1-7]\d\d|py/[a-z0-9/-]+", rule) for rule in listed)
    assert {rule for rule in listed if rule.startswith("B")} <= RULES.keys()


def test_queries_are_named_by_pack_and_path_once() -> None:
    assert queries_for({"sql", "tar", "upload"}) == [
        "codeql/python-queries:Security/CWE-022/TarSlip.ql",
        "codeql/python-queries:Security/CWE-089/SqlInjection.ql",
    ]
    assert queries_for({"upload", "weak-random"}) == []


@pytest.mark.filterwarnings("ignore:The verify_requirements")
def test_the_table_of_bandits_tests_is_that_of_the_installed_bandit() -> None:
    manager = importlib.import_module("bandit.core.extension_loader").MANAGER
    blacklists = {test["id"]: test["cwe"] for test in manager.blacklist_by_id.values()}
    assert RULES.keys() == manager.plugins_by_id.keys() | blacklists.keys()
    told = {test: f"CWE-{cwe}" for test, cwe in blacklists.items()}
    assert told == {test: RULES[test][0] for test in told}
