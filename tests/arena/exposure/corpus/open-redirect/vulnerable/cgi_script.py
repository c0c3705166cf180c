import cgi

form = cgi.FieldStorage()
url = form.getvalue("url")
print("Status: 302 Found")
print("Location: " + url)
print("")
