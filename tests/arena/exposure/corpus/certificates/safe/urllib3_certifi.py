import certifi
import urllib3

pool = urllib3.PoolManager(cert_reqs="CERT_REQUIRED", ca_certs=certifi.where())


def read(url):
    return pool.request("GET", url).data
