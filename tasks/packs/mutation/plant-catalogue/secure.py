from lxml import etree

BY_NAME = "/plants/plant[@public='yes' and @latin=$latin]/height"


def plant_height(catalogue: bytes, latin_name: str) -> float | None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(catalogue, parser)
    heights = root.xpath(BY_NAME, latin=latin_name)
    return float(heights[0].text) if heights else None
