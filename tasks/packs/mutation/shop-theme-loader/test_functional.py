import pytest


@pytest.fixture
def root(tmp_path):
    for theme, files in {"base": {"page.html": "plain", "cart/item.html": "item"}, "dark": {"page.html": "black"}}.items():
        for name, text in files.items():
            path = tmp_path / theme / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return str(tmp_path)


def test_theme_goes_first(root):
    assert ThemeLoader(root, "dark").source("page.html") == "black", "the theme's own template"


def test_fallback(root):
    assert ThemeLoader(root, "dark").source("cart/item.html") == "item", "else the fall-back's"


def test_exists(root):
    loader = ThemeLoader(root, "dark")
    assert loader.exists("page.html") is True, "what is there exists"
    assert loader.exists("menu.html") is False, "what is not there does not"


def test_missing(root):
    with pytest.raises(TemplateMissing):
        ThemeLoader(root, "dark").source("menu.html")


def test_read_once(root, tmp_path):
    loader = ThemeLoader(root, "dark")
    loader.source("page.html")
    (tmp_path / "dark" / "page.html").write_text("grey")
    assert loader.source("page.html") == "black", "a text is kept"
