import pytest

ROUTES = ["/reports", "/reports/may.csv"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "may.csv").write_text("customer,revenue\nada,9000\n")
    return tmp_path


@pytest.fixture
def client(folder):
    return create_app(folder, {"ada": "k-ada-1", "bob": "k-bob-2"}).test_client()


def refused(answer):
    return answer.status_code in (401, 403) and b"9000" not in answer.data and b"may.csv" not in answer.data


@pytest.mark.parametrize("route", ROUTES)
def test_nothing_without_a_key(client, route):
    assert refused(client.get(route)), f"{route} answers to anybody"


@pytest.mark.parametrize("route", ROUTES)
def test_nothing_with_a_wrong_key(client, route):
    for key in ("", " ", "wrong", "k-ada-", "k-ada-11", "K-ADA-1", "k-ada-1,k-bob-2", "ada", "k", "None"):
        assert refused(client.get(route, headers={"X-Report-Key": key})), f"{route} answers to the key {key!r}"


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("keys", [{}, {"ada": ""}, {"ada": "", "bob": "k-bob-2"}])
def test_a_customer_without_a_key_opens_nothing(folder, route, keys):
    client = create_app(folder, keys).test_client()
    for headers in ({}, {"X-Report-Key": ""}):
        assert refused(client.get(route, headers=headers)), f"{route} answers without a key"


@pytest.mark.parametrize("route", ROUTES)
def test_key_elsewhere_in_the_request_does_not_count(client, route):
    client.set_cookie("X-Report-Key", "nothing")
    answer = client.get(route + "?admin=1&authenticated=true", headers={"X-Authenticated": "yes", "X-User": "ada"})
    assert refused(answer), "a claim of the caller's own is believed"


@pytest.mark.parametrize("route", ROUTES)
def test_other_methods_do_not_go_around(client, route):
    answer = client.head(route)
    assert answer.status_code in (401, 403, 405), "HEAD tells about a report"
    assert "Content-Length" not in answer.headers or answer.status_code != 200, "HEAD tells its size"


def test_existence_is_not_told(client):
    there, missing = client.get("/reports/may.csv"), client.get("/reports/no.csv")
    assert there.status_code == missing.status_code, "strangers can find out which reports exist"


def test_unusual_characters_in_a_key_are_refused(client):
    answer = client.get("/reports/may.csv", headers={"X-Report-Key": "k-\xe4da-1"})
    assert refused(answer), "an odd key is not refused properly"
