import pytest


def titles(declarations, title="&x;", root="rss"):
    feed = f"<!DOCTYPE {root} {declarations}><rss><channel><item><title>a{title}b</title></item></channel></rss>"
    try:
        return " ".join(episode_titles(feed.encode()))
    except ValueError:
        return ""


@pytest.fixture
def private(tmp_path):
    path = tmp_path / "private.txt"
    path.write_text("canary-secret")
    return path


def test_files_are_not_read(private):
    for where in (f"file://{private}", str(private), f"file:{private}"):
        found = titles(f'[<!ENTITY x SYSTEM "{where}">]')
        assert "canary" not in found, f"XXE: an external entity with {where} gave {found!r}"
        found = titles(f'[<!ENTITY x PUBLIC "p" "{where}">]')
        assert "canary" not in found, f"XXE: a public entity with {where} gave {found!r}"


def test_entities_are_not_expanded():
    for declared in ('<!ENTITY x "canary">', '<!ENTITY y "canary"><!ENTITY x "&y;&y;">'):
        assert "canary" not in titles(f"[{declared}]"), f"XXE: the entity {declared} was taken"


def test_document_types_are_not_read(private):
    (private.parent / "t.dtd").write_text('<!ENTITY x "canary">')
    for declared in (f'SYSTEM "{private.parent}/t.dtd"', f'SYSTEM "file://{private.parent}/t.dtd"', f'PUBLIC "p" "{private.parent}/t.dtd"', "[]", "", 'SYSTEM "http://evil.example/t.dtd"'):
        assert "canary" not in titles(declared), f"XXE: an entity of the document type {declared} was taken"


def test_parameter_entities(private):
    (private.parent / "t.dtd").write_text(f'<!ENTITY x SYSTEM "file://{private}">')
    found = titles(f'[<!ENTITY % p SYSTEM "file://{private.parent}/t.dtd"> %p;]')
    assert "canary" not in found, f"XXE: a parameter entity gave {found!r}"


def test_bombs():
    lines = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))
    assert titles(f'[<!ENTITY e0 "ha">{lines}<!ENTITY x "&e8;">]') in ("", "a", "ab"), "XXE: entities multiply"
    assert titles('[<!ENTITY x "' + "a" * 5000 + '">]', "&x;" * 500) in ("", "a", "ab"), "XXE: a long entity is used many times"


def test_no_connection(private):
    requests.reset()
    titles('[<!ENTITY x SYSTEM "http://169.254.169.254/latest/meta-data/">]')
    assert not requests.last_url, "XXE: a document made the program fetch an address"
