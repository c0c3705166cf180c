USERS = {"eva": "curtain"}


def client():
    return create_app(USERS, {"opera": "https://opera.example"}).test_client()


def login(visitor, **form):
    return visitor.post("/login", data={"name": "eva", "password": "curtain", **form})


def test_sign_in_and_go_on():
    visitor = client()
    answer = visitor.get("/tickets/hamlet?row=3")
    assert answer.headers["Location"] == "/login?next=%2Ftickets%2Fhamlet%3Frow%3D3", "to the form first"
    assert visitor.get(answer.headers["Location"]).get_json() == {"next": "/tickets/hamlet?row=3"}, "what is wanted"
    answer = login(visitor, next="/tickets/hamlet?row=3")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/tickets/hamlet?row=3"), "and on"
    assert visitor.get("/tickets/hamlet?row=3").get_json() == {"user": "eva", "play": "hamlet"}, "signed in"


def test_sign_out():
    visitor = client()
    assert login(visitor).headers["Location"] == "/", "nothing wanted"
    assert visitor.post("/logout", data={"next": "/bye"}).headers["Location"] == "/bye", "to a page"
    assert visitor.get("/tickets").status_code == 303, "signed out"


def test_wrong_password():
    assert login(client(), password="x").status_code == 401, "wrong password"


def test_partners():
    assert client().get("/partner/opera?page=/tosca").headers["Location"] == "https://opera.example/tosca", "a page there"
    assert client().get("/partner/opera").headers["Location"] == "https://opera.example/", "the beginning"
    assert client().get("/partner/circus").status_code == 404, "unknown"
