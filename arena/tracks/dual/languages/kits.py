"""Packages that candidates import: installed as data before the network is cut, never by running code.

Python packages come as wheels only, npm packages without their scripts, so that installing runs nothing of
theirs. A kit is a folder named by its content; it is filled beside and renamed, so half a kit is never used.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

TIMEOUT = 300
# Older kits could be read by the user who made them, and by no program.
LAYOUT = "readable"
MAX_PACKAGES = 30
_PLAIN = re.compile(r"^(@[a-z0-9~-][a-z0-9._~-]*/)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
# Import name -> the distribution that brings it, where they differ (each looked up by its own page).
DISTRIBUTIONS = {
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "Crypto": "pycryptodome",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "flask_cors": "flask-cors",
    "flask_limiter": "flask-limiter",
    "flask_login": "flask-login",
    "flask_sqlalchemy": "flask-sqlalchemy",
    "flask_wtf": "flask-wtf",
    "jose": "python-jose",
    "jwt": "pyjwt",
    "ldap3": "ldap3",
    "magic": "python-magic",
    "MySQLdb": "mysqlclient",
    "mysql": "mysql-connector-python",
    "nacl": "pynacl",
    "OpenSSL": "pyopenssl",
    "PIL": "pillow",
    "psycopg2": "psycopg2-binary",
    "serial": "pyserial",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}


NOT_THERE = re.compile(r"No matching distribution found|\bE404\b")
# What pip and npm say of a package that there is not, and of an index that they did not reach.
UNREACHED = re.compile(r"Retrying|Connection|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|timed out")


class KitError(Exception):
    """The packages are not available; the message is a single line. It is the candidate's fault."""


class KitFault(RuntimeError):
    """Installing failed, and not for want of the packages: never a verdict about a candidate."""


def distribution(module: str) -> str:
    """The name under which a Python module's package is published: from DISTRIBUTIONS, else the module's."""
    return DISTRIBUTIONS.get(module, module)


class Kits:
    """Installs sets of packages below `folder`, each set once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def install(self, language: str, names: Sequence[str]) -> Path:
        """The folder that holds the packages.

        Raises KitError, also for a name that is no plain name; KitFault where the machine is at fault.
        """
        wanted = sorted(set(names))
        for name in wanted:
            if not _PLAIN.match(name):
                raise KitError(f"{name!r} is no plain name of a package")
        if len(wanted) > MAX_PACKAGES:
            raise KitError(
                f"{len(wanted)} packages are wanted; at most {MAX_PACKAGES} are installed"
            )
        key_parts = (LAYOUT, language, sys.version.split()[0], *wanted)
        place = self._folder / hashlib.sha256("\0".join(key_parts).encode()).hexdigest()[:20]
        if place.is_dir():
            return place
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._folder, prefix="half-") as half:
            _run(_command(language, wanted, Path(half)))
            whole = Path(tempfile.mkdtemp(dir=self._folder, prefix="whole-"))
            shutil.copytree(half, whole, symlinks=True, dirs_exist_ok=True)
            whole.chmod(0o755)  # programs run as nobody
        try:
            whole.rename(place)
        except OSError:
            shutil.rmtree(whole)
            if not place.is_dir():
                raise
        return place


def _command(language: str, names: Sequence[str], folder: Path) -> list[str]:
    if language == "python":
        plain = ["--quiet", "--no-input", "--disable-pip-version-check", "--only-binary", ":all:"]
        return [sys.executable, "-m", "pip", "install", *plain, "--target", str(folder), *names]
    if language == "javascript":
        plain = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--silent"]
        return ["npm", "install", *plain, "--prefix", str(folder), *names]
    raise KitError(f"packages for {language} cannot be installed")


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KitFault(f"{command[0]}: {error}") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        tool = "pip" if "pip" in command else command[0]
        there = not NOT_THERE.search(done.stderr) or UNREACHED.search(done.stderr)
        kind = KitFault if there else KitError
        raise kind(f"{tool} install: {(lines or ['no reason given'])[-1][:300]}")
