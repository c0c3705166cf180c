"""Records of a small dataset in SecMutBench's form."""

from __future__ import annotations

from typing import Any

SECURE = """
import hashlib

def digest(data):
    return hashlib.sha256(data).hexdigest()
"""
SUITE = """
import hashlib

def test_strong():
    digest(b"x")
    assert not hashlib.weak_algorithm_used, "a weak algorithm was used"

def test_same():
    assert digest(b"x") == digest(b"x")
"""
BROKEN = SECURE.replace("hashlib.sha256(data)", "missing(data)")
LONGER = SECURE.replace("sha256", "sha512")
RECORD: dict[str, Any] = {
    "id": "hash",
    "cwe": "CWE-327",
    "difficulty": "easy",
    "prompt": "Hash data.",
    "entry_point": "digest",
    "secure_code": SECURE,
    "insecure_code": SECURE.replace("sha256", "md5"),
    "functional_tests": "def test_f():\n    assert digest(b'x')\n",
    "security_tests": SUITE,
    "mutants": [
        {"id": "weak", "operator": "WEAKCRYPTO", "mutated_code": SECURE.replace("sha256", "sha1")},
        {"id": "broken", "operator": "WEAKCRYPTO", "mutated_code": BROKEN},
        {"id": "equal", "operator": "WEAKCRYPTO", "mutated_code": LONGER},
    ],
}
SECOND = RECORD | {
    "id": "untested",
    "security_tests": "def test_f():\n    assert not digest(b'')\n",
}
BAD = {"id": "bad", "cwe": "CWE-327"}
