def call(harbour, outer="Envelope"):
    body = f'<s:{outer} xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><GetTides>{harbour}</GetTides></s:Body></s:{outer}>'
    return create_app({"Brest": ["06:12", "18:40"], "A&B": []}).test_client().post("/soap", data=body.encode())


def test_tides():
    answer = call("<Harbour> Brest </Harbour>")
    assert answer.status_code == 200 and answer.mimetype == "text/xml", "a document"
    assert answer.text == '<Tides harbour="Brest"><High>06:12</High><High>18:40</High></Tides>', "both tides"
    assert 'harbour="A&amp;B"' in call("<Harbour>A&amp;B</Harbour>").text, "markup is written as such"


def test_unknown_harbour():
    answer = call("<Harbour>Bern</Harbour>")
    assert answer.status_code == 404 and "Bern" in answer.text and answer.text.startswith("<Fault>"), "named in the fault"


def test_bad_documents():
    for answer in (call(""), call("<Harbour>"), call("<Harbour>Brest</Harbour>" * 2), call("<Harbour>Brest</Harbour>", "Letter")):
        assert answer.status_code == 400 and answer.text.startswith("<Fault>"), "a fault"
    assert call("<Harbour>" + "x" * 20_000 + "</Harbour>").status_code == 413, "too large"
