import sys
import urllib.request as u

SITE = "https://weather.example.org/%s.json"


def weather(place):
    return u.urlopen(SITE % place).read().decode("utf8")


def main(argv):
    for place in argv[1:] or ["paris"]:
        print(weather(place))


if __name__ == "__main__":
    main(sys.argv)
