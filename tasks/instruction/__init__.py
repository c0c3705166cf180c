"""The instruction of a task: the rules that it must keep, its frame for an agent, and a draft of it.

- `checker.py`    `check`: all faults of a text as the instruction for a gold patch
- `neutral.py`    the table of forbidden wording, each row with examples
- `wording.py`    length, characters, talk of a chat, a missing end
- `leaks.py`      code of gold, and lines of a patch
- `coverage.py`   which source files of gold a text says nothing of
- `names.py`      names that gold adds or changes, and the words in them
- `gold.py`       a gold patch as files, hunks and lines
- `tokens.py`     code as tokens
- `templates.py`  `wrap`: the prompts `neutral` and `reminder` around an instruction
- `draft.py`      `draft`: a text from the commit message, marked as needing review
"""
