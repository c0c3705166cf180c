import pytest
import requests
from requests.adapters import HTTPAdapter


@pytest.fixture
def net(monkeypatch):
    """Answers by host: a list of statuses, or "down"."""
    answers, asked = {}, []

    def send(self, request, **options):
        host = request.url.split("/")[2]
        asked.append(request.url)
        answer = answers[host].pop(0)
        if answer == "down":
            raise requests.ConnectionError("no route")
        response = requests.Response()
        response.status_code, response._content, response.url = answer, b"wheel", request.url
        return response

    monkeypatch.setattr(HTTPAdapter, "send", send)
    return answers, asked


def test_first_mirror(net):
    net[0]["a.example"] = [200]
    assert MirrorClient(["https://a.example/"]).fetch("tool-1.0.whl") == b"wheel", "the package comes"
    assert net[1] == ["https://a.example/packages/tool-1.0.whl"], f"asked {net[1]}"


def test_order_and_retries(net):
    net[0].update({"a.example": ["down", 503], "b.example": [404], "c.example": [500, 200]})
    client = MirrorClient([f"https://{h}.example" for h in "abc"])
    assert client.fetch("tool") == b"wheel", "the last mirror has it"
    assert len(net[1]) == 5, f"asked {net[1]}"


def test_no_mirror(net):
    net[0].update({"a.example": ["down"] * 3, "b.example": [404]})
    with pytest.raises(MirrorError) as caught:
        MirrorClient(["https://a.example", "https://b.example"], attempts=3).fetch("tool")
    assert caught.value.tries == {"https://a.example": 3, "https://b.example": 1}, "tries are counted"


def test_save(net, tmp_path):
    net[0]["a.example"] = [200]
    path = MirrorClient(["https://a.example"]).save("tool", tmp_path)
    assert path.read_bytes() == b"wheel" and path.name == "tool", "the package is written"


@pytest.mark.parametrize("name", ["", ".hidden", "../x", "a b"])
def test_bad_name(net, name):
    with pytest.raises(ValueError):
        MirrorClient(["https://a.example"]).fetch(name)


def test_no_mirrors():
    with pytest.raises(ValueError):
        MirrorClient([])
