def client():
    return create_app({"gnu": "an animal", "yak": "another animal"}).test_client()


def test_finds_a_word():
    answer = client().get("/lookup?term=gnu")
    assert answer.status_code == 200, "the word is there"
    assert "<h1>gnu</h1>" in answer.text and "an animal" in answer.text, "word and explanation are shown"


def test_capitals():
    assert "<h1>YAK</h1>" in client().get("/lookup?term=YAK").text, "capitals do not matter"


def test_missing_word():
    answer = client().get("/lookup?term=emu")
    assert answer.status_code == 404, "not in the glossary"
    assert "No entry for" in answer.text and "emu" in answer.text, "the page says so"
