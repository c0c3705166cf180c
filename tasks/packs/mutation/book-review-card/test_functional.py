import pytest


def test_whole_card():
    card = review_card("Nora", "Lovely.\n\nRead it twice.", 4)
    assert "<h3>Nora</h3>" in card, "the author is named"
    assert "<p>★★★★</p>" in card, "the stars are shown"
    assert "<p>Lovely.</p><p>Read it twice.</p>" in card, "a paragraph for each line"


def test_author_attribute():
    assert 'data-author="Nora"' in review_card("Nora", "x", 1), "the attribute holds the author"


def test_stars_out_of_range():
    with pytest.raises(ValueError):
        review_card("Nora", "x", 6)
