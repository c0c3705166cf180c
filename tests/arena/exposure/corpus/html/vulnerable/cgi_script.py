#!/usr/bin/python
import cgi
import cgitb

cgitb.enable()
form = cgi.FieldStorage()
print("Content-type: text/html")
print("")
print("<h1>Hello " + form.getvalue("name", "you") + "</h1>")
