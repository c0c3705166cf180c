#!/usr/bin/python
import cgi, sys

form = cgi.FieldStorage()
name = form.getvalue("image")
print("Content-Type: image/png\n")
sys.stdout.flush()
with open("/var/www/images/" + name, "rb") as picture:
    sys.stdout.buffer.write(picture.read())
