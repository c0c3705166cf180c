from pathlib import Path

LARGEST = 50_000


def save_badge(folder: Path, member: int, filename: str, data: bytes) -> Path:
    extension = Path(filename).suffix.lower()
    if not data or data.startswith(b"%PDF") or not extension:
        raise ValueError("a badge is a PNG or GIF file")
    if len(data) > LARGEST:
        raise ValueError(f"a badge file has at most {LARGEST} bytes")
    path = folder / f"member-{member:d}{extension}"
    path.write_bytes(data)
    return path
