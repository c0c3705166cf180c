import pytest

BASE = "https://shop.example"


@pytest.fixture
def client():
    return create_app().test_client()


def test_front(client):
    assert client.get("/", base_url=BASE).data == b"welcome", "the front"


def test_basket(client):
    for item in ("lamp", "desk2"):
        assert client.post("/basket", data={"item": item}, base_url=BASE).status_code == 204, "an item is added"
    assert client.get("/basket", base_url=BASE).get_json() == ["lamp", "desk2"], "the basket"
    assert client.post("/basket", data={"item": "a.b"}, base_url=BASE).status_code == 400, "an odd item"


def test_login(client):
    client.post("/login", data={"user": "ada"}, base_url=BASE)
    assert client.get_cookie("login", domain="shop.example").value.startswith("ada-"), "the cookie is set"


def test_redirect_and_health(client):
    answer = client.get("/?a=1", base_url="http://shop.example")
    assert answer.headers["Location"] == "https://shop.example/?a=1", "the same page, over there"
    assert client.get("/healthz").data == b"ok", "health"


def test_behind_the_load_balancer(client):
    answer = client.get("/", headers={"X-Forwarded-Proto": "https"})
    assert answer.data == b"welcome", "the load balancer spoke TLS with the browser"
