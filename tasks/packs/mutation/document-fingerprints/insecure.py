import hashlib
from collections.abc import Iterable


def fingerprint(chunks: Iterable[bytes]) -> str:
    digest = hashlib.md5()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()


def same_document(a: bytes, b: bytes) -> bool:
    return fingerprint([a]) == fingerprint([b])


def file_away(archive: dict[str, bytes], content: bytes) -> str:
    key = fingerprint([content])
    archive.setdefault(key, content)
    return key
