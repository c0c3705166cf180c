from lxml import html
import requests
import sys


def links(url):
    page = requests.get(url)
    root = html.fromstring(page.content)
    return [a.get("href") for a in root.iter("a")]


for link in links(sys.argv[1]):
    print(link)
