SITE = {"Origin": "https://museum.example"}


def visitor(app, name):
    client = app.test_client()
    client.set_cookie("visitor", name)
    return client


def test_votes_are_counted():
    app = create_app()
    assert visitor(app, "ann").post("/votes/winter", headers=SITE).get_json() == {"votes": 1}, "first vote"
    assert visitor(app, "bea").post("/votes/winter", headers=SITE).get_json() == {"votes": 2}, "second vote"
    assert app.test_client().get("/votes").get_json() == {"lilies": 0, "harbour": 0, "winter": 2}, "overview"


def test_minds_change():
    client = visitor(create_app(), "ann")
    client.post("/votes/winter", headers=SITE)
    client.post("/votes/lilies", headers=SITE)
    assert client.get("/votes").get_json() == {"lilies": 1, "harbour": 0, "winter": 0}, "one vote each"


def test_unknown_painting_and_visitor():
    app = create_app()
    assert visitor(app, "ann").post("/votes/sunset", headers=SITE).status_code == 404, "unknown painting"
    assert app.test_client().post("/votes/winter", headers=SITE).status_code == 401, "no cookie"
