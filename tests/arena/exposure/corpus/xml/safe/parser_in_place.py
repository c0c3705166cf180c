from lxml import etree


def names(text):
    root = etree.fromstring(
        text,
        etree.XMLParser(no_network=True, resolve_entities=False),
    )
    return [one.text for one in root.iter("name")]
