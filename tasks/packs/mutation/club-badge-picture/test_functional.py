import pytest

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"


def test_pictures_are_kept(tmp_path):
    path = save_badge(tmp_path, 12, "Me.PNG", PNG)
    assert path == tmp_path / "member-12.png", "named after the member"
    assert path.read_bytes() == PNG, "as it came"
    assert save_badge(tmp_path, 12, "a.gif", b"GIF89a...").name == "member-12.gif", "the other kind"


def test_newer_picture(tmp_path):
    save_badge(tmp_path, 1, "a.png", PNG)
    save_badge(tmp_path, 1, "b.png", PNG + b"!")
    assert (tmp_path / "member-1.png").read_bytes() == PNG + b"!", "replaced"


def test_others(tmp_path):
    for name, data in (("cv.pdf", b"%PDF-1.7"), ("a.png", b""), ("a.png", PNG + bytes(50_000))):
        with pytest.raises(ValueError):
            save_badge(tmp_path, 1, name, data)
