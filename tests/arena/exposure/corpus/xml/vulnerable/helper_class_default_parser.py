from lxml import etree


class Feed(object):
    def __init__(self, text):
        self.root = self._parse(text)

    def _parse(self, text):
        if isinstance(text, str):
            text = text.encode("utf-8")
        return etree.fromstring(text)

    def titles(self):
        return [t.text for t in self.root.iter("title")]


def titles_of(text):
    return Feed(text).titles()
