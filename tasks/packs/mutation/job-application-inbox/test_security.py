import io
import zipfile

import pytest


def word(*names, begin=b""):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return begin + buffer.getvalue()


WORD = word("word/document.xml")


def refused(folder, name, data, inbox=None):
    inbox = inbox or Inbox(folder)
    before = len(list(folder.rglob("*")))
    try:
        inbox.add("mallory", name, data)
    except Refused:
        return len(list(folder.rglob("*"))) == before
    return False


NAMES = ["shell.php", "a.pdf.php", "page.html", "a.svg", "a.jsp", "run.sh", "a.docm", "a.pdf.", "a.pdf~", ".pdf", "pdf", "a.bat", "a.txt.scr", "a.hta", "a.docx.js", "a.zip", "", "a.txt/x.php"]


@pytest.mark.parametrize("name", NAMES)
def test_other_extensions(tmp_path, name):
    for data in (b"%PDF-1.7", b"plain", WORD):
        assert refused(tmp_path, name, data), f"upload of the dangerous file {name!r} was taken"


@pytest.mark.parametrize("name, data", [
    ("a.pdf", b"MZ\x90"), ("a.pdf", b"<html>"), ("a.pdf", b"x%PDF-1.7"), ("a.pdf", WORD), ("a.pdf", b"%PDF"), ("a.pdf", b"%PS-"), ("a.txt", b"\x7fELF\x02\x01\x01\x00"), ("a.txt", b"MZ\x90\x00\x03"), ("a.txt", b"abc\x00"), ("a.txt", b"\x1b[2J"), ("a.txt", WORD), ("a.txt", b"\xff\xfea\x00"), ("a.txt", "\x85".encode()),
    ("a.docx", b"%PDF-1.7"), ("a.docx", b"PK\x03\x04"), ("a.docx", b"plain"), ("a.docx", word("evil.exe")), ("a.docx", word("xword/document.xml")), ("a.docx", word("word/document.xml.exe")),
])
def test_content_fits_the_extension(tmp_path, name, data):
    assert refused(tmp_path, name, data), f"upload of {data[:12]!r} as {name} was taken"


@pytest.mark.parametrize("macro", ["word/vbaProject.bin", "word/VBAPROJECT.BIN", "vbaproject.bin", "word/vbaProjectSignature.bin"])
def test_word_files_without_macros(tmp_path, macro):
    assert refused(tmp_path, "cv.docx", word("word/document.xml", macro)), f"upload with {macro} was taken"


def test_word_file_behind_a_program(tmp_path):
    assert refused(tmp_path, "cv.docx", word("word/document.xml", begin=b"MZ\x90\x00")), "upload of a program with a zip file behind it"


@pytest.mark.parametrize("count", [500, 560, 1200])
def test_members_are_limited(tmp_path, count):
    data = word("word/document.xml", *(f"m{n}" for n in range(count)))
    assert refused(tmp_path, "cv.docx", data), f"upload of an archive with {count + 1} members"


@pytest.mark.parametrize("size", [300_001, 310_000, 330_000, 700_000, 3_100_000])
def test_size_is_limited(tmp_path, size):
    for name, data in (("a.txt", b"a" * size), ("a.pdf", b"%PDF-" + bytes(size - 5))):
        assert refused(tmp_path, name, data), f"upload of {size} bytes was taken"


def test_number_is_limited(tmp_path):
    inbox = Inbox(tmp_path)
    for n in range(5):
        inbox.add("mallory", "a.txt", b"x")
    for n in range(3):
        assert refused(tmp_path, f"{n}.txt", b"x", inbox), f"upload {n + 6} of one applicant was taken"


@pytest.mark.parametrize("name", ["../../x.txt", "/tmp/x.txt", "..\\x.txt", "a.php.txt", "a\nb.txt"])
def test_names_are_our_own(tmp_path, name):
    folder = tmp_path / "in"
    folder.mkdir()
    inbox = Inbox(folder)
    stored = {inbox.add("mallory", name, data) for data in (b"x", b"y")}
    kept = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert len(stored) == 2 and all(p.parent == folder for p in kept), f"upload {name!r} chose where it lies: {kept}"
    assert not any("php" in p.name for p in kept), f"upload {name!r} chose its name: {kept}"


def test_only_documents_are_read(tmp_path):
    (tmp_path / "other.txt").write_text("private")
    for name in ("other.txt", "../other.txt", str(tmp_path / "other.txt"), ""):
        with pytest.raises(KeyError):
            Inbox(tmp_path).read(name)
