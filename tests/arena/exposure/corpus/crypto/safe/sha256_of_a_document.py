import hashlib
from pathlib import Path


def fingerprint(folder):
    """One digest for each document of a folder."""
    result = {}
    for document in sorted(Path(folder).glob("*.pdf")):
        result[document.name] = hashlib.sha256(document.read_bytes()).hexdigest()
    return result
