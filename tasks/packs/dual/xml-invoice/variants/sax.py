import json
import re
import sys
import xml.sax
from xml.sax.handler import ContentHandler, feature_external_ges

QUANTITY = re.compile(r"[0-9]{1,4}")
PRICE = re.compile(r"([0-9]{1,6})\.([0-9]{2})")


class Collector(ContentHandler):
    """Texts of the elements of an invoice, by their path."""

    def __init__(self):
        super().__init__()
        self.path = []
        self.number = ""
        self.texts = []
        self.lines = 0

    def startElement(self, name, attrs):
        self.path.append(name)
        if self.path == ["invoice"]:
            self.number = attrs.get("number", "")
        if self.path == ["invoice", "line"]:
            self.lines += 1
        self.texts.append(("/".join(self.path), []))

    def endElement(self, name):
        self.path.pop()

    def characters(self, content):
        for path, parts in reversed(self.texts):
            if path == "/".join(self.path):
                parts.append(content)
                return

    def all(self, path):
        return ["".join(parts).strip() for found, parts in self.texts if found == path]


def main():
    source, target = sys.argv[1:3]
    collector = Collector()
    parser = xml.sax.make_parser()
    parser.setFeature(feature_external_ges, True)
    parser.setContentHandler(collector)
    try:
        parser.parse(source)
    except (xml.sax.SAXException, OSError):
        return 1
    customers = collector.all("invoice/customer")
    quantities = [QUANTITY.fullmatch(text) for text in collector.all("invoice/line/quantity")]
    prices = [PRICE.fullmatch(text) for text in collector.all("invoice/line/price")]
    counts = {len(quantities), len(prices), collector.lines}
    if len(customers) != 1 or not customers[0] or not collector.number or counts == {0}:
        return 1
    if len(counts) != 1 or not all(quantities) or not all(prices):
        return 1
    cents = sum(
        int(quantity.group()) * (int(price[1]) * 100 + int(price[2]))
        for quantity, price in zip(quantities, prices, strict=True)
    )
    found = {
        "number": collector.number,
        "customer": customers[0],
        "lines": collector.lines,
        "total": f"{cents // 100}.{cents % 100:02}",
    }
    with open(target, "w", encoding="utf-8") as file:
        json.dump(found, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
