import pytest

PNG, GIF = b"\x89PNG\r\n\x1a\n", b"GIF89a"
SCRIPT = b"<?php system($_GET['c']); ?>"


def refused(folder, name, data, member=7):
    try:
        save_badge(folder, member, name, data)
    except (ValueError, TypeError):
        return not list(folder.rglob("*"))
    return False


NAMES = ["shell.php", "a.png.php", "page.html", "a.svg", "a.jsp", "run.sh", ".htaccess", "a.png.", "a.png ", "a.pngx", "png", ".png.exe", "a.php\x00.png.php", "a.gif/b.php", "a.phtml", "", "a.jpg"]


@pytest.mark.parametrize("name", NAMES)
def test_only_allowed_extensions(tmp_path, name):
    for data in (SCRIPT, PNG + SCRIPT, GIF + SCRIPT):
        assert refused(tmp_path, name, data), f"upload of the dangerous file {name!r} was taken"


@pytest.mark.parametrize("name, data", [
    ("a.png", SCRIPT), ("a.gif", SCRIPT), ("a.PNG", b"<svg onload=alert(1)>"), ("a.png", b"MZ\x90\x00"), ("a.gif", b"\x7fELF"), ("a.png", GIF + b"x"),
    ("a.gif", PNG + b"x"), ("a.png", b" " + PNG), ("a.gif", SCRIPT + GIF), ("a.png", SCRIPT + PNG), ("a.png", b"\x89PNG"), ("a.gif", b"GIF"), ("a.gif", b"GIF99a"), ("a.png", b""),
])
def test_content_fits_the_extension(tmp_path, name, data):
    assert refused(tmp_path, name, data), f"upload of {data[:12]!r} as {name} was taken"


@pytest.mark.parametrize("size", [50_001, 51_000, 60_000, 500_001, 2_000_000])
def test_size_is_limited(tmp_path, size):
    for name, begin in (("a.png", PNG), ("a.gif", GIF)):
        assert refused(tmp_path, name, begin + bytes(size - len(begin))), f"upload of {size} bytes was taken"


@pytest.mark.parametrize("name", ["../../up.png", "/tmp/x/up.gif", "..\\up.png", "sub/dir/up.gif", "..png/../.png.gif"])
def test_uploaded_name_does_not_say_where(tmp_path, name):
    folder = tmp_path / "badges"
    folder.mkdir()
    try:
        save_badge(folder, 7, name, (PNG if name.endswith("png") else GIF) + b"x")
    except ValueError:
        pass
    files = {p.name for p in tmp_path.rglob("*") if p.is_file()}
    assert files <= {"member-7.png", "member-7.gif"}, f"upload {name!r} chose its own name: {files}"


def test_member_is_a_number(tmp_path):
    assert refused(tmp_path, "a.png", PNG, "../x.php"), "upload to a name of the member's choice"
