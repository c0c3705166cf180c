import hashlib
import itertools
import json
import time

import pytest

EMAIL, PASSWORD = "ada@x.example", "sunshine1"
NAMES = ("md5", "sha1", "sha256", "sha384", "sha512")


def stored(folder, email=EMAIL, password=PASSWORD):
    path = folder / f"m{len(list(folder.iterdir()))}.json"
    Directory(path).add(email, "Ada", password)
    return path.read_text()


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    return stored(tmp_path_factory.mktemp("once"))


def test_dictionary_of_quick_hashes_finds_nothing(once):
    text = once
    fields = [v for record in json.loads(text) for v in record.values() if isinstance(v, str)]
    for salt, glue, name in itertools.product(["", "ada", *fields], ["", ":", "$"], NAMES):
        for candidate in (salt + glue + PASSWORD, PASSWORD + glue + salt):
            digest = hashlib.new(name, candidate.encode()).hexdigest()
            assert digest not in text.lower(), f"one {name} of a guessed password is what is stored"


def test_password_is_not_in_the_file(once):
    text = once
    assert PASSWORD not in text, "the password can be read in the file"
    assert PASSWORD.encode().hex() not in text, "the password can be decoded from the file"


def test_same_member_twice_looks_different(tmp_path, once):
    assert stored(tmp_path) != once, "the same member and password give the same file"


def test_two_members_with_one_password(tmp_path):
    path = tmp_path / "two.json"
    directory = Directory(path)
    directory.add("a@x.example", "A", PASSWORD)
    directory.add("b@x.example", "B", PASSWORD)
    first, second = json.loads(path.read_text())
    shared = {k for k in first if first[k] == second.get(k) and len(str(first[k])) > 8}
    assert not shared, f"equal passwords can be seen in {shared}"


def test_a_guess_costs_real_work(tmp_path):
    directory = Directory(tmp_path / "m.json")
    directory.add(EMAIL, "Ada", PASSWORD)
    begun = time.process_time()
    directory.login(EMAIL, "guess")
    assert time.process_time() - begun > 0.004, "passwords can be tried by the million"


def test_no_characters_are_passed_over(tmp_path):
    directory = Directory(tmp_path / "m.json")
    for number, (password, alike) in enumerate([("x" * 80 + "a", "x" * 80 + "b"), ("ab\x00cd", "ab\x00ce")]):
        email = f"m{number}@x.example"
        try:
            directory.add(email, "M", password)
        except ValueError:
            continue
        assert directory.login(email, alike) is None, "part of the password is not looked at"


def test_right_password_only(tmp_path):
    directory = Directory(tmp_path / "m.json")
    directory.add(EMAIL, "Ada", PASSWORD)
    assert directory.login(EMAIL, PASSWORD), "the right password is not accepted"
    for wrong in (PASSWORD[:-1], PASSWORD.upper()):
        assert directory.login(EMAIL, wrong) is None, f"{wrong!r} is accepted"


def test_no_broken_hash_takes_part(tmp_path, monkeypatch):
    asked = []
    for name in ("md5", "sha1"):
        monkeypatch.setattr(hashlib, name, lambda *parts, _name=name, **more: asked.append(_name) or hashlib.sha256(*parts))
    directory = Directory(tmp_path / "m.json")
    directory.add(EMAIL, "Ada", PASSWORD)
    directory.login(EMAIL, PASSWORD)
    assert not asked, f"a password goes through {asked[0]}"
