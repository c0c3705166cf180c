import pytest


@pytest.fixture
def client():
    return create_app().test_client()


def effects(place):
    return [
        f"open({place!r}, 'w').write('x')",
        f"[[0, open({place!r}, 'w').write('x')]]",
        f"__import__('pathlib').Path({place!r}).touch()",
        f"[[0, 1] for _ in [open({place!r}, 'w')]]",
        f"[[0, 1], [1, (lambda: open({place!r}, 'w').write('x'))()]]",
        f"exec(\"open({place!r}, 'w')\")",
        f"1 if open({place!r}, 'w') else 1",
        f"len([open({place!r}, 'w')])",
    ]


@pytest.mark.parametrize("number", range(8))
def test_points_are_not_run(client, tmp_path, number):
    place = tmp_path / "pwned"
    code = effects(str(place))[number]
    answer = client.post("/series/lab", data={"points": code})
    assert not place.exists(), f"eval injection: {code} was run"
    assert answer.status_code == 400, f"eval injection: {code} gave points"


@pytest.mark.parametrize("number", range(8))
def test_scale_is_not_run(client, tmp_path, number):
    client.post("/series/lab", data={"points": "[[0, 1]]"})
    place = tmp_path / "pwned"
    code = effects(str(place))[number]
    answer = client.get("/series/lab/mean", query_string={"scale": code})
    assert not place.exists(), f"eval injection: {code} was run"
    assert answer.status_code == 400, f"eval injection: {code} gave a number"


CODE = ["[[0, 1 + 1]]", "[[0, 2 ** 3]]", "[[0, 1]] * 5", "[[n, 1] for n in range(3)]", "list([[0, 1]])", "[[0, len('ab')]]", "[[0, 0x10]]", "[(0, 1)]", "[[0, 1],]", "[[0, abs(-1)]]"]


@pytest.mark.parametrize("code", CODE)
def test_points_are_no_expressions(client, code):
    assert client.post("/series/lab", data={"points": code}).status_code == 400, f"eval injection: {code} was evaluated"


SCALES = ["1+1", "2*3", "2**8", "len('ab')", "(2)", "True", "[2][0]", "0x10", "math.pi", "abs(-1)", "3 if 1 else 2", "series", "float('2')"]


@pytest.mark.parametrize("code", SCALES)
def test_scale_is_no_expression(client, code):
    client.post("/series/lab", data={"points": "[[0, 1]]"})
    answer = client.get("/series/lab/mean", query_string={"scale": code})
    assert answer.status_code == 400, f"eval injection: {code} was evaluated"


def test_nothing_of_the_service_is_told(client):
    client.post("/series/lab", data={"points": "[[0, 1]]"})
    for code in ("globals()", "app.secret_key", "request.environ", "().__class__.__base__.__subclasses__()"):
        for answer in (client.get("/series/lab/mean", query_string={"scale": code}), client.post("/series/x", data={"points": code})):
            assert answer.status_code == 400 and b"class" not in answer.data.replace(b"class=", b""), f"eval injection: {code}"


BAD = ["[[0, NaN]]", "[[0, Infinity]]", "[[-Infinity, 1]]", "[[0, true]]", '[[0, "1"]]', "[[0, 1, 2]]", '{"0": 1}', "[[0, null]]", "[[[0], 1]]", "[[0, 1e999]]", '["ab"]', "[" * 3000, "[[0, 1" + "0" * 400 + "]]"]


@pytest.mark.parametrize("points", BAD)
def test_points_are_pairs_of_finite_numbers(client, points):
    assert client.post("/series/lab", data={"points": points}).status_code == 400, f"invalid points accepted: {points[:40]}"
    assert client.get("/series/lab/mean").status_code == 404, "nothing is stored"


@pytest.mark.parametrize("scale", ["nan", "inf", "-inf", "1e999", "", "1,5"])
def test_scale_is_a_finite_number(client, scale):
    client.post("/series/lab", data={"points": "[[0, 1]]"})
    assert client.get("/series/lab/mean", query_string={"scale": scale}).status_code == 400, f"scale {scale!r} accepted"


def test_number_of_points_is_limited(client):
    many = "[" + ", ".join(f"[{n}, 1]" for n in range(1001)) + "]"
    assert client.post("/series/lab", data={"points": many}).status_code == 400, "1001 points at once"
