def test_paragraphs():
    assert render_post("one\ntwo\n\nthree") == "<p>one<br>two</p>\n<p>three</p>", "blocks and lines"


def test_inline():
    html = render_post("**big** *thin* `x*y*` 2 < 3")
    assert html == "<p><strong>big</strong> <em>thin</em> <code>x*y*</code> 2 &lt; 3</p>", "marks in a line"


def test_lists_and_quotes():
    assert render_post("- a\n- *b*") == "<ul><li>a</li><li><em>b</em></li></ul>", "a list"
    assert render_post("> a\n> b") == "<blockquote>a<br>b</blockquote>", "a quotation"
    assert render_post("# Top\n\n## Next") == "<h2>Top</h2>\n<h3>Next</h3>", "headings"


def test_fenced():
    assert render_post("```\n**a**\n\n- b\n```\nend") == "<pre>**a**\n\n- b</pre>\n<p>end</p>", "fenced lines are as they are"
    assert render_post("```\nopen") == "<pre>open</pre>", "an open fence ends with the text"


def test_links_and_pictures():
    html = render_post("[home](/start) [web](https://example.org/?a=1) ![cat](https://img.example/c.png) [x](ftp)")
    assert 'href="/start"' in html and 'href="https://example.org/?a=1"' in html, "links"
    assert '<img src="https://img.example/c.png" alt="cat">' in html, "a picture"
    assert html.endswith(" x</p>"), "what is no link is its label"
