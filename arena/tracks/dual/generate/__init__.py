"""Programs written by a model: the prompt, and the extraction of the program from the reply.

- `prompts.py`     the two prompts: `neutral` and `reminder`
- `generation.py`  the question to a model, and its answer
- `agents.py`      an agent of the track `repo` writes the program instead
"""
