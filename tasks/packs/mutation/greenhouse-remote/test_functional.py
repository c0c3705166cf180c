OWN = {"Origin": "https://greenhouse.local"}


def panel():
    return create_app().test_client()


def test_vents_and_heating():
    client = panel()
    assert client.get("/state").get_json() == {"vents": "closed", "heating": 18, "water": 0}, "as it begins"
    assert client.post("/vents", json={"to": "open"}, headers=OWN).get_json()["vents"] == "open", "vents open"
    assert client.put("/heating", json={"degrees": 21}, headers=OWN).get_json()["heating"] == 21, "warmer"


def test_water():
    client = panel()
    client.post("/water", headers=OWN)
    assert client.post("/water", headers=OWN).get_json()["water"] == 2, "two litres"
    assert client.delete("/water", headers=OWN).get_json()["water"] == 0, "reset"


def test_bad_values():
    client = panel()
    assert client.post("/vents", json={"to": "ajar"}, headers=OWN).status_code == 422, "unknown position"
    assert client.put("/heating", json={"degrees": 31}, headers=OWN).status_code == 422, "too warm"


def test_page_is_named_by_its_address():
    headers = {"Referer": "https://greenhouse.local/panel?tab=water"}
    assert panel().post("/water", headers=headers).get_json()["water"] == 1, "the referring page counts"
