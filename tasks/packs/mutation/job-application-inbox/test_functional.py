import io
import zipfile

import pytest


def word(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names or ("word/document.xml", "[Content_Types].xml"):
            archive.writestr(name, "<x/>")
    return buffer.getvalue()


def test_documents(tmp_path):
    inbox = Inbox(tmp_path)
    name = inbox.add("ida", "Letter.TXT", "Dear all,\n\u2026".encode())
    inbox.add("ida", "cv.pdf", b"%PDF-1.7 ...")
    inbox.add("ida", "work.docx", word())
    assert inbox.documents("ida") == ["Letter.TXT", "cv.pdf", "work.docx"], "in order"
    assert inbox.read(name).startswith(b"Dear"), "as it came"
    assert inbox.documents("max") == [], "nothing yet"


def test_not_taken(tmp_path):
    inbox = Inbox(tmp_path)
    for name, data in (("me.png", b"\x89PNG"), ("cv", b"%PDF-"), ("a.txt", b""), ("a.txt", b"a" * 300_001)):
        with pytest.raises(Refused):
            inbox.add("ida", name, data)


def test_five_for_each(tmp_path):
    inbox = Inbox(tmp_path)
    for n in range(5):
        inbox.add("ida", f"{n}.txt", b"x")
    with pytest.raises(Refused):
        inbox.add("ida", "6.txt", b"x")
    assert inbox.add("max", "1.txt", b"x"), "another applicant"


def test_unknown_name(tmp_path):
    with pytest.raises(KeyError):
        Inbox(tmp_path).read("none.txt")
