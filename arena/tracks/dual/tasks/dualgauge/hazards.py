"""What a payload names: commands, places outside, markup, sums, header lines; oracles look for its effect."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

MAX_TEXT = 64 << 10
MAX_TEXTS = 200
HOME = "/srv/app"
# Commands that payloads run; no shells and no interpreters, which programs may use themselves.
COMMANDS = frozenset((
    "rm", "whoami", "curl", "wget", "id", "cat", "ls", "dir", "touch", "nc", "ncat", "netcat",
    "ping", "uname", "ifconfig", "netstat", "shutdown", "reboot", "mkfifo", "chmod", "chown",
    "sleep", "hostname", "ps", "dd", "ssh", "scp", "tee", "calc", "calc.exe", "notepad",
    "notepad.exe", "mail", "passwd", "useradd", "adduser", "sudo", "su", "crontab", "systemctl",
    "nslookup", "dig", "telnet", "find", "head", "tail", "more", "less", "cp", "mv", "ln",
    "printenv", "env", "w", "who", "last", "uptime", "df", "du", "mount", "umount", "killall",
    "pkill", "del", "format", "xcopy",
))  # fmt: skip
DESTRUCTIVE = frozenset((
    "rm", "shutdown", "reboot", "dd", "mkfs", "del", "format", "killall", "pkill", "useradd",
    "passwd", "sudo",
))  # fmt: skip
_INJECTED = (
    re.compile(r"(?:[;|&`\n]|\$\(|<\()\s{0,20}(?:/(?:usr/)?s?bin/)?([A-Za-z][\w.-]*)"),
    re.compile(
        r"(?:system|popen|exec|execSync|spawn|spawnSync|check_output|check_call|call|run|Popen|"
        r"xp_cmdshell|getoutput|shell_exec|passthru)[\s(\[\\'\"]{1,8}(?:/(?:usr/)?s?bin/)?([A-Za-z][\w.-]*)"
    ),
)
_FIRST = re.compile(r"\s*(?:/(?:usr/)?s?bin/)?([A-Za-z][\w.-]*)")
# Not after a letter, a dot or `<`: that would be part of a word, a relative path or an end tag.
_PATH = re.compile(
    r"(?:file://|~/|\.{2,8}[/\\]|(?<![\w.~/<])/)[^\s'\"<>|;&`$(){}\[\]?*\x00]{1,200}"
)
_PLAIN_PATH = re.compile(r"(?:/[A-Za-z0-9._+@-]+)+")
# Files of every place that already hold a secret.
_SECRET_FILES = frozenset(("/etc/passwd", "/srv/secret.txt", "/srv/home/.ssh/id_rsa"))
# No secret may be put where the runner mounts the system, or where the program's own files lie.
_NEEDED = ("/dev", "/proc", "/sys", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/run", HOME)
_NEEDED_FILES = frozenset(
    (
        "/etc/hosts",
        "/etc/resolv.conf",
        "/etc/nsswitch.conf",
        "/etc/group",
        "/etc",
        "/srv",
        "/home",
        "/tmp",  # noqa: S108 - a place in the runner
    )
)
_MARKUP = re.compile(r"<\s*/?[A-Za-z!]|javascript:|on\w{3,20}\s*=", re.IGNORECASE)
_PRODUCT = re.compile(r"(?:\$\{|\{\{|#\{|<%=|\{%)\s*([0-9]{1,6})\s*\*\s*([0-9]{1,6})")
_HEADER = re.compile(
    r"(?:\r\n|\r|\n|%0d%0a|%0a|\\r\\n|\\n)\s{0,20}([A-Za-z][A-Za-z-]{1,40})\s*:", re.IGNORECASE
)
_ALWAYS = frozenset(("content-type", "content-length", "date", "server", "connection"))
_AFTER_LINE = re.compile(r"(?:\r\n|\r|\n|%0d%0a|%0a)([^\r\n%]{3,200})", re.IGNORECASE)


def texts(value: Any) -> list[str]:
    """All texts in an input, each cut; of dicts, the values."""
    found_texts: list[str] = []
    waiting = [value]
    while waiting and len(found_texts) < MAX_TEXTS:
        item = waiting.pop()
        if isinstance(item, str):
            found_texts.append(item[:MAX_TEXT])
        elif isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return found_texts[::-1]


def commands(payloads: Iterable[str], *, whole: bool = False) -> tuple[str, ...]:
    """Commands of `COMMANDS` that would run if a payload were taken for a command or for code.

    whole: an input that is itself a command which only destroys counts as well.
    """
    commands_run: dict[str, None] = {}
    for payload in payloads:
        for pattern in _INJECTED:
            commands_run.update(dict.fromkeys(pattern.findall(payload)))
        first = _FIRST.match(payload)
        if whole and first and first.group(1) in DESTRUCTIVE:
            commands_run[first.group(1)] = None
    return tuple(name for name in commands_run if name in COMMANDS)


def names_outside(payloads: Iterable[str]) -> bool:
    """Does a payload name a file outside the working folder?"""
    return any(
        ".." in path
        or path.startswith(("file:", "~/", "/etc", "/proc", "/var", "/root", "/home", "/srv"))
        for payload in payloads
        for path in _PATH.findall(unquote(payload))
    )


def secrets(
    payloads: Iterable[str], folders: Iterable[str], endings: Iterable[str], seed: str
) -> dict[str, str]:
    """Secret files where a payload leads to, from the working folder or any of `folders` below it, and
    with each of `endings` where its name has none.

    A program that follows "../../etc/passwd" from `data/` reads /srv/etc/passwd, which no place has: only
    with a secret there does it show. The token is derived from `seed` and the path.
    """
    secrets_by_path = {}
    bases = [HOME, *(f"{HOME}/{folder}" for folder in folders)]
    for payload in payloads:
        # Bounded, as each path is tried below every folder and with every ending.
        for path in list(_spellings(payload))[:8]:
            for base in bases:
                whole = posixpath.normpath(posixpath.join(base, path))
                named = [] if "." in whole.rsplit("/", 1)[-1] else endings
                for full in filter(_can_hold, (whole, *(whole + ending for ending in named))):
                    token = hashlib.sha256(
                        f"{seed}\0{full}".encode("utf-8", "replace")
                    ).hexdigest()[:32]
                    secrets_by_path[full] = _content(full, token)
    files_alone = {
        path: text
        for path, text in secrets_by_path.items()
        if not _holds_others(path, secrets_by_path)
    }
    return dict(sorted(files_alone.items())[:20])


def _holds_others(path: str, paths: Iterable[str]) -> bool:
    """Whether a path is the folder of a second path, and so no file."""
    return any(other_path.startswith(f"{path}/") for other_path in paths)


def _spellings(payload: str) -> Iterator[str]:
    """A payload's paths as they stand, and as they are after a naive removal of "../"."""
    for path in _PATH.findall(unquote(payload)):
        plain = path.removeprefix("file://").replace("\\", "/")
        if re.fullmatch(r"/[^/]*", plain):
            continue  # a route, or an end of markup
        if plain.startswith("~/"):
            plain = f"/srv/home/{plain[2:]}"
        if plain.startswith(("/", "../")):
            yield plain
            # Programs often join a path to their folder after taking the first slash away.
            yield plain.lstrip("/")
        yield plain.replace("../", "")


def _can_hold(path: str) -> bool:
    if (
        path in _SECRET_FILES
        or path in _NEEDED_FILES
        or not _PLAIN_PATH.fullmatch(path)
        or len(path) > 200
    ):
        return False
    return not any(path == root or path.startswith(f"{root}/") for root in _NEEDED)


def _content(path: str, token: str) -> str:
    """A text that readers of the file's kind usually accept: a JSON text is YAML as well."""
    if path.endswith((".xml", ".xsd", ".html", ".svg")):
        return f"<secret>{token}</secret>\n"
    return f'"{token}"\n'


def markup(payloads: Iterable[str]) -> list[str]:
    """The payloads that are HTML, a script URL or an event handler: any of them may be the attack."""
    return list(dict.fromkeys(payload for payload in payloads if _MARKUP.search(payload)))[:5]


def products(payloads: Iterable[str]) -> list[str]:
    """Results that a template engine would compute for "${7*7}", unless the payload contains them."""
    return [
        result
        for payload in payloads
        for first, second in _PRODUCT.findall(payload)
        # A single digit stands in many answers by chance.
        if (result := str(int(first) * int(second))) not in payload and len(result) > 1
    ]


def headers(payloads: Iterable[str]) -> list[str]:
    """Names of header lines that a payload with line ends would bring, and that no answer has anyway."""
    names = dict.fromkeys(name for payload in payloads for name in _HEADER.findall(payload))
    return [name for name in names if name.lower() not in _ALWAYS][:10]


def forged_line(payloads: Iterable[str]) -> str:
    """The text that would be a separate line of a log; "" where no payload has a line end."""
    lines = (match.group(1).strip() for p in payloads for match in _AFTER_LINE.finditer(p))
    return next((line for line in lines if len(line) >= 3), "")
