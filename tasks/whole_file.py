"""Reading a file of a user's whole, or saying in one line why not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

MIB = 1 << 20


def read_whole(
    path: Path, most: int, fault: type[Exception] = ValueError, before: str = ""
) -> bytes:
    """The content of a file of at most `most` bytes; a pipe is read as well.

    Raises `fault`, with one line that names the file, behind `before`, where it cannot be read or is larger.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        raise fault(f"{before}{path}: {error.strerror}") from error
    if len(data) > most:
        size = f"{most // MIB} MiB" if most % MIB == 0 else f"{most} bytes"
        raise fault(f"{before}{path}: larger than {size}")
    return data


def first_mistake(error: ValidationError, whole: str = "it") -> str:
    """The first field that is wrong, with what is; `whole` where it is none of the fields."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or whole}: {first['msg']}"
