"""Shared by tracks: calls of models, stored answers, and extraction from replies.

Calls:
- `attempt_models.py`      the models of a run's agents: a gateway, for each attempt a model and an account
- `direct.py`              the agent `direct`: a completion is an attempt
- `completion.py`          many completions of a model, each stored; `no_completion.py`: why none came
- `completion_session.py`  a model, request by request
- `provenance.py`          the agent's version, effort and prices on which an attempt rests

Reading:
- `endings.py`             replies without code, and requests without an answer
- `thoughts.py`            a reply -> the answer in it, without thoughts; `thought_marks.py`
- `blocks.py`              a reply -> the pieces of code in it, between `fences.py` or in JSON (`wrapped.py`)
- `counter_examples.py`    blocks that a reply shows as what not to do; `counter_words.py`
- `program_extraction.py`  a reply -> the program in it; `token_scanner.py`, `languages.py`
"""
