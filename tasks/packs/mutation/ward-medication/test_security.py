import pytest

RECORDS = b"""<records>
<patient ward="C1" name="Eve Moss"><dose drug="morphine" mg="5"/></patient>
<patient ward="B2" name="Tom Reed"><dose drug="zinc" mg="10"/></patient>
<patient ward="B2" name="Una O'Hara"><dose drug="St. John's wort" mg="300"/></patient>
<patient ward="E'1" name="Al"><dose drug="zinc" mg="1"/></patient></records>"""
FORMS = [
    "x{q} or {q}1{q}={q}1", "x{q} or @name={q}Eve Moss", "{q} or 1=1 or {q}a{q}={q}b", "{q}]|//patient[@ward={q}C1",
    "Tom Reed{q} or @ward={q}C1", "{q}]|//patient[{q}1{q}={q}1", "Tom Reed{q} and {q}1{q}={q}1",
]
TEXTS = [form.replace("{q}", q) for form in FORMS for q in "'\""] + ["*", "a'b\"c", "$name", "'", '"']


@pytest.fixture(scope="module")
def client():
    return create_app(RECORDS).test_client()


def doses(client, patient, ward="B2"):
    return client.get("/doses", query_string={"patient": patient}, headers={"X-Ward": ward})


@pytest.mark.parametrize("text", TEXTS)
def test_a_name_finds_nobody_else(client, text):
    reply = doses(client, text)
    assert reply.status_code == 404, f"{text!r} is nobody's name, and the answer is {reply.status_code} {reply.text}"


@pytest.mark.parametrize("text", TEXTS)
def test_a_ward_opens_no_other(client, text):
    reply = doses(client, "Eve Moss", ward=text)
    assert reply.status_code == 404, f"{text!r} is no ward, and the answer is {reply.status_code} {reply.text}"
    reply = client.get("/count?drug=morphine", headers={"X-Ward": text})
    assert reply.json == {"count": 0}, f"{text!r} is no ward and has no patients, not {reply.text}"


@pytest.mark.parametrize("text", TEXTS)
def test_a_drug_counts_no_other(client, text):
    reply = client.get("/count", query_string={"drug": text}, headers={"X-Ward": "B2"})
    assert reply.status_code == 200 and reply.json == {"count": 0}, f"{text!r} is no drug: {reply.text}"


@pytest.mark.parametrize("drug", ["x' or ../@name='Tom Reed", "x'] or @ward='C1' or dose[@drug='", "x']|//patient[@ward='C1"])
def test_a_drug_tells_nothing_of_patients(client, drug):
    reply = client.get("/count", query_string={"drug": drug}, headers={"X-Ward": "B2"})
    assert reply.status_code in (200, 404) and not (reply.json or {}).get("count"), f"{drug!r} asks about patients"


def test_apostrophes_are_part_of_names(client):
    assert doses(client, "Una O'Hara").json == {"doses": [{"drug": "St. John's wort", "mg": 300}]}, "a patient's name"
    assert doses(client, "Al", ward="E'1").status_code == 200, "a ward's name"
    reply = client.get("/count", query_string={"drug": "St. John's wort"}, headers={"X-Ward": "B2"})
    assert reply.json == {"count": 1}, "a drug's name"
