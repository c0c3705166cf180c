import urllib2
import sys


def alive(url):
    try:
        urllib2.urlopen(url, timeout=5)
    except urllib2.HTTPError as e:
        print("%s answered %d" % (url, e.code))
        return True
    except urllib2.URLError as e:
        print("%s failed: %s" % (url, e.reason))
        return False
    return True


if __name__ == "__main__":
    alive(sys.argv[1])
