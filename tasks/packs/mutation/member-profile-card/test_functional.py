def test_name_and_about():
    html = ProfileCard("Liv", about="likes boats").html()
    assert "<h2>Liv</h2>" in html and "<p>likes boats</p>" in html, "name and text are shown"
    assert "<a" not in html and "<img" not in html, "no link and no picture"


def test_link_and_avatar():
    html = ProfileCard("Liv", homepage="https://liv.example/boats", avatar="http://img.example/1.png").html()
    assert 'href="https://liv.example/boats"' in html, "the homepage is linked"
    assert 'src="http://img.example/1.png"' in html and 'alt="Liv"' in html, "the picture is shown"


def test_colour():
    assert 'style="color:#a0b1c2"' in ProfileCard("Liv", colour="#a0b1c2").html(), "the colour is used"
    assert "style" not in ProfileCard("Liv", colour="blue").html(), "another is left out"


def test_words_are_no_homepage():
    assert "<a" not in ProfileCard("Liv", homepage="my site").html(), "a text is no address"
