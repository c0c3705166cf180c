def card(name, words):
    """Give the card of a member."""
    return "<div class='card'><h3>%s</h3><p>%s</p></div>" % (name, words)
