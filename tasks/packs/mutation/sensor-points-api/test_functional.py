import pytest


@pytest.fixture
def client():
    return create_app().test_client()


def test_store_and_mean(client):
    answer = client.post("/series/lab", data={"points": "[[0, 1.5], [10, 2], [10, -0.5]]"})
    assert (answer.status_code, answer.get_json()) == (201, {"count": 3}), "three points"
    assert client.post("/series/lab", data={"points": "[[20, 5]]"}).get_json() == {"count": 4}, "one more"
    assert client.get("/series/lab/mean").get_json() == {"mean": 2.0}, "their mean"
    assert client.get("/series/lab/mean?scale=0.5").get_json() == {"mean": 1.0}, "scaled"


def test_unknown_series(client):
    assert client.get("/series/none/mean").status_code == 404, "unknown"


@pytest.mark.parametrize("points", ["", "[]", "[[1]]", "[[1, 'a']]", "[[5, 1], [4, 1]]", "5"])
def test_bad_points(client, points):
    assert client.post("/series/lab", data={"points": points}).status_code == 400, f"{points} are no points"
    assert client.get("/series/lab/mean").status_code == 404, "nothing is stored"


def test_bad_scale(client):
    client.post("/series/lab", data={"points": "[[0, 1]]"})
    assert client.get("/series/lab/mean?scale=big").status_code == 400, "no number"
