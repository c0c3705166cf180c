MEMBERS = {"rosa": "bean-77", "karl": "leek-12"}


def logged_in(app, name="rosa"):
    client = app.test_client()
    token = client.post("/login", data={"name": name, "password": MEMBERS[name]}).get_json()["token"]
    return client, token


def test_take_note_leave():
    app = create_app(MEMBERS)
    client, token = logged_in(app)
    assert client.post("/plots/3/take", data={"token": token}).get_json() == {"ok": True}, "a free plot"
    assert client.post("/plots/3/note", data={"text": "beans", "token": token}).status_code == 200, "a note"
    assert client.get("/plots").get_json()[2] == {"plot": 3, "member": "rosa", "note": "beans"}, "the list tells it"
    assert client.post("/plots/3/leave", headers={"X-Token": token}).status_code == 200, "by header"
    assert client.get("/plots").get_json()[2] == {"plot": 3, "member": None, "note": ""}, "free again"


def test_plots_of_others():
    app = create_app(MEMBERS)
    rosa, token = logged_in(app)
    rosa.post("/plots/3/take", data={"token": token})
    karl, token = logged_in(app, "karl")
    assert karl.post("/plots/3/take", data={"token": token}).status_code == 409, "taken"
    assert karl.post("/plots/3/note", data={"token": token, "text": "x"}).status_code == 403, "not his"
    assert karl.post("/plots/99/take", data={"token": token}).status_code == 404, "no such plot"


def test_sessions():
    app = create_app(MEMBERS)
    client = app.test_client()
    assert client.get("/plots").status_code == 401, "not logged in"
    assert client.post("/login", data={"name": "rosa", "password": "no"}).status_code == 401, "wrong password"
    client, token = logged_in(app)
    assert client.get("/token").get_json() == {"token": token}, "the token again"
    assert client.post("/logout", data={"token": token}).status_code == 200, "logged out"
    assert client.get("/plots").status_code == 401, "the session ended"
