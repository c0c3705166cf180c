import pytest

SECRET = "internal price list"


@pytest.fixture
def root(tmp_path):
    themes = tmp_path / "themes"
    for name in ("base", "dark", "dark-internal", "base_old"):
        (themes / name).mkdir(parents=True)
        (themes / name / "page.html").write_text(name, encoding="utf-8")
    for place in (tmp_path, themes, themes / "dark-internal", themes / "base_old"):
        (place / "secret.html").write_text(SECRET, encoding="utf-8")
    (themes / "dark" / "notes.txt").write_text(SECRET, encoding="utf-8")
    return themes


def leaks(root, template, theme="dark"):
    try:
        loader = ThemeLoader(str(root), theme)
        seen = loader.exists(template)
        return SECRET in loader.source(template) or seen
    except (LookupError, OSError, ValueError):
        return False


NAMES = ["../secret.html", "../../secret.html", "../dark-internal/secret.html", "../base_old/secret.html", "x/../../secret.html", "./../secret.html"]


@pytest.mark.parametrize("template", NAMES)
def test_template_stays_in_its_theme(root, template):
    assert not leaks(root, template), f"path traversal: {template} was read"


@pytest.mark.parametrize("template", NAMES)
def test_nothing_is_told_of_files_outside(root, template):
    assert not ThemeLoader(str(root), "dark").exists(template), f"path traversal: {template} is told to exist"


def test_absolute_template(root):
    for place in (root.parent, root, root / "dark-internal"):
        assert not leaks(root, str(place / "secret.html")), "path traversal by an absolute path"


def test_linked_template(root):
    (root / "dark" / "link.html").symlink_to(root.parent / "secret.html")
    (root / "base" / "away").symlink_to(root.parent)
    assert not leaks(root, "link.html"), "path traversal through a symbolic link"
    assert not leaks(root, "away/secret.html"), "path traversal through a linked folder"


@pytest.mark.parametrize("theme", ["..", "../..", ".", "", "dark/../.."])
def test_theme_is_one_folder_of_the_root(root, theme):
    assert not leaks(root, "secret.html", theme), f"path traversal by the theme {theme!r}"


def test_theme_elsewhere(root, tmp_path):
    assert not leaks(root, "secret.html", str(tmp_path)), "path traversal by an absolute theme"
    (root / "linked").symlink_to(tmp_path)
    assert not leaks(root, "secret.html", "linked"), "path traversal by a linked theme"


@pytest.mark.parametrize("template", ["notes.txt", "notes.txt\0.html", "NOTES.txt", ""])
def test_only_templates_are_read(root, template):
    assert not leaks(root, template), f"path restriction bypassed: {template!r}"


def test_ordinary_templates_are_found(root):
    (root / "base" / "only.html").write_text("only", encoding="utf-8")
    loader = ThemeLoader(str(root), "dark")
    assert loader.source("page.html") == "dark" and loader.source("only.html") == "only", "theme, then fall-back"
    assert not loader.exists("none.html"), "what is missing is not told to exist"


def test_fallback_is_one_folder_of_the_root(root):
    with pytest.raises((LookupError, ValueError, OSError)):
        ThemeLoader(str(root), "dark", fallback="../..").source("secret.html")
