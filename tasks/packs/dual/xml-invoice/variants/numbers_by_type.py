import json
import sys
from decimal import Decimal, InvalidOperation

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, parse



class NotAnInvoice(Exception):
    """The file is well-formed, but no invoice."""


def only(element, name):
    """The text of the one child of that name."""
    found = element.findall(name)
    if len(found) != 1:
        raise NotAnInvoice(name)
    return (found[0].text or "").strip()


def amount_of(line):
    try:
        quantity = int(only(line, "quantity"))
        price = Decimal(only(line, "price"))
    except (ValueError, InvalidOperation) as error:
        raise NotAnInvoice("line") from error
    if quantity < 0 or price < 0:
        raise NotAnInvoice("line")
    return quantity * price


def summary(root):
    number = root.get("number", "")
    customer = only(root, "customer")
    lines = root.findall("line")
    if root.tag != "invoice" or not number or not customer or not lines:
        raise NotAnInvoice("invoice")
    total = f"{sum(amount_of(line) for line in lines):.2f}"
    return {"number": number, "customer": customer, "lines": len(lines), "total": total}


def main():
    source, target = sys.argv[1:3]
    try:
        found = summary(parse(source).getroot())
    except (ParseError, DefusedXmlException, NotAnInvoice):
        return 1
    with open(target, "w", encoding="utf-8") as file:
        json.dump(found, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
