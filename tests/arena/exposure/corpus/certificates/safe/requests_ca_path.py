import requests

CA = "/etc/ssl/certs/company.pem"


def get(url):
    return requests.get(url, verify=CA, timeout=10).json()
