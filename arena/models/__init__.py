"""What tracks share about models: asking them, keeping their answers, and reading what they replied.

Asking:
- `attempt_models.py`      the models of a run's agents: one gateway, a model and an account for each attempt
- `direct.py`              the agent `direct`: one completion is one attempt
- `completion.py`          many completions of a model, each stored; `no_completion.py`: why none came
- `completion_session.py`  one model, request by request
- `provenance.py`          the agent's version, effort and prices on which an attempt rests

Reading:
- `endings.py`             replies without code, and requests without an answer
- `thoughts.py`            a reply -> the answer in it, without thoughts; `thought_marks.py`
- `blocks.py`              a reply -> the pieces of code in it, between `fences.py` or in JSON (`wrapped.py`)
- `counter_examples.py`    blocks that a reply shows as what not to do; `counter_words.py`
- `program_extraction.py`  a reply -> the program in it; `token_scanner.py`, `languages.py`
"""
