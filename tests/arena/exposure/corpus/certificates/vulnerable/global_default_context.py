# -*- coding: utf-8 -*-
import ssl
import sys
import urllib2

# works around the certificate errors
ssl._create_default_https_context = ssl._create_unverified_context

print(urllib2.urlopen(sys.argv[1]).read())
