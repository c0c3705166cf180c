from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "MANIFEST.json"
DEFAULT_ALGORITHM = "sha256"
ALGORITHMS = {
    "sha256": hashlib.sha256,
    "sha512": hashlib.sha512,
    "blake2b": hashlib.blake2b,
}
BLOCK = 1 << 16


class ManifestError(ValueError):
    """A manifest that cannot be used."""


@dataclass(frozen=True, order=True)
class Problem:
    path: str
    kind: str


def digest_of(path: Path, algorithm: str) -> str:
    digest = ALGORITHMS[algorithm]()
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def release_files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name != NAME:
            yield name, path


def build_manifest(folder: Path) -> dict[str, Any]:
    files = {
        name: {"size": path.stat().st_size, "digest": digest_of(path, DEFAULT_ALGORITHM)}
        for name, path in release_files(folder)
    }
    return {"algorithm": DEFAULT_ALGORITHM, "files": files}


def write_manifest(folder: Path) -> Path:
    target = folder / NAME
    target.write_text(json.dumps(build_manifest(folder), indent=2) + "\n")
    return target


def load_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_text())
    except ValueError as error:
        raise ManifestError(f"{path.name}: not JSON") from error
    check_shape(manifest)
    return manifest


def check_shape(manifest: Any) -> None:
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), dict):
        raise ManifestError("a manifest has the fields algorithm and files")
    if manifest.get("algorithm") not in ALGORITHMS:
        raise ManifestError("this algorithm is not taken")
    for name, entry in manifest["files"].items():
        if not isinstance(entry, dict) or not {"size", "digest"} <= entry.keys():
            raise ManifestError(f"{name}: size and digest are needed")


def compare(path: Path, entry: dict[str, Any], algorithm: str) -> str | None:
    if path.stat().st_size != entry["size"]:
        return "size"
    actual = digest_of(path, algorithm)
    if not hmac.compare_digest(actual.encode(), str(entry["digest"]).lower().encode()):
        return "digest"
    return None


def verify_release(folder: Path, manifest: dict[str, Any]) -> list[Problem]:
    check_shape(manifest)
    present = dict(release_files(folder))
    listed = manifest["files"]
    problems = [Problem(name, "missing") for name in listed.keys() - present.keys()]
    problems += [Problem(name, "extra") for name in present.keys() - listed.keys()]
    for name in listed.keys() & present.keys():
        kind = compare(present[name], listed[name], manifest["algorithm"])
        if kind:
            problems.append(Problem(name, kind))
    return sorted(problems)
