import pytest

RECORDS = b"""<records>
<patient ward="B2" name="Mia Stone"><dose drug="ibuprofen" mg="400"/><dose drug="zinc" mg="15"/></patient>
<patient ward="B2" name="Tom Reed"><dose drug="zinc" mg="10"/></patient>
<patient ward="C1" name="Eve Moss"><dose drug="morphine" mg="5"/></patient></records>"""


@pytest.fixture
def client():
    return create_app(RECORDS).test_client()


def test_doses_in_order(client):
    reply = client.get("/doses", query_string={"patient": "Mia Stone"}, headers={"X-Ward": "B2"})
    assert reply.json == {"doses": [{"drug": "ibuprofen", "mg": 400}, {"drug": "zinc", "mg": 15}]}, "both doses"


def test_patient_of_another_ward(client):
    reply = client.get("/doses", query_string={"patient": "Eve Moss"}, headers={"X-Ward": "B2"})
    assert (reply.status_code, reply.json) == (404, {"error": "not found"}), "not in this ward"


def test_count(client):
    assert client.get("/count?drug=zinc", headers={"X-Ward": "B2"}).json == {"count": 2}, "two patients"
    assert client.get("/count?drug=zinc", headers={"X-Ward": "C1"}).json == {"count": 0}, "nobody there"


@pytest.mark.parametrize("path, headers", [("/doses?patient=x", {}), ("/doses", {"X-Ward": "B2"}), ("/count?drug=zinc", {})])
def test_what_is_missing(client, path, headers):
    assert client.get(path, headers=headers).status_code == 400, "the request says too little"
