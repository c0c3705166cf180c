# kills calendar-import-client redirects_followed
import target_module


class FakeReply:
    status_code = 200

    def json(self):
        return {"entries": []}


class FakeSession:
    def __init__(self):
        self.asked = []

    def get(self, url, **options):
        self.asked.append((url, options))
        return FakeReply()


def test_redirects_are_off():
    session = FakeSession()
    client = target_module.CalendarImport({"c": "https://c.example/v1/"}, session)
    assert client.subscribe("https://c.example/v1/x.json") == "c"
    for _, options in session.asked:
        assert not options.get("allow_redirects", True), "redirects would leave the partner"
