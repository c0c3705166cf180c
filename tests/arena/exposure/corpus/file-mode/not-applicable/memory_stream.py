import io

out = io.StringIO()
out.write("secret")
print(len(out.getvalue()))
