from lxml import etree


def episode_titles(feed: bytes) -> list[str]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(feed, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ValueError("the feed cannot be read") from error
    if root.tag != "rss":
        raise ValueError("this is no feed")
    titles = (title.text or "" for title in root.iterfind("channel/item/title"))
    return [title.strip() for title in titles if title.strip()]
