import sys
import xml.sax
from xml.sax.handler import feature_external_ges, feature_external_pes


def count(path):
    reader = xml.sax.make_parser()
    reader.setContentHandler(xml.sax.handler.ContentHandler())
    reader.setFeature(feature_external_ges, False)
    reader.setFeature(feature_external_pes, False)
    reader.parse(path)


if __name__ == "__main__":
    count(sys.argv[1])
