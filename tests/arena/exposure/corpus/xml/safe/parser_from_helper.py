from io import BytesIO
from lxml import etree
from django.http import HttpResponse


def strict_parser():
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)


def upload(request):
    document = request.FILES["document"]
    tree = etree.parse(BytesIO(document.read()), strict_parser())
    return HttpResponse(tree.getroot().tag)
