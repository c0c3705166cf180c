def test_taken():
    plan = plan_attachment("Error Report.PDF", "application/pdf", 1200)
    assert plan["ok"] and plan["shown_as"] == "Error Report.PDF", "the sender's name is shown"
    assert plan["stored_as"].endswith(".pdf"), "the ending of its kind"
    assert plan_attachment("a.log", "Text/Plain; charset=utf-8", 5_000_000)["ok"], "parameters do not count"


def test_new_names():
    names = {plan_attachment("a.txt", "text/plain", 1)["stored_as"] for _ in range(5)}
    assert len(names) == 5, "every attachment has a name of its own"


def test_not_taken():
    assert not plan_attachment("film.mp4", "video/mp4", 100)["ok"], "no films"
    assert not plan_attachment("a.txt", "text/plain", 0)["ok"], "an empty file"
    assert "error" in plan_attachment("a.txt", "text/plain", 5_000_001), "a large file"
