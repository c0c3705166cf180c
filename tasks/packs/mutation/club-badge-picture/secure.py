from pathlib import Path

LARGEST = 50_000
BEGINNINGS = {".png": (b"\x89PNG\r\n\x1a\n",), ".gif": (b"GIF87a", b"GIF89a")}


def save_badge(folder: Path, member: int, filename: str, data: bytes) -> Path:
    extension = Path(filename).suffix.lower()
    if extension not in BEGINNINGS:
        raise ValueError("a badge is a PNG or GIF file")
    if not data.startswith(BEGINNINGS[extension]):
        raise ValueError("the file is not what its extension says")
    if len(data) > LARGEST:
        raise ValueError(f"a badge file has at most {LARGEST} bytes")
    path = folder / f"member-{member:d}{extension}"
    path.write_bytes(data)
    return path
