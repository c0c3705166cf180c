from io import BytesIO
from lxml import etree
from django.http import HttpResponse


def upload(request):
    document = request.FILES["document"]
    parser = etree.XMLParser(no_network=False)
    tree = etree.parse(BytesIO(document.read()), parser)
    return HttpResponse(tree.getroot().tag)
