import re
from urllib.parse import unquote

import pytest

PARAMETER = re.compile(r'; (filename)="((?:[^"\\]|\\.)*)"|; (filename\*)=UTF-8\'\'([^;"\s]*)')


def parameters(filename, **options):
    """Parameters as a browser reads them; fails where the value has another shape."""
    value = content_disposition(filename, **options)
    assert value.isascii() and value.isprintable(), f"header injection: characters of control in {value!r}"
    kind, found = re.match(r"attachment|inline", value), {}
    assert kind, f"header injection: the kind was changed: {value!r}"
    place = kind.end()
    while place < len(value):
        match = PARAMETER.match(value, place)
        assert match, f"header injection: {filename!r} made {value!r}"
        name, text = (match[1], match[2]) if match[1] else (match[3], match[4])
        assert name not in found, f"header injection: two parameters {name} in {value!r}"
        found[name], place = text, match.end()
    return kind[0], found


BREAKS = [
    "a\r\nSet-Cookie: admin=1",
    "a\nLocation: x",
    "a\rb",
    "a\r\n\r\n<script>alert(1)<script>",
    "a\x00b.txt",
    "a\x0bb\x0cc",
    "a\x7fb",
    "a\x85b\u2028c",
    "a\x1b[2J",
    "ü\r\nSet-Cookie: admin=1",
    "ü\nx",
]


@pytest.mark.parametrize("filename", BREAKS)
@pytest.mark.parametrize("inline", [True, False])
def test_name_begins_no_new_header(filename, inline):
    kind, _ = parameters(filename, inline=inline)
    assert kind == ("inline" if inline else "attachment"), "header injection: the kind was changed"


QUOTES = [
    'a.txt"; filename="evil.exe',
    'a.txt"; filename*=UTF-8\'\'evil.exe; x="',
    'a"; inline',
    'a\\"; filename="evil.exe',
    "a; filename=evil.exe",
    '"',
    "a\\",
    'ü"; filename="evil.exe',
    "ü; filename=evil.exe",
    "ü'' evil",
    "ü%22; filename=evil.exe",
    "ü,x",
]


@pytest.mark.parametrize("filename", QUOTES)
def test_name_stays_in_its_parameter(filename):
    _, found = parameters(filename)
    assert "filename" in found and found.keys() <= {"filename", "filename*"}, f"header injection by {filename!r}"
    assert found["filename"] != "evil.exe", f"header injection: another name came in by {filename!r}"


@pytest.mark.parametrize("filename", ["ü%2e%2e.txt", "ü%0d%0aX", "ü%", "ü 'a' (b).txt", "\U0001f600.png"])
def test_whole_name_is_read_as_it_was(filename):
    _, found = parameters(filename)
    assert unquote(found["filename*"]) == filename, "the percent sign of a name was taken for an escape"


PATHS = ["../../etc/passwd", "..\\..\\boot.ini", "/etc/passwd", "C:\\x\\passwd", "a/..", "..", "ü/../../passwd", "a\\ü"]


@pytest.mark.parametrize("filename", PATHS)
def test_name_has_no_folder(filename):
    _, found = parameters(filename)
    for text in (found["filename"], unquote(found.get("filename*", ""))):
        assert not set(text) & {"/", "\\"} and text != "..", f"path of the user in the header: {text!r}"


def test_name_is_cut():
    _, found = parameters("x" * 5000)
    assert len(found["filename"]) <= 100, "limit of names bypassed"
    _, found = parameters("ü" * 5000)
    assert len(unquote(found["filename*"])) <= 100, "limit of names bypassed"


def test_broken_text_is_no_fault():
    parameters("a\udc80b.txt")
