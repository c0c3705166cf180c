"""The file system of a program: a root with the system's folders, its files, secrets and canaries."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from arena.tracks.dual.runner import paths
from arena.tracks.dual.runner.canary import SCRIPT
from arena.tracks.dual.runner.order import CANARY, MIB, Copy, Order
from harness.sandbox.jail import kernel
from harness.sandbox.jail.system import DEVICES, MOUNT_POINTS

OLD = "/old"
DISK = "/.disk"
MAX_COPIED = 256 * MIB
MAX_FILES = 20_000
COVERAGE_SIZE = 16 * MIB
ROOT_SIZE = 4 * MIB
_PLAIN = kernel.MS_NOSUID | kernel.MS_NODEV


class BadOrder(ValueError):
    """What an order puts in is not there, or more than a jail holds."""


def begin(order: Order) -> None:
    """Replace this process's root by an empty root, with the host's below OLD, and fill it. Needs a separate
    mount namespace. Raises OSError naming what the kernel refused, BadOrder.
    """
    sources = _sources(order)
    # Before the root is replaced: afterwards links of the host would be resolved in the new root.
    drivers, shown = os.path.realpath(paths.OWN_DRIVERS), paths.visible_paths()
    # Otherwise mounts would spread to the host, where systemd makes its root shared.
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    root = next(p for p in MOUNT_POINTS if p.is_dir())
    kernel.mount("tmpfs", str(root), "tmpfs", _PLAIN, f"size={ROOT_SIZE},mode=0755")
    (root / OLD[1:]).mkdir()
    os.chdir(root)
    kernel.pivot_root(".", OLD[1:])
    os.chdir("/")
    kernel.read_only(OLD, devices=True)  # a link among the fixtures may lead there
    _disk(order)
    for path in shown:
        _mount(path)
    _devices()
    _etc()
    _arena(order, drivers)
    try:
        _fill(order, sources)
    except OSError as error:
        raise BadOrder(f"what the order has cannot be put in its place: {error}") from error
    for bind in order.binds:
        _bind(OLD + sources[bind.source], Path(bind.target))


def _sources(order: Order) -> dict[str, str]:
    """Where the host's files and folders of an order really lie."""
    wanted = [*(c.source for c in order.copies), *(b.source for b in order.binds)]
    sources = {source: os.path.realpath(source) for source in wanted}
    for source, path in sources.items():
        if not os.path.exists(path):  # noqa: PTH110 - of a text
            raise BadOrder(f"copies or binds: there is no {source}")
    return sources


def _fill(order: Order, sources: dict[str, str]) -> None:
    for copy in order.copies:
        _copy_tree(Copy(OLD + sources[copy.source], copy.target))
    for path, content in order.files.items():
        _write(Path(path), content)
    # Links after the files, or a file could be written through a link into another place.
    for path, target in order.links.items():
        _link(Path(path), target)
    for path, text in order.secrets.items():
        _write(Path(path), _secret(path, text).encode("utf-8", "surrogatepass"))
    for path in (order.folder, "/srv/home", *order.watched):
        Path(path).mkdir(parents=True, exist_ok=True)


def finish(order: Order, owner: int, group: int) -> None:
    """Give the program its files, take the host's root away, and close the rest to writing."""
    for top in paths.writable(order):
        _give(f"{DISK}/{top}", owner, group)
        Path(f"/{top}").chmod(0o1777 if top == paths.top(paths.TMP) else 0o755)
    if order.coverage:
        os.chown(paths.COVERAGE, owner, group)
    os.chown(paths.EVENT_PIPE, owner, group)
    # Until now the limit had room for the copies; from here on the program has what its order grants.
    used = os.statvfs(DISK)
    size = (used.f_blocks - used.f_bfree) * used.f_frsize + order.limits.disk
    kernel.mount(None, DISK, None, kernel.MS_REMOUNT | _PLAIN, f"size={size}")
    # The folders stay mounted each by itself; only the common way to them goes.
    kernel.unmount(DISK)
    Path(DISK).rmdir()
    kernel.unmount(OLD)
    Path(OLD).rmdir()
    if order.open_root:
        _open_root(order)
    else:
        kernel.remount_read_only("/")


def _open_root(order: Order) -> None:
    """Let files be created in the root; existing files there stay read-only, whoever owns them."""
    for path in Path("/").iterdir():
        if path.name in paths.READ_ONLY_FOLDERS - {"proc"} and not path.is_symlink():
            kernel.mount(str(path), str(path), None, kernel.MS_BIND | kernel.MS_REC)
            kernel.remount_read_only(str(path))
    size = ROOT_SIZE + order.limits.disk
    kernel.mount(None, "/", None, kernel.MS_REMOUNT | _PLAIN, f"size={size},nr_inodes={MAX_FILES}")
    Path("/").chmod(0o1777)


def _disk(order: Order) -> None:
    """Put all writable folders on a single file system of bounded size."""
    Path(DISK).mkdir()
    data = f"size={MAX_COPIED + order.limits.disk},nr_inodes={MAX_FILES},mode=0755"
    kernel.mount("tmpfs", DISK, "tmpfs", _PLAIN, data)
    for top in (*paths.writable(order), "shm"):
        Path(f"{DISK}/{top}").mkdir(mode=0o755)
    for top in paths.writable(order):
        Path(f"/{top}").mkdir(exist_ok=True)
        kernel.mount(f"{DISK}/{top}", f"/{top}", None, kernel.MS_BIND)


def _devices() -> None:
    for name in DEVICES:
        _bind(f"{OLD}/dev/{name}", Path("/dev") / name, devices=True)
    shared = Path("/dev/shm")  # noqa: S108 - inside the jail
    shared.mkdir()
    kernel.mount(f"{DISK}/shm", str(shared), None, kernel.MS_BIND)
    shared.chmod(0o1777)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        Path("/dev", name).symlink_to(f"/proc/self/fd{target}")
    Path("/proc").mkdir()


def _etc() -> None:
    Path("/etc").mkdir(exist_ok=True)
    for name, text in paths.ETC.items():
        Path("/etc", name).write_text(text)


def _arena(order: Order, drivers: str) -> None:
    """Create the canaries, the pipe for their and the hooks' records, and the drivers."""
    bins, run = Path(paths.BIN), Path(paths.ARENA)
    for folder in (bins, run):
        folder.mkdir(parents=True)
    for name in sorted({CANARY, *order.canaries}):
        _write(bins / name, SCRIPT)
        (bins / name).chmod(0o755)
    Path(paths.ARENA, "scratch").mkdir()
    Path(paths.SUITE).mkdir()
    os.mkfifo(paths.EVENT_PIPE)
    Path(paths.EVENT_PIPE).chmod(0o222)  # its owner cannot change that: all around is read-only
    if order.coverage:
        Path(paths.COVERAGE).mkdir()
        data = f"size={COVERAGE_SIZE},nr_inodes=2000,mode=0755"
        kernel.mount("tmpfs", paths.COVERAGE, "tmpfs", _PLAIN, data)
    if Path(OLD + drivers).is_dir():
        _bind(OLD + drivers, Path(paths.DRIVERS))


def _link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def _secret(path: str, text: str) -> str:
    if path != paths.USERS:
        return text
    # A secret in /etc/passwd stands as a user's comment field, so that the file stays valid for libraries
    # that read it.
    line = text if ":" in text else f"arena:x:1001:1001:{text}:/home/arena:/bin/sh"
    return paths.ETC["passwd"] + line.rstrip("\n") + "\n"


def _mount(path: str) -> None:
    source, target = Path(OLD + path), Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    # /bin and /lib are links into /usr on merged systems, and a bind would hide that from programs.
    if source.is_symlink():
        target.symlink_to(source.readlink())
    else:
        _bind(str(source), target)


def _bind(source: str, target: Path, devices: bool = False) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if Path(source).is_dir():
        target.mkdir(exist_ok=True)
    else:
        target.touch()
    kernel.mount(source, str(target), None, kernel.MS_BIND | kernel.MS_REC)
    kernel.read_only(str(target), devices)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(content)


def _copy_tree(copy: Copy) -> None:
    """A file or tree with its links as they are; what is neither file, folder nor link is left out."""
    Path(copy.target).parent.mkdir(parents=True, exist_ok=True)
    total = 0
    for count, (source, target, kind) in enumerate(_walk(copy.source, copy.target)):
        if kind == stat.S_IFREG:
            total += source.lstat().st_size
        if total > MAX_COPIED or count > MAX_FILES // 2:
            raise BadOrder(f"copies: {copy.source.removeprefix(OLD)} is too much to copy")
        if kind == stat.S_IFDIR:
            target.mkdir(exist_ok=True)
        elif kind == stat.S_IFLNK:
            target.symlink_to(source.readlink())
        elif kind == stat.S_IFREG:
            shutil.copyfile(source, target, follow_symlinks=False)
        if kind in (stat.S_IFREG, stat.S_IFDIR):
            # Without set-uid bits, and writable for its owner, who is to change the fixtures.
            target.chmod(stat.S_IMODE(source.lstat().st_mode) & 0o777 | 0o600)


def _walk(source: str, target: str) -> Iterator[tuple[Path, Path, int]]:
    todo = [(Path(source), Path(target))]
    while todo:
        here, there = todo.pop()
        kind = stat.S_IFMT(here.lstat().st_mode)
        yield here, there, kind
        if kind == stat.S_IFDIR:
            todo += [(entry, there / entry.name) for entry in sorted(here.iterdir())]


def _give(folder: str, owner: int, group: int) -> None:
    os.chown(folder, owner, group)
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(f"{parent}/{name}", owner, group, follow_symlinks=False)
