"""Builds the images that this project ships, once for each content of their folder.

An image `arena/<name>` is the folder `images/<name>/` with its Dockerfile; its tag is a digest of that
folder and of the base's content, so that a changed Dockerfile leads to a new image, an unchanged Dockerfile
is never built twice, and every machine uses the same name (`images/content.py`). The network is the
host's during a build, because a Dockerfile installs Debian packages.
"""

from __future__ import annotations

import hashlib
import io
import shlex
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from images.base import base_content, base_here, base_reference
from images.bootstrap import SUITE, ImageError
from images.content import LIST_VERSIONS, NAME, PREFIX, VERSIONS, content_of
from images.lock import ROOT, Say, exclusive_lock

if TYPE_CHECKING:
    import docker

# Seconds between two lines on how far a build is.
PROGRESS_INTERVAL_S = 10.0
LABELS = {"io.arena": "1", "io.arena.kind": "image"}
BUILD: dict[str, Any] = {
    "network_mode": "host",
    "labels": LABELS,
    **dict.fromkeys(("rm", "forcerm", "decode"), True),
}
# Before a package's name: its sources, unpacked in /opt/arena/sources/NAME, the version in NAME.version.
SOURCE = "src:"
# Before a source package's name: what Debian builds and tests it with. A module of Python's is itself.
NEEDS = "needs:"
# Behind NEEDS: the package itself, as of a program that tests look for.
TOOL = "tool:"
OWN_SOURCES = (
    r"sed -n 's/^deb \([^ ]* [a-z]* main\)$/deb-src \1/p' /etc/apt/sources.list "
    ">/etc/apt/sources.list.d/arena-sources.list; "  # the release's own: mirrors may lack updates' sources
    "apt-get update; "
)
UNPACK = (
    f"mkdir -p /opt/arena/sources; cd /opt/arena/sources; {OWN_SOURCES}"
    "apt-get install -y --no-install-recommends dpkg-dev; "
    'for name in $SOURCES; do mkdir part; if (cd part && apt-get source --only-source -q "$name" '
    '&& mv -- */ "../$name" && sed -n "s/^Version: /$name /p" *.dsc | head -1 >"../$name.version"); '
    'then :; else echo "src:$name" >>/opt/arena/absent; fi; rm -rf part; done; '
    "rm /etc/apt/sources.list.d/arena-sources.list; "
)
START = "export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin; "
TIDY = "rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb"
# Whether there is a package of this very name: apt reads another as a pattern, `lib.+` is most of Debian.
THERE = (
    'shown=$(apt-cache show "$name" 2>/dev/null) '
    '&& ! printf "%s\\n" "$shown" | grep "^Package: " | grep -qvxF "Package: ${name%:*}"'
)
# Packages of another processor are had once dpkg knows of it. Nothing goes for them: a libc of another
# version would take the compilers with it.
OTHERS = (
    "keep=''; for name in $PACKAGES; do case $name in *:*) "
    'dpkg --add-architecture "${name##*:}"; keep=--no-remove ;; esac; done; '
)
# Installs $PACKAGES and unpacks $SOURCES; what there is none of, or cannot be installed, is written down.
INSTALL = (
    f"{START}{OTHERS}apt-get update; have=''; "
    f'if [ -n "$SOURCES" ]; then {UNPACK}fi; '
    f"for name in $PACKAGES; do if {THERE}; "
    'then have="$have $name"; else echo "$name" >>/opt/arena/absent; fi; done; '
    'get="apt-get install -y --no-install-recommends $keep"; '
    '[ -z "$have" ] || $get $have || for name in $have; do '
    '$get "$name" || echo "$name" >>/opt/arena/absent; done; '
    f"{TIDY}"
)
# Which packages that a project is built with its tests may need, and which of those only documents or
# bindings do. Another tool for building would have more of a `configure.ac` of then, and fail at it.
TESTED_WITH = (
    r"[a-z0-9][a-z0-9+.-]*-(dev|perl)|python3-[a-z0-9]+|check|googletest|bats|tcl|perl|ruby|bc|procps|openssl|iproute2",
    "gir|introspection|sphinx|doc[^t]|dpkg|^python3-all|python3?-dev",
)
# The source package of this name, or else the newest with a number behind it: libcoap is libcoap3.
NUMBERED = (
    'source=$name; plain=$(printf %s "$name" | sed "s/[.]/[.]/g"); '
    'apt-cache showsrc --only-source "$name" 2>/dev/null | grep -q . || '
    "source=$(/usr/lib/apt/apt-helper cat-file /var/lib/apt/lists/*_Sources* | "
    r'sed -n "s/^Package: \($plain[0-9][0-9.]*\)\$/\1/p" | sort -V | tail -n 1)'
)
# Libraries that tests are written with: Debian builds libcoap without its tests, which want CUnit.
FRAMEWORKS = "catch2 check libcmocka-dev libcppunit-dev libcunit1-dev libgtest-dev"
# Sections of what a project is built or watched with: no tool is had from there, or `configure` would find
# another compiler or Python than the recipe has. Ubuntu writes `universe/devel`.
BUILDS = "^Section: (.*/)?(devel|libdevel|libs|oldlibs|debug|kernel|python|rust|golang|java|ocaml|haskell)$"
# Installs what the tests of each of $NEEDS may need; what cannot be, or is nothing, is written down.
INSTALL_NEEDS = (
    f"{START}mkdir -p /opt/arena; {OWN_SOURCES}"
    "get='apt-get install -y --no-remove --no-install-recommends'; "
    f"$get {FRAMEWORKS} || for one in {FRAMEWORKS}; do $get $one || :; done; "
    f"for asked in $NEEDS; do name=${{asked#{TOOL}}}; found=$name; "
    f"case $asked in python3-*) {THERE} || found='' ;; "
    f"""{TOOL}*) {THERE} && ! printf '%s\\n' "$shown" | grep -Eq '{BUILDS}' || found='' ;; *) {NUMBERED}; """
    'found=$(apt-cache showsrc --only-source "${source:-$name}" 2>/dev/null | '
    r"sed ':a; $!N; s/\n[ \t]/ /; ta; P; D' | sed -n 's/^Build-Depends[-A-Za-z]*: *//p' | tr '\t,' ' \n' | "
    f"sed 's/^ *//; s/[ |(<:[].*//' | grep -Ex '{TESTED_WITH[0]}' | grep -vE '{TESTED_WITH[1]}' | sort -u | "
    f'while read -r name; do if {THERE}; then echo "$name"; '
    'else echo "$name" >>/opt/arena/absent; fi; done) ;; esac; '
    f'[ -n "$found" ] || echo "{NEEDS}$asked" >>/opt/arena/absent; '
    '[ -z "$found" ] || $get $found || for one in $found; do '
    '$get "$one" || echo "$one" >>/opt/arena/absent; done; done; '
    f"rm /etc/apt/sources.list.d/arena-sources.list; {TIDY}"
)


def _quiet(_: str) -> None:
    return None


def folder_and_suite(name: str) -> tuple[str, str]:
    """`arena/oss-fuzz@bullseye` -> its folder's name, and the suite of Debian that it is built on."""
    folder, _, suite = name.removeprefix(PREFIX).partition("@")
    return folder, suite or SUITE


def recipe(name: str) -> str:
    """Digest of the folder that `name` (such as `arena/cpp`) is built from; "" for an image of others."""
    folder = ROOT / folder_and_suite(name)[0]
    if not name.startswith(PREFIX) or not (folder / "Dockerfile").is_file():
        return ""
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


class Builder:
    """Builds and looks up the images of this project through a Docker client."""

    def __init__(self, client: docker.DockerClient, say: Say = _quiet) -> None:
        self._client, self._say = client, say

    def knows(self, name: str) -> bool:
        """Whether `name` (such as `arena/cpp`) is an image that this project builds."""
        return bool(recipe(name))

    def ensure(self, name: str) -> str:
        """Identity of the image, built when it is not here. Raises ImageError."""
        with exclusive_lock(self._say):
            folder, suite = folder_and_suite(name)
            base = base_reference(self._client, LABELS, self._say, suite)
            tag = f"{PREFIX}{folder}:{self._digest(name, base)}"
            if not self._client.images.list(name=tag):
                self._say(f"building {tag} (1 GB; about a minute, once)")
                self._build(name, tag, str(self._client.images.get(base).id))
            return str(self._client.images.get(tag).id)

    def with_packages(self, image: str, packages: Sequence[str]) -> str:
        """Identity of `image` with Debian's packages on it, built when it is not here. Raises ImageError.

        `SOURCE` before a name asks for the package's sources, `NEEDS` for what it is built with, which is
        an image on top. A package that cannot be had is left out, and named in /opt/arena/absent.
        """
        names = sorted(set(packages))
        needs = [name for name in names if name.startswith(NEEDS)]
        sources = [name for name in names if name.startswith(SOURCE)]
        plain = [name for name in names if name not in {*needs, *sources}]
        with exclusive_lock(self._say):
            if plain or sources:
                arguments = {
                    "PACKAGES": plain,
                    "SOURCES": [n.removeprefix(SOURCE) for n in sources],
                }
                image = self._install_on_top(image, sorted((*plain, *sources)), arguments, INSTALL)
            if needs:
                arguments = {"NEEDS": [name.removeprefix(NEEDS) for name in needs]}
                image = self._install_on_top(image, needs, arguments, INSTALL_NEEDS)
        return image

    def _install_on_top(
        self, image: str, wanted: Sequence[str], variables: Mapping[str, Sequence[str]], script: str
    ) -> str:
        """Identity of `image` with what `script` installs as root, with a network. It reads `variables`."""
        attributes = self._client.images.get(image).attrs
        below = content_of(attributes).recipe
        digest = hashlib.sha256(" ".join((below, script, *wanted)).encode()).hexdigest()[:16]
        tag = f"{PREFIX}packages:{digest}"
        if not self._client.images.list(name=tag):
            self._say(f"installing {len(wanted)} packages of Debian")
            user = attributes["Config"].get("User") or "0"
            assignments = "".join(f"{n}={shlex.quote(' '.join(v))}; " for n, v in variables.items())
            text = f"FROM {image}\nUSER 0\nRUN {assignments}{script}\nUSER {user}\n"
            self._make(f"{len(wanted)} packages", tag, fileobj=io.BytesIO(text.encode()))
        return str(self._client.images.get(tag).id)

    def find(self, name: str) -> str | None:
        """Identity of the image as its folder is now, or None where it would have to be built."""
        folder, suite = folder_and_suite(name)
        base = base_here(self._client, suite)
        if base is None:
            return None
        images_found = self._client.images.list(name=f"{PREFIX}{folder}:{self._digest(name, base)}")
        return str(images_found[0].id) if images_found else None

    def _digest(self, name: str, base: str) -> str:
        below = base_content(self._client, base, folder_and_suite(name)[1])
        return hashlib.sha256(f"{below} {recipe(name)}".encode()).hexdigest()[:16]

    def _build(self, name: str, tag: str, base: str) -> None:
        """Make the image of a folder on the image of that id: an id is never pulled."""
        path = str(ROOT / folder_and_suite(name)[0])
        self._make(name, tag, path=path, buildargs={"BASE": base})

    def _make(self, purpose: str, tag: str, **source: Any) -> None:
        """Build an image and name it `tag` as the last step, so that a named image has its versions too."""
        part = f"{tag}-part"
        self._follow(purpose, self._client.api.build(tag=part, **source, **BUILD))
        versions = hashlib.sha256(self._output(part, LIST_VERSIONS)).hexdigest()
        settings = {**BUILD, "labels": {**LABELS, NAME: tag, VERSIONS: versions}}
        text = f"FROM {self._client.images.get(part).id}\n"
        named = self._client.api.build(tag=tag, fileobj=io.BytesIO(text.encode()), **settings)
        self._follow(purpose, named)
        self._client.images.remove(part, noprune=True)

    def _output(self, image: str, script: str) -> bytes:
        """What a command prints in an image, without a network. Raises ImageError."""
        api = self._client.api
        host = api.create_host_config(network_mode="none")
        box = api.create_container(
            image, [script], user="0", labels=LABELS, host_config=host, entrypoint=["/bin/sh", "-c"]
        )["Id"]
        try:
            api.start(box)
            status = api.wait(box)["StatusCode"]
            printed = bytes(api.logs(box, stdout=True, stderr=False))
        finally:
            api.remove_container(box, force=True, v=True)
        if status or not printed:
            raise ImageError(f"{image}: its packages cannot be listed (status {status})")
        return printed

    def _follow(self, name: str, lines: Iterable[dict[str, Any]]) -> None:
        """Say every `PROGRESS_INTERVAL_S` seconds how far a build is. Raises ImageError."""
        last_line_s, tail = time.monotonic(), ""
        for line in lines:
            if "error" in line:
                raise ImageError(f"building {name} failed: {line['error'].strip()} / {tail}")
            tail = str(line.get("stream", "")).strip() or tail
            if time.monotonic() - last_line_s >= PROGRESS_INTERVAL_S:
                last_line_s = time.monotonic()
                self._say(f"building {name}: {tail}")
