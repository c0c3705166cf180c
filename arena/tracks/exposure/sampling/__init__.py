"""Programs from a model: an answer, or a completion, for each attempt.

- `prompts.py`     the prompt in each mode · `stopping.py` where a completion stops
- `extraction.py`  an answer -> the program in it · `continuing.py` a chat model's answer -> a completion
- `completing.py`  an answer -> the program, in each mode · `listing.py` samples.json of earlier releases
- `state.py`       what became of a sample, and the modes
"""
