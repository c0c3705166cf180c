"""Propagators: how functions that the program does not define pass on the data in their arguments."""

from __future__ import annotations

import builtins
import re
from functools import lru_cache

from arena.tracks.exposure.flow.building import words

BUILTINS = frozenset(dir(builtins)) | words(
    """
    raw_input unicode unichr file xrange reduce execfile basestring long
    """
)
# Names that programs use without their import, and what they mean by them.
FORGOTTEN = {
    "request": "flask.request",
    "redirect": "flask.redirect",
    "render_template": "flask.render_template",
    "render_template_string": "flask.render_template_string",
    "send_file": "flask.send_file",
    "send_from_directory": "flask.send_from_directory",
    "make_response": "flask.make_response",
    "jsonify": "flask.jsonify",
    "urlparse": "urllib.parse.urlparse",
    "HttpResponse": "django.http.HttpResponse",
    "Environment": "jinja2.Environment",
    "Path": "pathlib.Path",
    **{
        name: name
        for name in (
            "os",
            "sys",
            "re",
            "subprocess",
            "yaml",
            "json",
            "tarfile",
            "zipfile",
            "shutil",
            "html",
            "shlex",
            "stat",
            "requests",
            "urllib",
            "jinja2",
            "flask",
            "pickle",
            "random",
            "secrets",
            "hashlib",
            "hmac",
            "base64",
            "sqlite3",
            "MySQLdb",
            "pymysql",
            "psycopg2",
            "tempfile",
            "ssl",
            "socket",
            "pathlib",
            "urllib2",
            "string",
            "uuid",
            "bcrypt",
            "mysql",
            "platform",
            "logging",
            "ipaddress",
        )
    },
}
# Old names, and private modules under which the same function is found.
_ALIASES = (
    ("flask.globals.", "flask."),
    ("flask.helpers.", "flask."),
    ("flask.templating.", "flask."),
    ("werkzeug.exceptions.abort", "flask.abort"),
    ("urlparse.", "urllib.parse."),
    ("six.moves.urllib.", "urllib."),
    ("posixpath.", "os.path."),
    ("ntpath.", "os.path."),
    ("_pickle.", "pickle."),
    ("cPickle.", "pickle."),
    ("StringIO.StringIO", "io.StringIO"),
    ("jinja2.environment.", "jinja2."),
    ("jinja2.loaders.", "jinja2."),
    ("werkzeug.secure_filename", "werkzeug.utils.secure_filename"),
    ("werkzeug.urls.url_parse", "urllib.parse.urlparse"),
    ("lxml.etree._", "lxml.etree."),
)
# Methods whose value is none of the data that they are called on.
_DROPPING = words(
    """
    isdigit isdecimal isnumeric isalnum isalpha isidentifier islower isupper isspace startswith
    endswith find rfind index rindex count exists is_file is_dir is_absolute is_relative_to
    hexdigest digest save write is_private stat seek tell execute executemany executescript
    fetchone fetchall commit close
    """
)
# Methods whose value holds what they are given.
_CARRYING = words(
    """
    format format_map join replace render render_async substitute safe_substitute sub subn
    joinpath with_name from_string __add__ __mod__ generate get_template open bindparams match
    fullmatch search findall finditer split literal_column safe_join
    """
)
_FUNCTIONS = re.compile(
    r"(?:str|bytes|bytearray|unicode|repr|ascii|format|list|tuple|set|frozenset|dict|sorted|reversed|max|min|iter|next"
    r"|enumerate|zip|map|filter|memoryview|getattr|super|vars|basestring|await|eval"
    r"|os\.path\.(?!exists|isfile|isdir|isabs|islink|getsize|samefile|getmtime)\w+|os\.fsencode|os\.fsdecode"
    r"|os\.fspath|os\.scandir|os\.listdir|os\.walk"
    r"|pathlib\.\w*Path|urllib\.parse\.\w+|urllib\.(?:quote|unquote|quote_plus|unquote_plus|urlencode)|html\.\w+"
    r"|markupsafe\.\w+|flask\.(?:escape|Markup|make_response|Response|render_template|render_template_string|jsonify"
    r"|redirect|safe_join|url_for|stream_with_context|send_from_directory|json\.\w+)|cgi\.escape|werkzeug\.\S+"
    r"|shlex\.\w+|pipes\.quote|json\.\w+|simplejson\.\w+|base64\.\w+|binascii\.\w+|codecs\.(?:encode|decode)"
    r"|re\.(?:sub|subn|escape|split|match|fullmatch|search|findall|finditer|compile)|regex\.\w+|copy\.\w+"
    r"|yaml\.\w+|string\.(?:Template|capwords)|bleach\.\w+|jinja2\.(?:Template|escape|Markup|utils\.\w+)"
    r"|django\.(?:utils|http|shortcuts|template)\.\S+|unicodedata\.normalize|textwrap\.\w+|io\.(?:StringIO|BytesIO)"
    r"|itertools\.\w+|ast\.(?:parse|literal_eval)|compile|xml\.sax\.saxutils\.\w+|sqlalchemy\.(?:text|sql\.\S+)"
    r"|psycopg2?\.sql\.\w+|functools\.(?:partial|reduce)|operator\.\w+|starlette\.responses\.\w+"
    r"|fastapi\.(?:responses\.\w+|Response)|aiohttp\.web\.\w*[rR]esponse|bottle\.(?:template|HTTPResponse|static_file)"
    r"|collections\.\w+|types\.SimpleNamespace|quart\.\w+|reduce|contextlib\.closing|lxml\.\S+|xmltodict\.parse"
    r"|ruamel\.yaml\.\S+|pickle\.\w+|tarfile\.open|zipfile\.ZipFile|asyncio\.\w+|jsonpickle\.\w+|validators\.\w+|tldextract\.\S+)"
)


@lru_cache(maxsize=4096)
def canonical(path: str) -> str:
    """A path under the name that detectors know it by."""
    for prefix, better in _ALIASES:
        if path.startswith(prefix):
            return better + path[len(prefix) :]
    return path


@lru_cache(maxsize=4096)
def propagates(path: str) -> bool:
    """Whether a function's value holds data of its arguments. A function that nothing defines may."""
    return (path.startswith(("?", "$")) and "." not in path) or _FUNCTIONS.fullmatch(
        path
    ) is not None


def drops_receiver(method: str) -> bool:
    """Whether a method's value is none of the data that it was called on."""
    return method in _DROPPING


def propagates_arguments(method: str) -> bool:
    """Whether a method's value holds data of its arguments."""
    return method in _CARRYING
