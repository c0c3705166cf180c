import requests


class Fetcher:
    def __init__(self):
        self.session = requests.Session()
        self.session.headers["User-Agent"] = "preview"

    def get(self, url):
        answer = self.session.get(url, timeout=3)
        answer.raise_for_status()
        return answer.text

    def title(self, url):
        text = self.get(url)
        start = text.find("<title>")
        return text[start + 7 : text.find("</title>")]


def title_of(url):
    return Fetcher().title(url)
