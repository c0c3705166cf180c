from lxml import etree

def plant_height(catalogue: bytes, latin_name: str) -> float | None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(catalogue, parser)
    heights = root.xpath("/plants/plant[@public='yes' and @latin=$latin]/height", latin=latin_name)
    return float(heights[0].text) if heights else None
