"""Dependencies that no mirror has, from Debian's source packages: libpcap for libpcap's repository.

Their versions differ from those of the recipe's day, which is reported. Archives that a recipe downloads
(`libpcap-1.9.1.tar.gz`) are packed from the same sources, with the folder in them that the name promises.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping

from arena.building.cases.loader import NAMELESS
from arena.building.oss_fuzz.clones import key_of
from arena.building.oss_fuzz.packages import NAME
from harness.command import Command
from harness.protocols import Sandbox

# Where the image has the sources of each package, `images.builder.SOURCE` before its name.
PLACE = "/opt/arena/sources"
# A repository's or an archive's name -> Debian's source package; any other is asked for by its own name.
DEBIAN: Mapping[str, str] = {
    "libpng": "libpng1.6",
    "libtiff": "tiff",
    "libgif": "giflib",
    "libexpat": "expat",
    "libjpeg": "libjpeg-turbo",
    "libogg": "libogg",
    "vorbis": "libvorbis",
    "ogg": "libogg",
    "zstd": "libzstd",
    "xz": "xz-utils",
    "lzma": "xz-utils",
    "lz4": "lz4",
    "bzip2": "bzip2",
    "freetype2": "freetype",
    "icu": "icu",
    "sqlite": "sqlite3",
    "gnutls": "gnutls28",
    "libgcrypt": "libgcrypt20",
    "libtasn1": "libtasn1-6",
    "libssh2": "libssh2",
    "openjpeg": "openjpeg2",
    "little-cms": "lcms2",
    "lcms": "lcms2",
    "harfbuzz": "harfbuzz",
    "googletest": "googletest",
    "protobuf": "protobuf",
    "eigen": "eigen3",
    "jansson": "jansson",
    "pcre": "pcre3",
    "x265_git": "x265",
    "ovs": "openvswitch",
    "oniguruma": "libonig",
    "libdwarf-code": "dwarfutils",
    "leptonica": "leptonlib",
    "boost": "boost1.74",
}
ARCHIVE = re.compile(
    r"/(?P<name>[A-Za-z][\w+]*?(?:-[A-Za-z][\w+]*)*)(?P<sep>[-_])v?(?P<version>\d[\w.]*?)\.(?:tar\.\w+|tgz|tbz2|txz)$"
)
OF_A_TAG = re.compile(
    r"/(?P<name>[\w+.-]+)/archive/(?:refs/tags/)?v?(?P<version>\d[\w.]*?)\.(?:tar\.gz|tgz)$"
)


def archive(url: str) -> tuple[str, str] | None:
    """(name, folder in it) of an address that names an archive of a release; None for different addresses."""
    plain = url.partition("?")[0].partition("#")[0]
    match = OF_A_TAG.search(plain) or ARCHIVE.search(plain)
    if not match:
        return None
    name, sep = match["name"], match.groupdict().get("sep", "-")
    return name, f"{name}{sep}{match['version']}"


def source_of(url: str) -> str | None:
    """The source package that a repository or an archive is looked for in; None for a name that is none."""
    packed = archive(url)
    parts = [part for part in key_of(url).split("+") if part not in NAMELESS]
    name = (packed[0] if packed else parts[-1] if len(parts) > 1 else "").lower()
    name = DEBIAN.get(name, name)
    return name if NAME.fullmatch(name) else None


def sources_of(urls: Iterable[str]) -> dict[str, str]:
    """URL -> source package, of those that name a package."""
    return {url: name for url in urls if (name := source_of(url))}


def needs_of(repository: str, project: str) -> tuple[str, ...]:
    """The possible source packages of a project in Debian: by its repository's name, and by the project's."""
    source_package = DEBIAN.get(project.lower(), project.lower())
    named = (source_of(repository), source_package if NAME.fullmatch(source_package) else None)
    return tuple(dict.fromkeys(name for name in named if name))


def put_in_place(box: Sandbox, url: str, package: str, place: str, seconds: float) -> str:
    """Put the package's sources where the image's `git` and `wget` look for the URL: below `place`.

    What is there of it, as "libpcap 1.10.3-1"; "" where Debian has no such package.
    """
    target, source = (
        shlex.quote(f"{folder}/{name}") for folder, name in ((place, key_of(url)), (PLACE, package))
    )
    packed = archive(url)
    if packed:
        renamed = shlex.quote(f"s,^\\./,{packed[1]}/,")
        put = f"tar -C {source} --exclude=./debian --transform={renamed} -czf {target} ."
    else:
        put = f"ln -sfn {source} {target}"
    line = f"[ -d {source} ] && mkdir -p {shlex.quote(place)} && {put} && cat {source}.version"
    done = box.exec(Command(line, "/", seconds))
    return done.output.decode(errors="replace").strip()[:100] if done.ok else ""
