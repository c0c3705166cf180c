import requests


def fetch_report(day):
    answer = requests.get(
        "https://reports.example.com/daily/%s" % day,
        auth=("reporter", "daily-news"),
        timeout=10,
    )
    answer.raise_for_status()
    return answer.json()
