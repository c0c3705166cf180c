"""`arena serve`: the dashboard of a store, and its API, over HTTP.

- `server.py`   the socket, the server, and how it ends
- `app.py`      which address is answered by what
- `access.py`   who may ask: methods, host names, the token; and the headers of every answer
- `api.py`      what is answered
- `query.py`    parameters of a question; pages of attempts
- `watch.py`    how far runs are, and the rows of the store, read again when something has changed
- `search.py`   the search over trajectories
- `answers.py`  JSON, downloads and mistakes as responses
"""
