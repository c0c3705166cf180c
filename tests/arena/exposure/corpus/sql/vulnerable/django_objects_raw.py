from django.shortcuts import render
from .models import Message


def messages_of(request, author):
    query = "SELECT * FROM board_message WHERE author = '" + author + "' ORDER BY created"
    found = Message.objects.raw(query)
    return render(request, "messages.html", {"messages": list(found)})
