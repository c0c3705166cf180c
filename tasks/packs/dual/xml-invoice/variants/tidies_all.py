import json
import re
import sys

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, parse

QUANTITY = re.compile(r"[0-9]{1,4}")
PRICE = re.compile(r"([0-9]{1,6})\.([0-9]{2})")


class NotAnInvoice(Exception):
    """The file is well-formed, but no invoice."""


def only(element, name):
    """The text of the one child of that name."""
    found = element.findall(name)
    if len(found) != 1:
        raise NotAnInvoice(name)
    return (found[0].text or "").strip()


def tidied(element):
    element.text = (element.text or "").strip()
    for child in element:
        tidied(child)
    return element


def cents_of(line):
    quantity = QUANTITY.fullmatch(only(line, "quantity"))
    price = PRICE.fullmatch(only(line, "price"))
    if not quantity or not price:
        raise NotAnInvoice("line")
    return int(quantity.group()) * (int(price[1]) * 100 + int(price[2]))


def summary(root):
    number = root.get("number", "")
    customer = only(root, "customer")
    lines = root.findall("line")
    if root.tag != "invoice" or not number or not customer or not lines:
        raise NotAnInvoice("invoice")
    cents = sum(cents_of(line) for line in lines)
    total = f"{cents // 100}.{cents % 100:02}"
    return {"number": number, "customer": customer, "lines": len(lines), "total": total}


def main():
    source, target = sys.argv[1:3]
    try:
        found = summary(tidied(parse(source).getroot()))
    except (ParseError, DefusedXmlException, NotAnInvoice):
        return 1
    with open(target, "w", encoding="utf-8") as file:
        json.dump(found, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
