import pytest

TYPES = ["text/plain", "application/pdf", "application/zip"]


def taken(name, kind, size=100):
    try:
        plan = plan_attachment(name, kind, size)
    except (ValueError, TypeError, AttributeError):
        return False
    return bool(plan.get("ok"))


NAMES = ["shell.php", "a.pdf.php", "a.exe", "page.html", "a.svg", "a.txt.js", "run.sh", "a.pdf.", "a.pdf ", "a.pdfx", "a.hta", ".htaccess", "pdf", "txt", ".zip", "a.", "", "a.txt\x00.php", "a.zip/b.jsp", "a.tar.gz", "a.xtxt", "a.t", "a.tx"]


@pytest.mark.parametrize("name", NAMES)
def test_dangerous_extensions(name):
    for kind in TYPES:
        assert not taken(name, kind), f"upload of {name!r} as {kind} was allowed"


KINDS = ["text/html", "application/x-php", "image/svg+xml", "application/octet-stream", "", "text/plain/html", "xtext/plain", "text/plainx", "text", "text/html; text/plain", "application/x-msdownload; application/pdf", "*/*", ";text/plain"]


@pytest.mark.parametrize("kind", KINDS)
def test_dangerous_types(kind):
    for name in ("a.txt", "a.log", "a.pdf", "a.zip"):
        assert not taken(name, kind), f"upload of {name} with content type {kind!r} was allowed"


@pytest.mark.parametrize("name, kind", [("a.pdf", "text/plain"), ("a.zip", "application/pdf"), ("a.txt", "application/zip"), ("a.log", "application/pdf"), ("a.pdf", "application/zip")])
def test_type_fits_the_extension(name, kind):
    assert not taken(name, kind), f"upload of {name} as {kind} was allowed"


@pytest.mark.parametrize("size", [5_000_001, 5_500_000, 9_999_999, 50_000_000, 10**12, 0, -1, -5_000_000])
def test_sizes(size):
    assert not taken("a.txt", "text/plain", size), f"upload of {size} bytes was allowed"


@pytest.mark.parametrize("name", ["../../etc/cron.d/a.txt", "a/b.txt", "..\\b.txt", "<b>.txt", "a.php.txt", "x;rm -rf.txt", "\n.txt", "con.txt", "a.phtml.txt"])
def test_stored_name_is_our_own(name):
    plan = plan_attachment(name, "text/plain", 10)
    if plan.get("ok"):
        stored = plan["stored_as"]
        stem, _, ending = stored.rpartition(".")
        assert ending == "txt", f"upload stored with the extension {ending!r}"
        assert stem.replace("-", "").replace("_", "").isalnum(), f"upload {name!r} is stored as {stored!r}"
        assert "php" not in stored and "phtml" not in stored, f"upload {name!r} is stored as {stored!r}"


def test_stored_names_cannot_be_guessed():
    names = [plan_attachment("a.txt", "text/plain", 1)["stored_as"] for _ in range(40)]
    assert len(set(names)) == 40 and min(map(len, names)) >= 16, "names of uploads can be guessed"
