import urllib.request


def download(url):
    raise NotImplementedError  # TODO urllib.request.urlopen(url)
