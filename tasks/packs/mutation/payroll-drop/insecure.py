from __future__ import annotations

import ftplib
import hashlib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

MAX_BYTES = 5 * 1024 * 1024


class DropError(Exception):
    """The server cannot be used."""


@contextmanager
def as_drop_errors() -> Iterator[None]:
    try:
        yield
    except (ftplib.Error, ftplib.error_proto, ssl.SSLError) as error:
        raise DropError(str(type(error).__name__)) from error


class PayrollDrop:
    def __init__(self, host: str, user: str, password: str, folder: str = "incoming") -> None:
        self.host = host
        self.user = user
        self._password = password
        self.folder = folder
        self._ftp: ftplib.FTP | None = None

    def __enter__(self) -> PayrollDrop:
        ftp = ftplib.FTP(timeout=30)
        try:
            with as_drop_errors():
                ftp.connect(self.host)
                ftp.login(self.user, self._password)
                ftp.cwd(self.folder)
        except DropError:
            ftp.close()
            raise
        self._ftp = ftp
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._ftp is not None:
            self._ftp.quit()
            self._ftp = None

    def deliver(self, path: Path) -> str:
        if path.suffix != ".csv" or path.stat().st_size > MAX_BYTES:
            raise ValueError("CSV files of up to 5 MB can be delivered")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        name = f"{path.stem}-{digest[:8]}.csv"
        server = self._server()
        with as_drop_errors(), path.open("rb") as stream:
            server.storbinary(f"STOR {name}.part", stream)
            server.rename(f"{name}.part", name)
        return name

    def delivered(self) -> list[str]:
        server = self._server()
        with as_drop_errors():
            return sorted(name for name in server.nlst() if not name.endswith(".part"))

    def _server(self) -> ftplib.FTP:
        if self._ftp is None:
            raise DropError("not connected")
        return self._ftp
