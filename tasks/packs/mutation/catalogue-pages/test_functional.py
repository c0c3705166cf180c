SHELF = [{"name": f"Cup {n} {'blue' if n % 2 else 'red'}", "price": n} for n in range(1, 51)]


def client():
    return create_app(SHELF).test_client()


def test_pages():
    answer = client().get("/products").get_json()
    assert (answer["page"], answer["total"], len(answer["items"])) == (1, 50, 20), "the defaults"
    assert client().get("/products?page=3&size=24").get_json()["items"] == SHELF[48:], "the last page"
    assert client().get("/products?page=9").get_json()["items"] == [], "behind the last page"


def test_words():
    answer = client().get("/products?words=blue+CUP&size=5").get_json()
    assert answer["total"] == 25 and answer["items"][0]["name"] == "Cup 1 blue", "each word has to be there"


def test_prices():
    answer = client().post("/prices", json=["Cup 2 red", "Spoon"])
    assert answer.get_json() == {"Cup 2 red": 2}, "known names only"


def test_bad_values():
    for query in ("page=0", "size=x", "size=-1", "page="):
        assert client().get(f"/products?{query}").status_code == 400, query
    assert client().post("/prices", json={"a": 1}).status_code == 400, "no list"
