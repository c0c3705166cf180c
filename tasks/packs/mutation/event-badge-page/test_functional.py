def client():
    return create_app("k").test_client()


def test_badge():
    page = client().get("/badge?name=Ida&event=Fair")
    assert page.status_code == 200, "a badge is shown"
    assert "<h1>Ida</h1>" in page.text and "<em>Fair</em>" in page.text, "name and event"


def test_usual_event():
    assert "<em>Open day</em>" in client().get("/badge?name=Ida").text, "the usual event"


def test_unusual_characters():
    assert "<h1>Ida &amp; Bo</h1>" in client().get("/badge", query_string={"name": "Ida & Bo"}).text, "letter for letter"


def test_no_name():
    assert client().get("/badge?name=%20").status_code == 400, "a name is needed"
