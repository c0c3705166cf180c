from lxml import etree

TEMPLATE = b"""<order><item/></order>"""


def order(amount):
    root = etree.fromstring(TEMPLATE)
    root.find("item").set("amount", str(amount))
    return etree.tostring(root)


if __name__ == "__main__":
    print(order(input("amount: ")))
