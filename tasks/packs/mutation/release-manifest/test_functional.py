import json

import pytest


@pytest.fixture
def release(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tool").write_bytes(b"\x7fELF tool")
    (tmp_path / "README").write_text("read me")
    return tmp_path


def test_clean_release(release):
    path = write_manifest(release)
    manifest = load_manifest(path)
    assert list(manifest["files"]) == ["README", "bin/tool"], "all files but the manifest, in order"
    assert manifest["files"]["README"]["size"] == 7, "the size is given"
    assert verify_release(release, manifest) == [], "an untouched release has no problems"


def test_problems_are_named(release):
    manifest = build_manifest(release)
    (release / "README").write_text("red me")
    (release / "bin" / "tool").write_bytes(b"\x7fELF evil")
    (release / "new").touch()
    manifest["files"]["gone"] = {"size": 0, "digest": "00"}
    found = [(p.path, p.kind) for p in verify_release(release, manifest)]
    expected = [("README", "size"), ("bin/tool", "digest"), ("gone", "missing"), ("new", "extra")]
    assert found == expected, f"unexpected problems: {found}"


def test_sha512_is_taken(release):
    import hashlib

    digest = hashlib.sha512(b"read me").hexdigest()
    (release / "bin" / "tool").unlink()
    manifest = {"algorithm": "sha512", "files": {"README": {"size": 7, "digest": digest}}}
    assert verify_release(release, manifest) == [], "a manifest with SHA-512 verifies"


@pytest.mark.parametrize("text", ["{", "[]", '{"algorithm": "rot13", "files": {}}', '{"algorithm": "sha256"}'])
def test_unusable_manifest(release, text):
    path = release / "MANIFEST.json"
    path.write_text(text)
    with pytest.raises(ManifestError):
        load_manifest(path)


def test_entry_without_digest(release):
    manifest = {"algorithm": "sha256", "files": {"README": {"size": 7}}}
    with pytest.raises(ManifestError):
        verify_release(release, json.loads(json.dumps(manifest)))
