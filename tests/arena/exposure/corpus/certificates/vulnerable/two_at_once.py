import ssl
import urllib.request

context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
print(urllib.request.urlopen("https://example.com", context=context).status)
