import io

import pytest

JPEG, WEBP = b"\xff\xd8\xff\xe0", b"RIFF\x10\x00\x00\x00WEBP"
SCRIPT = b"<script>alert(1)</script><?php system('id') ?>"


def taken(tmp_path, data, name, kind=None, client=None):
    client = client or create_app(tmp_path).test_client()
    file = (io.BytesIO(data), name, kind) if kind else (io.BytesIO(data), name)
    answer = client.post("/photos", data={"photo": file})
    return answer.status_code < 400 or any(tmp_path.rglob("*"))


NAMES = ["shell.php", "a.jpg.php", "page.html", "pic.svg", "x.jsp", "a.jpg.html", "run.sh", "a.jpg.", "jpgx", "a.jpgg", ".htaccess", "a.phtml", "a.png", "a.jpeg.exe", "x", "a.w"]


def test_other_extensions(tmp_path):
    client = create_app(tmp_path).test_client()
    for name in NAMES:
        for data in (JPEG + SCRIPT, SCRIPT):
            assert not taken(tmp_path, data, name, "image/jpeg", client), f"upload of the dangerous file {name} was taken"


@pytest.mark.parametrize("data", [SCRIPT, b"MZ\x90", b"\x7fELF", b"%PDF-1.4", b"", b"\xff\xd8", b"RIFF", b"RIFF1234WAVEfmt", b"xxxx1234WEBP", b" " + JPEG, SCRIPT + WEBP, b"\x89PNG\r\n\x1a\n"])
def test_other_content(tmp_path, data):
    client = create_app(tmp_path).test_client()
    for name in ("a.jpg", "a.jpeg", "a.webp"):
        assert not taken(tmp_path, data, name, "image/jpeg", client), f"upload of {data[:12]!r} as {name} was taken"


@pytest.mark.parametrize("data, name", [(JPEG, "a.webp"), (WEBP, "a.jpg"), (WEBP, "a.jpeg")])
def test_content_fits_the_extension(tmp_path, data, name):
    assert not taken(tmp_path, data, name), f"upload of {data[:4]!r} as {name} was taken"


@pytest.mark.parametrize("size", [200_001, 201_000, 203_000, 220_000, 900_000])
def test_size(tmp_path, size):
    assert not taken(tmp_path, JPEG + bytes(size - 4), "a.jpg"), f"upload of {size} bytes was taken"


@pytest.mark.parametrize("name", ["../../up.jpg", "/tmp/up.jpg", "a.php.jpg", "index.html.jpg", "a/b/c.webp", "..\\x.jpeg", "x.jpg"])
def test_names_are_new(tmp_path, name):
    folder = tmp_path / "photos"
    folder.mkdir()
    client = create_app(folder).test_client()
    kept = set()
    for number in range(2):
        data = (WEBP if name.endswith("webp") else JPEG) + bytes([number])
        client.post("/photos", data={"photo": (io.BytesIO(data), name)})
        kept = {p for p in tmp_path.rglob("*") if p.is_file()}
    assert all(p.parent == folder for p in kept), f"upload {name!r} was written to {kept}"
    assert len(kept) in (0, 2), f"upload {name!r} replaced an earlier one"
    assert not any("php" in p.name or "html" in p.name or p.name == "x.jpg" for p in kept), f"upload chose its name: {kept}"


def test_sent_as_photos(tmp_path):
    client = create_app(tmp_path).test_client()
    answer = client.post("/photos", data={"photo": (io.BytesIO(JPEG + SCRIPT), "a.jpg", "text/html")})
    if answer.status_code == 201:
        sent = client.get("/photos/" + answer.get_json()["name"])
        assert sent.mimetype == "image/jpeg", f"an upload is sent as {sent.mimetype}"
