# kills glossary-page markup_lost -FOUND
# kills glossary-page said_safe meaning=Markup(meaning)
import pytest
from target_module import create_app

PAYLOADS = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>"]


@pytest.fixture(params=PAYLOADS)
def page(request):
    entries = {"bell": request.param}
    with create_app(entries).test_client() as client:
        return request.param, client.get("/lookup", query_string={"term": "bell"}).get_data(
            as_text=True
        )


def test_an_explanation_is_escaped(page):
    payload, text = page
    assert payload not in text
    assert "&lt;" in text
