from html import escape


def card(name, words):
    return "<div class='card'><h3>%s</h3><p>%s</p></div>" % (escape(name), escape(words))
