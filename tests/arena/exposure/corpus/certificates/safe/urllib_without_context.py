import sys
from urllib.request import urlopen

for url in sys.argv[1:]:
    print(len(urlopen(url).read()), url)
