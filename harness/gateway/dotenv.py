"""Keys of providers from a file `.env`, for those that the environment lacks.

The nearest file counts, from the current folder upwards. Only names that a key has (`redact.SECRETS`) are
taken: so all that is taken is masked wherever it could be printed, and no file changes what programs are run.
"""

from __future__ import annotations

import os
from pathlib import Path

from harness.gateway.redact import SECRETS

FILE = ".env"
MAX_BYTES = 1 << 20


def take_keys(here: Path | None = None) -> tuple[Path, list[str]] | None:
    """The file and the names that were put into the environment; None where there is nothing to take.

    Raises ValueError for a file that cannot be read.
    """
    folder = here or Path.cwd()
    env_file = next(
        (path for up in (folder, *folder.parents) if (path := up / FILE).is_file()), None
    )
    if env_file is None:
        return None
    secrets = {
        name: value for name, value in _values(env_file).items() if name.upper().endswith(SECRETS)
    }
    taken = {name: value for name, value in secrets.items() if value and name not in os.environ}
    os.environ.update(taken)
    return (env_file, sorted(taken)) if taken else None


def _values(path: Path) -> dict[str, str]:
    from io import StringIO

    from dotenv import dotenv_values

    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {getattr(error, 'strerror', None) or 'no text'}") from error
    # Without interpolation, which would put further variables of the environment into a key.
    values = dotenv_values(stream=StringIO(text), interpolate=False)
    return {name: value for name, value in values.items() if value and "\0" not in value}
