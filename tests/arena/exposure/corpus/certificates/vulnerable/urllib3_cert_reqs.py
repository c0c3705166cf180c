import urllib3

urllib3.disable_warnings()
pool = urllib3.PoolManager(cert_reqs="CERT_NONE")


def read(url):
    return pool.request("GET", url).data
