from django.core.files.storage import FileSystemStorage
from django.shortcuts import render


def simple_upload(request):
    if request.method == "POST":
        myfile = request.FILES["myfile"]
        fs = FileSystemStorage()
        filename = fs.save(myfile.name, myfile)
        return render(request, "upload.html", {"url": fs.url(filename)})
    return render(request, "upload.html")
