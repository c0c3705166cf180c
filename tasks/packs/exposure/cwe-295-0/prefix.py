import ssl

import requests


{task}
def fetch_report():
