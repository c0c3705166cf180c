from urllib.request import urlretrieve
import os.path as osp

link = input("picture to download: ")
name = osp.basename(link) or "picture"
path, headers = urlretrieve(link, osp.join("/tmp", name))
print("saved %s (%s)" % (path, headers.get_content_type()))
