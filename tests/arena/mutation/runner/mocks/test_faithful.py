"""Substitutes against the libraries that they wrap: the same signatures, results and exceptions."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import importlib
import inspect
import io
import marshal
import os
import pickle
import random
import resource
import secrets
import smtplib
import sqlite3
import subprocess
import sys
import urllib.request
import xml.etree.ElementTree as StandardTree
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import bcrypt
import jwt
import lxml.etree
import psutil
import pytest
import requests
import urllib3
import yaml
from Crypto.PublicKey import RSA
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.arena.mutation.runner.mocks.inprocess import Place

MODULES = {
    "hashlib": hashlib,
    "random": random,
    "secrets": secrets,
    "pickle": pickle,
    "marshal": marshal,
    "yaml": yaml,
    "subprocess": subprocess,
    "requests": requests,
    "jwt": jwt,
    "bcrypt": bcrypt,
    "sqlite3": sqlite3,
    "lxml.etree": lxml.etree,
    "Crypto.PublicKey.RSA": RSA,
}
FUNCTIONS_HERE = {"blake2b", "blake2s"}  # types of which none may be made
PATCHED = (
    *((os, name) for name in ("open", "chmod", "mkdir", "system", "popen", "urandom", "getenv")),
    *((StandardTree, name) for name in ("fromstring", "parse", "XML", "iterparse")),
    (hmac, "new"),
    (requests.Session, "request"),
    (requests.adapters.HTTPAdapter, "send"),
    (urllib3.HTTPConnectionPool, "urlopen"),
    (urllib.request.OpenerDirector, "open"),
    (smtplib.SMTP, "login"),
    (smtplib.SMTP, "starttls"),
    (jwt.PyJWT, "decode_complete"),
)
REAL = [(owner, name, getattr(owner, name)) for owner, name in PATCHED]


def signature(thing: Any) -> str | None:
    try:
        return str(inspect.signature(thing))
    except (ValueError, TypeError):
        return None


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_modules_have_the_names_and_signatures_of_the_real_ones(name: str, place: Place) -> None:
    real, ours = MODULES[name], sys.modules[name]
    assert ours is not real
    for word in (w for w in dir(real) if not w.startswith("_")):
        there, here = getattr(real, word), getattr(ours, word)
        assert callable(here) == callable(there), word
        if callable(there):
            assert signature(there) in (None, signature(here)), word
        if isinstance(there, type) and word not in FUNCTIONS_HERE:
            assert issubclass(here, there), word


@pytest.mark.slow
def test_patched_functions_keep_their_signatures(place: Place) -> None:
    changed = 0
    for owner, name, real in REAL:
        ours = getattr(owner, name)
        assert signature(ours) == signature(real), name
        changed += ours is not real
    assert changed >= len(REAL) - 1  # os.getenv itself stays


def outcome(call: Callable[[Any], Any], module: Any) -> tuple[Any, str]:
    """What a call gives, or the type and text of what it raises."""
    try:
        return call(module), ""
    except Exception as error:  # noqa: BLE001 - compared
        return type(error).__name__, str(error)


SAME: dict[str, list[Callable[[Any], Any]]] = {
    "hashlib": [
        lambda m: m.sha256(b"a").hexdigest(),
        lambda m: m.md5(b"a", usedforsecurity=False).name,
        lambda m: m.new("sha1", b"a").digest(),
        lambda m: m.new("nonsense"),
        lambda m: m.sha256("text"),
        lambda m: m.pbkdf2_hmac("sha256", b"p", b"s", 10, dklen=8),
        lambda m: m.scrypt(b"p", salt=b"s", n=16, r=1, p=1, dklen=8),
        lambda m: m.blake2b(b"a", digest_size=4).hexdigest(),
        lambda m: m.file_digest(io.BytesIO(b"a"), "sha256").hexdigest(),
        lambda m: sorted(m.algorithms_guaranteed),
        lambda m: m.nothing,
    ],
    "random": [
        lambda m: (m.seed(7), m.random(), m.randint(1, 9), m.sample(range(9), 3))[1:],
        lambda m: m.Random(3).choice("abc"),
        lambda m: m.randint(2, 1),
        lambda m: m.choice([]),
    ],
    "secrets": [lambda m: len(m.token_hex(4)), lambda m: m.randbelow(0), lambda m: m.randbelow(1)],
    "pickle": [
        lambda m: m.loads(pickle.dumps({"a": [1]})),
        lambda m: m.loads(b"\x80\x04\x95\x00\x00"),
        lambda m: m.loads("text"),
        lambda m: m.load(io.BytesIO(pickle.dumps(3))),
        lambda m: m.Unpickler(io.BytesIO(pickle.dumps(3))).load(),
        lambda m: m.loads(m.dumps((1, 2), protocol=2)),
    ],
    "marshal": [lambda m: m.loads(marshal.dumps([1])), lambda m: m.loads(b"")],
    "yaml": [
        lambda m: m.safe_load("a: [1, {b: c}]"),
        lambda m: m.load("a: 1", Loader=m.SafeLoader),
        lambda m: m.load("a: 1"),
        lambda m: m.safe_load("!!python/object/apply:len [abc]"),
        lambda m: m.unsafe_load("!!python/object/apply:builtins.len [abc]"),
        lambda m: list(m.safe_load_all("a\n---\nb")),
        lambda m: m.safe_load("a: ["),
        lambda m: m.dump({"a": 1}),
    ],
    "bcrypt": [
        lambda m: m.hashpw(b"p", b"$2b$04$abcdefghijklmnopqrstuu"),
        lambda m: m.checkpw(b"p", bcrypt.hashpw(b"p", bcrypt.gensalt(4))),
        lambda m: m.hashpw("p", b"$2b$04$abcdefghijklmnopqrstuu"),
        lambda m: m.hashpw(b"p", b"nonsense"),
    ],
    "jwt": [
        lambda m: m.encode({"a": 1}, "k" * 32, algorithm="HS256"),
        lambda m: m.decode(jwt.encode({"a": 1}, "k" * 32), "k" * 32, algorithms=["HS256"]),
        lambda m: m.decode(jwt.encode({"a": 1}, "k" * 32), "j" * 32, algorithms=["HS256"]),
        lambda m: m.decode(jwt.encode({"exp": 1}, "k" * 32), "k" * 32, algorithms=["HS256"]),
        lambda m: m.decode("a.b", "k" * 32, algorithms=["HS256"]),
        lambda m: m.get_unverified_header(jwt.encode({"a": 1}, "k" * 32)),
        lambda m: m.decode(jwt.encode({"a": 1}, "k" * 32), options={"verify_signature": False}),
    ],
    "lxml.etree": [
        lambda m: m.tostring(m.fromstring("<a b='1'><c/></a>")),
        lambda m: m.fromstring("<a>"),
        lambda m: m.fromstring("<a><b n='1'/></a>").xpath("//b[@n=$n]/@n", n="1"),
        lambda m: m.fromstring("<a/>").xpath("//["),
        lambda m: m.XPath("count(//b)")(m.fromstring("<a><b/></a>")),
        lambda m: m.parse(io.BytesIO(b"<a><b/></a>")).xpath("name(//b)"),
        lambda m: m.parse(io.BytesIO(b"<a/>")).getroot().tag,
        lambda m: m.fromstring("<a/>", m.XMLParser(resolve_entities=False)).tag,
        lambda m: m.XMLParser(nonsense=True),
        lambda m: isinstance(m.fromstring("<a/>"), lxml.etree._Element),
    ],
    "Crypto.PublicKey.RSA": [
        lambda m: m.generate(1024).size_in_bits(),
        lambda m: m.generate(1024, e=3).e,
        lambda m: m.generate(512),
        lambda m: m.import_key(m.generate(1024).export_key()).has_private(),
    ],
    "sqlite3": [
        lambda m: m.connect(":memory:").execute("SELECT 1, ?", (2,)).fetchall(),
        lambda m: m.connect(":memory:").execute("SELECT 1; SELECT 2"),
        lambda m: m.connect(":memory:").execute("SELEC"),
        lambda m: m.connect(":memory:").cursor().execute("SELECT ?", ()),
        lambda m: m.connect(":memory:").executescript("CREATE TABLE a (b);").fetchall(),
    ],
}
CASES = [
    pytest.param(name, call, id=f"{name}-{number}")
    for name, calls in SAME.items()
    for number, call in enumerate(calls)
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "call"), CASES)
def test_the_same_calls_do_the_same_on_both(
    name: str, call: Callable[[Any], Any], place: Place
) -> None:
    assert outcome(call, sys.modules[name]) == outcome(call, MODULES[name])


@contextmanager
def little_memory() -> Iterator[None]:
    """Five bytes can ask marshal for a list of two thousand million: 16 GiB, and minutes to write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (psutil.Process().memory_info().vms + (64 << 20), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.binary(max_size=60))
@example(b"[\xff\xff\xff\x7f")
def test_pickle_and_marshal_read_any_bytes_as_the_real_ones(place: Place, data: bytes) -> None:
    with little_memory():
        for name in ("pickle", "marshal"):
            ours, real = (
                outcome(lambda m: repr(m.loads(data)), m)
                for m in (sys.modules[name], MODULES[name])
            )
            assert ours == real


PROCESSES: list[Callable[[Any], Any]] = [
    lambda m: m.run(["echo", "hi"], capture_output=True, text=True).stdout.strip(),
    lambda m: m.run(["echo", "hi"], stdout=m.PIPE).stdout.strip(),
    lambda m: m.run(["echo", "hi"], stdout=m.DEVNULL).stdout,
    lambda m: m.check_output(["echo", "hi"]).strip(),
    lambda m: m.run(["echo", "hi"], capture_output=True, stdout=m.PIPE),
    lambda m: m.check_output(["echo", "hi"], stdout=m.PIPE),
    lambda m: m.run(["echo", "hi"], capture_output=True).returncode,
    lambda m: m.getoutput("echo hi"),
    lambda m: m.Popen(["echo", "hi"], stdout=m.PIPE, text=True).communicate()[0].strip(),
    lambda m: type(m.run(["true"])).__name__,
    lambda m: m.run([]),
    lambda m: m.call(["true"]),
]


@pytest.mark.parametrize("call", PROCESSES)
def test_processes_end_as_real_ones(call: Callable[[Any], Any], assembled: Place) -> None:
    expected = outcome(call, subprocess)  # before the substitutes are in place
    with assembled.here():
        assert outcome(call, sys.modules["subprocess"]) == expected


def test_processes_fail_when_told_to(place: Place) -> None:
    ours: Any = sys.modules["subprocess"]
    ours.set_result(stdout="out", stderr="err", returncode=3)
    done = ours.run(["x"], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("out", "err", 3)
    with pytest.raises(subprocess.CalledProcessError) as caught:
        ours.check_output("x", shell=True)
    assert (caught.value.returncode, caught.value.output) == (3, b"out")
    ours.set_result()


def test_responses_are_those_of_requests(place: Place) -> None:
    ours: Any = sys.modules["requests"]
    ours.set_response("https://a.example/x", json={"n": [1]}, status=418, headers={"X-A": "b"})
    response = ours.get("https://a.example/x")
    assert type(response) is requests.Response
    assert (response.status_code, response.json(), response.headers["X-A"]) == (
        418,
        {"n": [1]},
        "b",
    )
    assert response.encoding == "utf-8" or response.encoding is None
    with pytest.raises(requests.HTTPError):
        response.raise_for_status()
    for url, error in (("a.example", "MissingSchema"), ("ftp://a", "InvalidSchema")):
        with pytest.raises(requests.RequestException) as caught:
            ours.get(url)
        assert type(caught.value).__name__ == error


def test_redirects_are_followed_and_told(place: Place) -> None:
    ours: Any = sys.modules["requests"]
    ours.set_response("https://a.example/", status=302, headers={"Location": "http://127.0.0.1/in"})
    response = ours.Session().get("https://a.example/")
    assert [r.status_code for r in response.history] == [302]
    assert ("http.internal", "GET http://127.0.0.1/in") in place.log.events


def test_every_library_sees_the_same_server(place: Place) -> None:
    ours: Any = sys.modules["requests"]
    page = "https://b.example/page?q=1"
    ours.set_response(page, text="said", headers={"X-A": "b"})
    pooled = importlib.import_module("urllib3").request("GET", page)
    opened = urllib.request.urlopen(page)
    assert ours.get(page).text.encode() == pooled.data == opened.read() == b"said"
    assert (pooled.headers["X-A"], opened.headers["X-A"], opened.status) == ("b", "b", 200)


def test_the_environment_is_the_real_one_with_a_log(place: Place, monkeypatch: Any) -> None:
    assert isinstance(os.environ, type(REAL_ENVIRON))
    monkeypatch.setenv("NEW_ONE", "1")
    assert os.getenv("NEW_ONE") == os.environ["NEW_ONE"] == "1"
    assert "NEW_ONE" in os.environ and "NEW_ONE" in dict(os.environ)
    monkeypatch.delenv("NEW_ONE")
    assert os.environ.get("NEW_ONE") is None
    with pytest.raises(KeyError, match="NEW_ONE"):
        os.environ["NEW_ONE"]
    with pytest.raises(TypeError):
        os.environ["A"] = 1  # type: ignore[assignment]


REAL_ENVIRON = os.environ


def test_nothing_is_left_behind(assembled: Place) -> None:
    before = {name: sys.modules.get(name) for name in MODULES}
    with assembled.here(), contextlib.suppress(PermissionError):
        os.system("id")
    assert {name: sys.modules.get(name) for name in MODULES} == before
    assert all(getattr(owner, name) is real for owner, name, real in REAL)
