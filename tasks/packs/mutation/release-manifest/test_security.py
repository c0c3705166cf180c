import hashlib

import pytest

GOOD = bytes.fromhex(
    "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f8955ad340609f4b30283e488832571415a"
    "085125e8f7cdc99fd91dbdf280373c5bd8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0"
    "e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70"
)
EVIL = bytes(b ^ 0x80 if i in (19, 45, 59, 83, 109, 123) else b for i, b in enumerate(GOOD))


@pytest.fixture
def release(tmp_path):
    (tmp_path / "tool").write_bytes(GOOD)
    return tmp_path


def problems(release, manifest):
    try:
        return verify_release(release, manifest)
    except ManifestError as error:
        return [error]


def test_colliding_file_is_noticed(release):
    manifest = build_manifest(release)
    (release / "tool").write_bytes(EVIL)
    assert problems(release, manifest), "a file with the same broken digest took the original's place"


def test_colliding_file_is_noticed_after_loading(release):
    manifest = load_manifest(write_manifest(release))
    (release / "tool").write_bytes(EVIL)
    assert problems(release, manifest), "the written manifest does not hold the file fast"


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "md4", "ripemd160", "crc32", "MD5", "sha-1", "none", ""])
def test_manifest_cannot_choose_a_broken_algorithm(release, algorithm):
    name = algorithm.lower().replace("-", "")
    digest = hashlib.new(name, EVIL).hexdigest() if name in ("md5", "sha1") else "0" * 32
    (release / "tool").write_bytes(EVIL)
    manifest = {"algorithm": algorithm, "files": {"tool": {"size": len(EVIL), "digest": digest}}}
    assert problems(release, manifest), f"a manifest with {algorithm or 'no algorithm'} was believed"


@pytest.mark.parametrize("algorithm", ["md5", "sha1"])
def test_loading_refuses_a_broken_algorithm(release, algorithm):
    path = write_manifest(release)
    path.write_text(path.read_text().replace(build_manifest(release)["algorithm"], algorithm))
    with pytest.raises(ManifestError):
        load_manifest(path)


@pytest.mark.parametrize("algorithm", ["md5", "sha1"])
def test_new_manifest_holds_no_broken_digest(release, algorithm):
    digest = build_manifest(release)["files"]["tool"]["digest"]
    weak = hashlib.new(algorithm, GOOD).hexdigest()
    assert weak != digest and weak not in digest, f"the manifest rests on {algorithm}"


def test_digest_is_long_enough(release):
    digest = build_manifest(release)["files"]["tool"]["digest"]
    assert len(digest) >= 56, "the digest has fewer than 224 bits"


@pytest.mark.parametrize("cut", [0, 2, 8, 32])
def test_part_of_a_digest_is_not_enough(release, cut):
    manifest = build_manifest(release)
    entry = manifest["files"]["tool"]
    entry["digest"] = entry["digest"][:cut]
    assert problems(release, manifest), "the beginning of a digest was taken for the whole"


def test_changed_content_of_equal_size_is_noticed(release):
    manifest = build_manifest(release)
    (release / "tool").write_bytes(bytes(len(GOOD)))
    assert problems(release, manifest), "only the size is compared"
