import sys
import xml.sax
import xml.sax.handler


def count(path):
    counter = xml.sax.handler.ContentHandler()
    reader = xml.sax.make_parser()
    reader.setContentHandler(counter)
    reader.setFeature(xml.sax.handler.feature_external_ges, 1)
    reader.parse(path)


if __name__ == "__main__":
    count(sys.argv[1])
