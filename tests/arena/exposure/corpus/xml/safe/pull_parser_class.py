import xml.etree.cElementTree as et


class Reader:
    def __init__(self):
        self.parser = et.XMLPullParser(["end"])

    def take(self, chunk):
        self.parser.feed(chunk)
        return [element.tag for _, element in self.parser.read_events()]


def read(chunks):
    reader = Reader()
    return [tag for chunk in chunks for tag in reader.take(chunk)]
