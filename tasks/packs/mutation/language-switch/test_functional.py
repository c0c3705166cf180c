def visit(path, **query):
    return create_app().test_client().get(path, query_string=query)


def test_back_to_the_page():
    answer = visit("/language/fr", back="https://kids.zoo.example/lions?page=2#cub")
    assert answer.status_code == 302, "a redirect"
    assert answer.headers["Location"] == "https://kids.zoo.example/lions?page=2#cub", "to where the visitor was"
    assert "language=fr" in answer.headers["Set-Cookie"], "the language is kept"


def test_nothing_given():
    assert visit("/language/de").headers["Location"] == "/", "the beginning"
    assert visit("/language/de", back="lions").headers["Location"] == "/", "no address"


def test_unknown_language():
    assert visit("/language/xx", back="https://zoo.example/").status_code == 404, "no such language"


def test_other_hosts_can_be_given():
    client = create_app(frozenset({"park.example"})).test_client()
    assert client.get("/language/en?back=https://park.example/a").headers["Location"] == "https://park.example/a", "the host given"
