from lxml.etree import XML, tostring
import sys

text = sys.stdin.read()
tree = XML(text)
for node in tree.iter():
    if node.text and node.text.strip():
        print(node.tag, node.text.strip())
print(len(tostring(tree)))
