"""Signatures by real SSH keys, made and checked by ssh-keygen."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from arena.exchange.formats.run import write
from arena.exchange.signing import SignatureRefused, check_signature, sign_statement
from arena.exchange.source import Source
from arena.store.store import Store
from arena.verification import check_file
from tests.arena.exchange.making import RUN, a_run
from tests.arena.exchange.test_refused_files import members, packed

pytestmark = pytest.mark.needs("ssh-keygen", package="openssh-client")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return new_key(tmp_path / "lab")


def new_key(path: Path, kind: str = "ed25519") -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", path], check=True, timeout=60)
    return path


@pytest.fixture
def signed(store: Store, key: Path, tmp_path: Path) -> Path:
    a_run(store)
    write(replace(Source.open(store, RUN), sign_key=key), tmp_path / "signed.zip", str)
    return tmp_path / "signed.zip"


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_a_statement_is_signed_by_each_kind_of_key(kind: str, tmp_path: Path) -> None:
    key = new_key(tmp_path / kind, kind)
    signature = sign_statement(b"said", key)
    signer = check_signature(b"said", signature, key.with_suffix(".pub"))
    assert signer.name == f"{kind}.pub" and signer.key.startswith("SHA256:")
    assert check_signature(b"said", signature, None).key == signer.key


def test_a_signed_file_agrees(signed: Path, key: Path) -> None:
    check = check_file(signed, key.with_suffix(".pub"))
    assert check.problems == [] and check.signer is not None
    assert check.signer.name == "lab.pub"
    anybody = check_file(signed)
    assert anybody.problems == [] and anybody.signer is not None
    assert (anybody.signer.key, anybody.signer.name) == (check.signer.key, "")


def test_allowed_signers_name_whose_key_it_is(signed: Path, key: Path, tmp_path: Path) -> None:
    public = key.with_suffix(".pub").read_text()
    other = new_key(tmp_path / "other").with_suffix(".pub").read_text()
    allowed = tmp_path / "allowed"
    allowed.write_text(f"# of the lab\nother@lab {other}me@lab {public}")
    check = check_file(signed, allowed)
    assert check.signer is not None and check.signer.name == "me@lab"
    allowed.write_text(f'me@lab namespaces="git" {public}')
    assert "does not hold" in " ".join(check_file(signed, allowed).problems)


def test_a_signature_by_another_key(signed: Path, key: Path, tmp_path: Path) -> None:
    other = new_key(tmp_path / "other").with_suffix(".pub")
    check = check_file(signed, other)
    assert check.signer is None
    assert len(check.problems) == 1 and f"which is not in {other}" in check.problems[0]


def test_a_statement_that_was_changed_after_it_was_signed(signed: Path) -> None:
    inside = members(signed)
    inside["statement.json"] = inside["statement.json"].replace(b"\n", b"\n ", 1)
    packed(signed, inside)
    assert check_file(signed).problems == [
        "statement.json.sig: does not hold: Signature verification failed: incorrect signature"
    ]


def test_a_signature_for_something_else_does_not_hold(tmp_path: Path, key: Path) -> None:
    (tmp_path / "mail").write_bytes(b"said")
    argv = ["ssh-keygen", "-Y", "sign", "-f", key, "-n", "email", tmp_path / "mail"]
    subprocess.run(argv, check=True, timeout=60, capture_output=True)
    with pytest.raises(SignatureRefused, match="namespace does not match"):
        check_signature(b"said", (tmp_path / "mail.sig").read_bytes(), None)


@pytest.mark.parametrize("signature", [b"", b"\0" * 100, b"-----BEGIN SSH SIGNATURE-----\n"])
def test_what_is_no_signature(signature: bytes) -> None:
    with pytest.raises(SignatureRefused, match="does not hold"):
        check_signature(b"said", signature, None)


def test_an_unsigned_file_where_a_key_must_have_signed(file: Path, key: Path) -> None:
    check = check_file(file, key.with_suffix(".pub"))
    assert check.problems == ["no statement.json.sig in it: it is not signed"]
    assert check_file(file).problems == []


def test_a_signature_without_a_statement(signed: Path) -> None:
    inside = members(signed)
    del inside["statement.json"]
    packed(signed, inside)
    problems = check_file(signed).problems
    assert "no statement.json in it" in problems[0] and "does not hold" in problems[1]


def test_a_private_key_is_not_taken_for_a_public_one(signed: Path, key: Path) -> None:
    with pytest.raises(ValueError, match="is no public key and no list of allowed signers"):
        check_file(signed, key)


def test_a_key_that_is_not_there(store: Store, tmp_path: Path) -> None:
    a_run(store)
    source = replace(Source.open(store, RUN), sign_key=tmp_path / "none")
    with pytest.raises(ValueError, match=r"none: .*No such file or directory"):
        write(source, tmp_path / "out.zip", str)
    assert not (tmp_path / "out.zip").exists()
