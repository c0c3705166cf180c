"""Programs written by a model: what it is asked, what is taken out of its reply, and where it is put.

- `prompts.py`     the two prompts: `neutral` and `reminder`
- `tokens.py`      JavaScript and C++ cut into names, strings and brackets
- `extraction.py`  a reply -> a program, exactly as it was written, and its state
- `folder.py`      DIR/<task id>/<sample>.<suffix> and samples.jsonl
- `generation.py`  tasks x samples -> rows; goes on where it was stopped
- `agents.py`      an agent of the track `repo` writes the program instead
"""
