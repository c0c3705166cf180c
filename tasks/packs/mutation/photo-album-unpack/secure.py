from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

PHOTOS = {".jpg", ".jpeg", ".png"}


class AlbumError(ValueError):
    """An archive that is no album."""


def photos(album: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    for entry in album.infolist():
        if not entry.is_dir() and Path(entry.filename).suffix.lower() in PHOTOS:
            yield entry


def place_for(name: str, base: Path) -> Path:
    """Return where `name` is to be written; raise AlbumError when that is not below `base`."""
    target = (base / name.replace("\\", "/")).resolve()
    if base not in target.parents:
        raise AlbumError(f"{name!r} does not lie in the album")
    return target


def unpack_album(archive: bytes, folder: Path) -> list[Path]:
    base = folder.resolve()
    try:
        album = zipfile.ZipFile(io.BytesIO(archive))
    except zipfile.BadZipFile as error:
        raise AlbumError("this is no zip file") from error
    with album:
        places = [(entry, place_for(entry.filename, base)) for entry in photos(album)]
        for entry, target in places:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(album.read(entry))
    return [target.relative_to(base) for _, target in places]
