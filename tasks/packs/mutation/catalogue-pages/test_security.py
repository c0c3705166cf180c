import pytest

SHELF = [{"name": f"cup {n} a b c d e f", "price": n} for n in range(1, 401)]


@pytest.fixture(scope="module")
def client():
    return create_app(SHELF).test_client()


@pytest.mark.parametrize("size", ["101", "110", "150", "400", "1000", "5000", "1000000", "99999999999", "9" * 4000, "9" * 4500])
def test_size_of_a_page(client, size):
    answer = client.get(f"/products?size={size}")
    assert answer.status_code == 400, f"resource consumption: a page of {size[:20]} was answered with {answer.status_code}"
    assert "error" in answer.get_json(), "an error is told"


@pytest.mark.parametrize("page", ["9" * 12, "9" * 4400, "1e3", "0x10", "\u0662", "+1", "1_0"])
def test_page_number(client, page):
    answer = client.get("/products", query_string={"page": page})
    assert answer.status_code == 400, f"resource consumption: page {page[:20]} was answered with {answer.status_code}"


@pytest.mark.parametrize("words", ["a b c d e f", "a " * 20, "c " * 40, "a" * 81, "a" * 400, "a" + " " * 90])
def test_words_are_limited(client, words):
    answer = client.get("/products", query_string={"words": words})
    assert answer.status_code == 400, f"resource consumption: {len(words)} characters of words were looked for"


@pytest.mark.parametrize("count", [51, 60, 100, 500])
def test_names_are_limited(client, count):
    answer = client.post("/prices", json=["x"] * count)
    assert answer.status_code == 400, f"resource consumption: {count} names were looked up"


@pytest.mark.parametrize("body", [["x" * 10_000], ["x" * 200_000], ["x" * 300] * 40])
def test_bodies_are_limited(client, body):
    assert client.post("/prices", json=body).status_code == 413, "resource consumption: a large body was read"


def test_names_are_texts(client):
    for names in ([["x"]], [None], [{"a": "b"}], [1]):
        assert client.post("/prices", json=names).status_code == 400, f"{names} were looked up"


def test_limits_can_be_reached(client):
    assert len(client.get("/products?size=100").get_json()["items"]) == 100, "100 are fine"
    assert client.get("/products?words=a+b+c+d+e").get_json()["total"] == 400, "five words are fine"
    assert client.post("/prices", json=["cup 1 a b c d e f"] * 50).status_code == 200, "50 names are fine"
