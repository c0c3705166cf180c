"""Programs written by a model: what it is asked, and what is taken out of its reply.

- `prompts.py`     the two prompts: `neutral` and `reminder`
- `tokens.py`      JavaScript and C++ cut into names, strings and brackets
- `extraction.py`  a reply -> a program, exactly as it was written, and its state
- `generation.py`  the question to a model, and its answer
- `agents.py`      an agent of the track `repo` writes the program instead
"""
