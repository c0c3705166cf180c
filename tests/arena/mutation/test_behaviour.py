"""The default classifier on real runs: what is semantic, and what only looks so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.tracks.mutation.classify import Category, Kill, KilledMutant
from arena.tracks.mutation.classify.behaviour import BehaviourClassifier
from arena.tracks.mutation.classify.paper import PLUGIN as PAPER
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.runner.pool import TestRunner
from arena.tracks.mutation.tasks.program import Program


@pytest.fixture(scope="module")
def runner() -> Iterator[TestRunner]:
    with TestRunner(workers=1) as made:
        yield made


SQL = Program(
    "sql",
    "CWE-89",
    "find",
    "def find(name):\n    return db.execute('SELECT * FROM users WHERE name = ?', (name,))\n",
    "",
    functional_tests="def test_found():\n    assert find('alice')\n",
)
SQL_MUTANT = (
    "PSQLI",
    "def find(name):\n    return db.execute(f\"SELECT * FROM users WHERE name = '{name}'\")\n",
)
HASH = Program(
    "hash",
    "CWE-328",
    "digest",
    "import hashlib\n\ndef digest(text):\n    return hashlib.sha256(text.encode()).hexdigest()\n",
    "",
)
HASH_MUTANT = ("WEAKCRYPTO", HASH.secure.replace("sha256", "md5"))
FETCH = Program(
    "fetch",
    "CWE-918",
    "fetch",
    "import requests\nfrom urllib.parse import urlparse\n\ndef fetch(url):\n"
    "    if urlparse(url).hostname in ('localhost', '127.0.0.1', '169.254.169.254'):\n"
    "        raise ValueError('not there')\n"
    "    return requests.get(url, timeout=5).text\n",
    "",
)
FETCH_MUTANT = (
    "SSRF",
    "import requests\nfrom urllib.parse import urlparse\n\ndef fetch(url):\n"
    "    return requests.get(url, timeout=5).text\n",
)
LOAD = Program(
    "load",
    "CWE-502",
    "load",
    "import json\n\ndef load(text):\n    return json.loads(text)\n",
    "",
)
LOAD_MUTANT = ("DESERIAL", "import pickle\n\ndef load(text):\n    return pickle.loads(text)\n")
SUM = Program(
    "sum",
    "CWE-95",
    "compute",
    "import ast\n\ndef compute(text):\n    return ast.literal_eval(text)\n",
    "",
)
SUM_MUTANT = ("EVALINJECT", "def compute(text):\n    return eval(text)\n")

SAFE_QUERY = "db.execute('SELECT * FROM users WHERE name = ?', (name,))"
WEAK_QUERY = "db.execute(f\"SELECT * FROM users WHERE name = '{name}'\")"
SHAPES = Program(
    "shapes",
    "CWE-89",
    "Store",
    f"class Store:\n    def find(self, name):\n        return {SAFE_QUERY}\n\n"
    f"def each(name):\n    yield from {SAFE_QUERY}\n\n"
    f"async def later(name):\n    return {SAFE_QUERY}\n",
    "",
)
SHAPES_MUTANT = ("PSQLI", SHAPES.secure.replace(SAFE_QUERY, WEAK_QUERY))
GET = Program(
    "get",
    "CWE-295",
    "get",
    "import requests\n\ndef get(url):\n    return requests.get(url, timeout=5, verify=True)\n",
    "",
)
CLIENT = Program(
    "client",
    "CWE-295",
    "Client",
    "import requests\n\nclass Client:\n    def __init__(self, base):\n        self.base = base\n\n"
    "    def get(self, path):\n        return requests.get(self.base + path, timeout=5, verify=True)\n",
    "",
)
GET_MUTANT = ("NOCERTVALID", GET.secure.replace("True", "False"))

GUARD = Program(
    "guard",
    "CWE-306",
    "reset",
    "def reset(request, name):\n    if not request.user.is_authenticated:\n"
    "        raise PermissionError('log in')\n    audit_log.record(name)\n    return name\n",
    "",
)
GUARD_MUTANT = (
    "RMAUTH",
    "def reset(request, name):\n    audit_log.record(name)\n    return name\n",
)
GUARD_SLIPS = ("RMAUTH", "def reset(request, name):\n    audit.record(name)\n    return name\n")
NOBODY = (
    "class Nobody:\n    is_authenticated = False\n    is_admin = True\n"
    "class Asked:\n    user = Nobody()\n"
    "def test_a():\n    refused = False\n    try:\n        reset(Asked(), 'x')\n"
    "    except PermissionError:\n        refused = True\n    except Exception:\n        pass\n"
    "    assert refused, 'no authentication was asked for'\n"
)

SEMANTIC, FUNCTIONAL, INCIDENTAL = Category.SEMANTIC, Category.FUNCTIONAL, Category.INCIDENTAL

CASES = {
    "state that is looked at, without a message": (
        SQL,
        SQL_MUTANT,
        "def test_a():\n    find(\"x' OR '1'='1\")\n    assert db.last_params is not None\n",
        SEMANTIC,
    ),
    "state with an ordinary value": (
        SQL,
        SQL_MUTANT,
        "def test_a():\n    find('alice')\n    assert db.last_params\n",
        SEMANTIC,
    ),
    "an attack seen by its outcome": (
        SQL,
        SQL_MUTANT,
        "def test_a():\n    assert len(find(\"x' OR '1'='1\")) == 0\n",
        SEMANTIC,
    ),
    "the source is compared, after an attack": (
        SQL,
        SQL_MUTANT,
        "import inspect, target_module\n"
        "def test_a():\n    find(\"x' OR '1'='1\")\n"
        f"    assert inspect.getsource(target_module) == {SQL.secure!r}, 'sql injection'\n",
        INCIDENTAL,
    ),
    "a signature of the source, with words of security": (
        SQL,
        SQL_MUTANT,
        "import inspect, target_module\n"
        "def test_a():\n    assert '?' in inspect.getsource(target_module), 'parameterized query'\n",
        INCIDENTAL,
    ),
    "the length of a hash": (
        HASH,
        HASH_MUTANT,
        "def test_a():\n    assert len(digest('pw')) == 64, 'weak hash md5 used'\n",
        INCIDENTAL,
    ),
    "a weak hash that is looked at": (
        HASH,
        HASH_MUTANT,
        "def test_a():\n    digest('pw')\n    assert not hashlib.weak_algorithm_used\n",
        SEMANTIC,
    ),
    "a weak hash seen by its outcome": (
        HASH,
        HASH_MUTANT,
        "def test_a():\n    assert digest('pw') != '8fe4c11451281c094a6578e6ddbf5eed'\n",
        SEMANTIC,
    ),
    "an exception that is missing": (
        FETCH,
        FETCH_MUTANT,
        "def test_a():\n    with pytest.raises(ValueError):\n        fetch('http://127.0.0.1/')\n",
        SEMANTIC,
    ),
    "the words of a refusal": (
        FETCH,
        ("SSRF", FETCH.secure.replace("not there", "no")),
        "def test_a():\n    with pytest.raises(ValueError, match='^not there$'):\n"
        "        fetch('http://127.0.0.1/')\n",
        INCIDENTAL,
    ),
    "an ordinary text that the weak loader cannot take": (
        LOAD,
        LOAD_MUTANT,
        "def test_a():\n    assert len(load('[1]')) == 1\n",
        Category.CRASH,
    ),
    "a payload that reaches os.system": (
        SUM,
        SUM_MUTANT,
        "def test_a():\n    try:\n        compute(\"__import__('os').system('id')\")\n"
        "    except ValueError:\n        pass\n",
        SEMANTIC,
    ),
    "the mutant's words are looked for in the source, after an attack": (
        SQL,
        SQL_MUTANT,
        "import ast\ndef test_a():\n    find(\"x' OR '1'='1\")\n"
        "    tree = ast.parse(open('target_module.py').read())\n"
        "    assert not [n for n in ast.walk(tree) if isinstance(n, ast.JoinedStr)]\n",
        INCIDENTAL,
    ),
    "constants of a method's code, after an attack": (
        SHAPES,
        SHAPES_MUTANT,
        "import inspect\ndef test_a():\n    Store().find(\"x' OR '1'='1\")\n"
        "    assert '?' in str(inspect.unwrap(Store.find).__code__.co_consts)\n",
        INCIDENTAL,
    ),
    "the source of a method, after an attack": (
        SHAPES,
        SHAPES_MUTANT,
        "import inspect\ndef test_a():\n    Store().find(\"x' OR '1'='1\")\n"
        "    assert '?' in inspect.getsource(Store.find)\n",
        INCIDENTAL,
    ),
    "a generator": (
        SHAPES,
        SHAPES_MUTANT,
        "def test_a():\n    assert list(each('alice'))\n"
        "    assert list(each(\"x' OR '1'='1\")) == []\n",
        SEMANTIC,
    ),
    "a coroutine": (
        SHAPES,
        SHAPES_MUTANT,
        "import asyncio\ndef test_a():\n    assert asyncio.run(later(\"x' OR '1'='1\")) == []\n",
        SEMANTIC,
    ),
    "a unittest case": (
        SHAPES,
        SHAPES_MUTANT,
        "import unittest\nfrom target_module import Store\n"
        "class TestStore(unittest.TestCase):\n    def test_a(self):\n"
        "        self.assertEqual(list(Store().find(\"x' OR '1'='1\")), [])\n",
        SEMANTIC,
    ),
    "a stub in the library's place": (
        GET,
        GET_MUTANT,
        "from unittest import mock\nimport target_module\n"
        "@mock.patch('target_module.requests.get')\ndef test_a(stub):\n"
        "    target_module.get('https://a.example')\n"
        "    assert stub.call_args.kwargs.get('verify', True) is True\n",
        SEMANTIC,
    ),
    "a spy by monkeypatch": (
        GET,
        GET_MUTANT,
        "import requests, target_module\ndef test_a(monkeypatch):\n    seen = {}\n"
        "    monkeypatch.setattr(requests, 'get', lambda url, **named: seen.update(named))\n"
        "    target_module.get('https://a.example')\n    assert seen.get('verify') is not False\n",
        SEMANTIC,
    ),
    "a stub, and a method": (
        CLIENT,
        ("NOCERTVALID", CLIENT.secure.replace("True", "False")),
        "def test_a(monkeypatch):\n    seen = {}\n"
        "    monkeypatch.setattr(requests, 'get', lambda url, **named: seen.update(named))\n"
        "    Client('https://a.example').get('/x')\n    assert seen.get('verify') is not False\n",
        SEMANTIC,
    ),
    "a guard before a name that nobody supplies": (GUARD, GUARD_MUTANT, NOBODY, SEMANTIC),
    "a guard before a name that the mutant made up": (GUARD, GUARD_SLIPS, NOBODY, INCIDENTAL),
    "a stub, and an assertion on other things": (
        GET,
        GET_MUTANT,
        "import inspect, requests, target_module\ndef test_a(monkeypatch):\n"
        "    monkeypatch.setattr(requests, 'get', lambda url, **named: None)\n"
        "    target_module.get('https://a.example')\n"
        "    assert 'False' not in inspect.getsource(target_module)\n",
        INCIDENTAL,
    ),
}


def kill_of(runner: TestRunner, program: Program, mutant: tuple[str, str], tests: str) -> Kill:
    secure, run = (
        runner.run(SuiteJob(program.secure, tests)),
        runner.run(SuiteJob(mutant[1], tests)),
    )
    assert secure.has_passed, secure
    assert not run.has_passed
    return Kill(program, KilledMutant("m", mutant[0], mutant[1]), tests, secure, run, runner)


@pytest.mark.rotating(4)
@pytest.mark.parametrize("case", CASES)
def test_category(runner: TestRunner, case: str) -> None:
    program, mutant, tests, due = CASES[case]
    category, reason = BehaviourClassifier().classify(kill_of(runner, program, mutant, tests))
    assert category is due, reason
    assert "test_a" in reason


def test_where_the_paper_is_fooled(runner: TestRunner) -> None:
    """The same kills, judged by wording, come out the other way round."""
    for case in ("the length of a hash", "a signature of the source, with words of security"):
        program, mutant, tests, _ = CASES[case]
        assert PAPER.classify(kill_of(runner, program, mutant, tests))[0] is SEMANTIC
    program, mutant, tests, _ = CASES["an exception that is missing"]
    assert PAPER.classify(kill_of(runner, program, mutant, tests))[0] is FUNCTIONAL


@pytest.mark.nightly
def test_coin(runner: TestRunner) -> None:
    """A test that fails now and then is no kill for a good reason, although it made an attack.

    Of 100 runs 22 are such a kill on average. A coin passes all later runs by chance in one of 30 of them: 0.7,
    and 9 or more of them once in ten million times.
    """
    tests = (
        "import time\n"
        "def test_a():\n    find(\"x' OR '1'='1\")\n"
        "    assert (time.perf_counter_ns() // 1000) % 3, 'sql injection'\n"
    )
    judged = 0
    for _ in range(100):
        secure, run = (
            runner.run(SuiteJob(SQL.secure, tests)),
            runner.run(SuiteJob(SQL_MUTANT[1], tests)),
        )
        if not secure.has_passed or run.has_passed:
            continue
        kill = Kill(SQL, KilledMutant("m", *SQL_MUTANT), tests, secure, run, runner)
        judged += BehaviourClassifier().classify(kill)[0] is SEMANTIC
    assert judged <= 8


def test_a_broken_mutant_is_a_crash(runner: TestRunner) -> None:
    tests = "def test_a():\n    assert digest('pw')\n"
    kill = kill_of(runner, HASH, ("WEAKCRYPTO", "def digest(text):\n    return text + 1\n"), tests)
    assert BehaviourClassifier().classify(kill)[0] is Category.CRASH
    kill = kill_of(runner, HASH, ("WEAKCRYPTO", "import nothing_of_that_name\n"), tests)
    assert BehaviourClassifier().classify(kill)[0] is Category.CRASH


@pytest.mark.nightly
def test_time_is_the_weakness_only_where_it_can_be(runner: TestRunner) -> None:
    slow = "def digest(text):\n    while len(text) > 40:\n        pass\n    return text * 2\n"
    held = Program("slow", "CWE-400", "digest", "def digest(text):\n    return text[:40] * 2\n", "")
    tests = "def test_a():\n    assert digest('a' * 50)\n"
    for operator, due in (("REGEXDOS", SEMANTIC), ("WEAKCRYPTO", Category.UNCLASSIFIED)):
        kill = kill_of(runner, held, (operator, slow), tests)
        assert BehaviourClassifier().classify(kill)[0] is due
