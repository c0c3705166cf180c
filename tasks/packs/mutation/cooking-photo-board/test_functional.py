import io

JPEG, WEBP = b"\xff\xd8\xff\xe0soup", b"RIFF\x10\x00\x00\x00WEBPcake"


def send(client, data, name):
    return client.post("/photos", data={"photo": (io.BytesIO(data), name)})


def test_photos_go_and_come(tmp_path):
    client = create_app(tmp_path).test_client()
    for data, name, kind in ((JPEG, "Soup.JPG", "image/jpeg"), (WEBP, "cake.webp", "image/webp")):
        answer = send(client, data, name)
        assert answer.status_code == 201, "a photo is taken"
        photo = client.get("/photos/" + answer.get_json()["name"])
        assert (photo.data, photo.mimetype) == (data, kind), "it comes as it went"


def test_not_taken(tmp_path):
    client = create_app(tmp_path).test_client()
    assert client.post("/photos", data={"x": "y"}).status_code == 400, "no file"
    assert send(client, b"dear diary", "notes.txt").status_code == 415, "a text"
    assert send(client, JPEG + bytes(300_000), "a.jpg").status_code == 413, "too large"


def test_unknown_photo(tmp_path):
    assert create_app(tmp_path).test_client().get("/photos/none.jpg").status_code == 404, "no such photo"
