"""Calls that touch a file, and the values by which they name it. Facts of the libraries' documentation."""

from __future__ import annotations

from collections.abc import Iterator

from arena.tracks.exposure.flow.building import words
from arena.tracks.exposure.flow.facts import CallFact, Flow, Value

_FIRST = words(
    """
    open file io.open codecs.open os.open aiofiles.open gzip.open bz2.open lzma.open
    os.remove os.unlink os.rename os.replace os.stat os.lstat os.access os.chmod os.mkdir os.makedirs
    os.rmdir os.removedirs os.listdir os.scandir os.walk os.startfile os.link os.symlink
    os.path.exists os.path.isfile os.path.isdir os.path.lexists os.path.getsize os.path.getmtime
    shutil.copy shutil.copy2 shutil.copyfile shutil.copytree shutil.move shutil.rmtree
    flask.send_file flask.send_from_directory quart.send_file quart.send_from_directory
    PIL.Image.open Image.open imageio.imread imageio.v2.imread cv2.imread matplotlib.image.imread
    skimage.io.imread numpy.load pandas.read_csv zipfile.ZipFile tarfile.open linecache.getlines
    fastapi.responses.FileResponse starlette.responses.FileResponse aiohttp.web.FileResponse
    sanic.response.file sanic.response.file_stream
    """
)
_BOTH = words(
    "os.rename os.replace os.link os.symlink shutil.copy shutil.copy2 shutil.copyfile shutil.move"
)
# Functions that touch a file, and which of their arguments name it. Of those that keep a name inside a
# folder by themselves (send_from_directory, static_file) it is the folder.
_PLACES: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(_FIRST, (0,)),
    **dict.fromkeys(_BOTH, (0, 1)),
    "bottle.static_file": (1,),
}
_KEYWORDS = words("file path filename_or_fp path_or_file fp src dst name")
_KEPT_INSIDE = words("flask.send_from_directory quart.send_from_directory bottle.static_file")
_FOLDER_KEYWORDS = words("directory root")
_METHODS = words(
    """
    open read_text read_bytes write_text write_bytes exists is_file is_dir stat unlink iterdir touch
    mkdir rmdir rename replace chmod glob lstat is_symlink
    """
)
_ONLY_OF_PATHS = (".read_text", ".read_bytes", ".write_text", ".write_bytes")
_INSIDE = (".send_static_file",)
_RESOURCE = (".open_resource",)
_OPENED = words("open file io.open codecs.open aiofiles.open")
_WRITES = (".write_text", ".write_bytes")
_STREAMS = ("io.BytesIO", "io.StringIO")
_UPLOAD = (".files[]", ".files.get()", ".FILES[]", ".FILES.get()")


def named_files(call: CallFact) -> Iterator[Value]:
    """The values by which a call names a file."""
    # Sorted, so that the finding is the same each time: sets have no order of their own.
    for path in sorted(call.paths & _PLACES.keys()):
        # These functions confine the name by themselves, though not the folder that they are given.
        keywords = _FOLDER_KEYWORDS if path in _KEPT_INSIDE else _KEYWORDS
        yield from (call.arguments[n] for n in _PLACES[path] if n < len(call.arguments))
        yield from (value for name, value in sorted(call.keywords.items()) if name in keywords)
    if call.ends(*_RESOURCE) and call.arguments:
        yield call.arguments[0]
    if _is_path_method(call):
        yield call.receiver


def keeps_inside(call: CallFact) -> bool:
    """Whether a call itself confines the file name that it receives to a folder."""
    return bool(call.paths & _KEPT_INSIDE) or call.ends(*_INSIDE)


def _is_path_method(call: CallFact) -> bool:
    # Methods of these names are taken for those of paths, whatever is known of the receiver.
    if call.ends(*_ONLY_OF_PATHS):
        return True
    # `open`, `replace` and `exists` are methods of many objects: here it must come from pathlib.
    return any(
        path.startswith("pathlib.") and path.rpartition(".")[2] in _METHODS for path in call.paths
    )


def touches_file(call: CallFact) -> bool:
    """Whether a call touches a file by its name, in whatever way the name is held."""
    return (
        bool(call.paths & _PLACES.keys())
        or call.ends(*_INSIDE, *_RESOURCE)
        or _is_path_method(call)
    )


def tainted_names(value: Value) -> list[Flow]:
    """Flows that an attacker chose, but for what is no name: an open stream, an uploaded file itself."""
    # An upload holds contents; its name, `.filename`, is a value of its own.
    if value.ends(*_UPLOAD):
        return []
    return [flow for flow in value.untrusted_flows if not flow.through.intersection(_STREAMS)]


def call_name(call: CallFact) -> str:
    """The name of what is called, for people."""
    return min(call.paths, default="a call").replace("()", "")[-60:]


def written_file(call: CallFact) -> Value | None:
    """The name of a file that a call makes or overwrites, None where it does neither."""
    if call.paths & _OPENED:
        return (
            call.argument(0, "file", "filename") if _for_writing(call.argument(1, "mode")) else None
        )
    if call.ends(*_WRITES):
        return call.receiver
    if any(path.startswith("pathlib.") and path.endswith(".open") for path in call.paths):
        # Path.open has no file argument, so that the mode comes first.
        return call.receiver if _for_writing(call.argument(0, "mode")) else None
    return None


def _for_writing(mode: Value | None) -> bool:
    # Without a mode `open` reads.
    return mode is not None and any(letter in text for text in mode.texts for letter in "wax")
