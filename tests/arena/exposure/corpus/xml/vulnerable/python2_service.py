import urllib2
import lxml.etree


def weather(url):
    page = urllib2.urlopen(url)
    tree = lxml.etree.parse(page)
    for node in tree.xpath("//temperature"):
        print("%s" % node.text)
    return tree
