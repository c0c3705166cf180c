"""Packages that recipes ask for, by the names that an image's distribution has for them.

From Ubuntu 16.04 to 24.04, which OSS-Fuzz's builders are, names of libraries' development packages
changed, Python 2 went, and some tools came from pip. A name that is in no table is used as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from images.base import BUILDER
from images.bootstrap import OLDER

NAME = re.compile(r"[a-z0-9][a-z0-9+.-]{1,80}")

# Other name -> Debian's; none where nothing of it is needed.
RENAMED: dict[str, tuple[str, ...]] = {
    "libz-dev": ("zlib1g-dev",),
    "libssl1.0-dev": ("libssl-dev",),
    "libssl1.0.0": ("libssl-dev",),
    "glib2.0-dev": ("libglib2.0-dev",),
    "libncurses5-dev": ("libncurses-dev",),
    "libncursesw5-dev": ("libncurses-dev",),
    "libtinfo5": ("libtinfo6",),
    "libpng12-dev": ("libpng-dev",),
    "libjpeg8-dev": ("libjpeg-dev",),
    "libjpeg-turbo8-dev": ("libjpeg62-turbo-dev",),
    "libtiff5-dev": ("libtiff-dev",),
    "liblzo2": ("liblzo2-dev",),
    "libpcre++-dev": ("libpcre3-dev",),
    "libreadline6-dev": ("libreadline-dev",),
    "libdb5.3-dev": ("libdb-dev",),
    "libgcrypt11-dev": ("libgcrypt20-dev",),
    "libgnutls-dev": ("libgnutls28-dev",),
    "libcurl3-dev": ("libcurl4-openssl-dev",),
    "libsqlite-dev": ("libsqlite3-dev",),
    "libprotobuf-c0-dev": ("libprotobuf-c-dev",),
    "libwxgtk3.0-dev": ("libwxgtk3.2-dev",),
    "libboost1.65-dev": ("libboost-dev",),
    "python": ("python3", "python-is-python3"),
    "python2": ("python3",),
    "python-dev": ("python3-dev",),
    "python2-dev": ("python3-dev",),
    "python-pip": ("python3-pip",),
    "python-setuptools": ("python3-setuptools",),
    "python-lxml": ("python3-lxml",),
    "python3-distutils": ("python3-setuptools",),
    "gcc-multilib": (),
    "g++-multilib": (),
    "libc6-dev-i386": (),
    "golang": ("golang-go",),
    "libtool-bin": ("libtool-bin", "libtool"),
    "autotools-dev": ("autotools-dev", "autoconf"),
    "ninja": ("ninja-build",),
    "yasm-1": ("yasm",),
    "openjdk-8-jdk": ("default-jdk-headless",),
    "openjdk-11-jdk": ("default-jdk-headless",),
    "software-properties-common": (),
    "git-core": ("git",),
    "chrpath": ("chrpath",),
}

# What goes before `RENAMED` on Debian 11, which has Python 2.
BULLSEYE: dict[str, tuple[str, ...]] = {
    "python": ("python2", "python-is-python2"),
    "python2": ("python2",),
    "python2.7": ("python2",),
    "python-dev": ("python2-dev", "python-is-python2"),
    "python2-dev": ("python2-dev",),
    "python-pip": ("python2", "python-is-python2"),
    "python-setuptools": ("python-setuptools",),
    "python-six": ("python-six",),
    "python-lxml": ("python2", "python-is-python2"),
    "libtinfo5": ("libtinfo5",),
    "libwxgtk3.0-dev": ("libwxgtk3.0-gtk3-dev",),
}

# Packages of Python 3 -> what Debian 11 has of them for Python 2; both are installed there.
PYTHON_2: dict[str, str] = {
    "python3-six": "python-six",
    "python3-setuptools": "python-setuptools",
    "python3-jinja2": "python-jinja2",
}

# Name of pip's -> Debian's packages.
FROM_PIP: dict[str, tuple[str, ...]] = {
    "meson": ("meson",),
    "ninja": ("ninja-build",),
    "cmake": ("cmake",),
    "scons": ("scons",),
    "jinja2": ("python3-jinja2",),
    "pyyaml": ("python3-yaml",),
    "six": ("python3-six",),
    "lxml": ("python3-lxml",),
    "numpy": ("python3-numpy",),
    "protobuf": ("python3-protobuf",),
    "ply": ("python3-ply",),
    "jsonschema": ("python3-jsonschema",),
    "mako": ("python3-mako",),
    "setuptools": ("python3-setuptools",),
    "pip": (),
    "wheel": (),
}


# Suite -> its names; `RENAMED` are those of any other. For OSS-Fuzz's builder recipes are written.
APT: dict[str, Mapping[str, tuple[str, ...]]] = {OLDER: {**RENAMED, **BULLSEYE}, BUILDER: {}}


def packages(
    apt: Iterable[str], pip: Iterable[str], suite: str, architecture: str = ""
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A recipe's apt and pip packages -> the packages that a suite has of them, and pip's that none has.

    Packages of processors besides `architecture` and this machine's are left out.
    """
    package_names = list(_rename_packages(apt, APT.get(suite, RENAMED), architecture))
    of_pip, unknown = _from_pip(pip)
    package_names += of_pip
    if suite == OLDER:
        package_names += [PYTHON_2[name] for name in of_pip if name in PYTHON_2]
    return tuple(dict.fromkeys(package_names)), tuple(dict.fromkeys(unknown))


def _rename_packages(
    names: Iterable[str], table: Mapping[str, tuple[str, ...]], foreign_architecture: str
) -> Iterator[str]:
    for name in names:
        # "name=version" and "name/release": the version of that day is in no archive any more.
        plain, _, architecture = re.split("[=/]", name, maxsplit=1)[0].partition(":")
        if not NAME.fullmatch(plain):
            continue
        if architecture in ("", "amd64", "any", "native"):
            yield from table.get(plain, (plain,))
        elif architecture == foreign_architecture:
            yield from (
                f"{debians}:{foreign_architecture}" for debians in table.get(plain, (plain,))
            )


def _from_pip(names: Iterable[str]) -> tuple[list[str], list[str]]:
    package_names: list[str] = []
    unknown: list[str] = []
    for name in names:
        plain = re.split(r"[=<>!~\[;@]", name, maxsplit=1)[0].strip().lower()
        if plain in FROM_PIP:
            package_names += FROM_PIP[plain]
        elif plain:
            unknown.append(plain)
    return package_names, unknown
