"""Programs from a model: for each wording of each scenario M samples, as an answer or as a completion.

- `prompts.py`     what is asked in each mode · `stopping.py` where a completion stops
- `extraction.py`  an answer -> the program in it · `continuing.py` a chat model's answer -> a completion
- `sampling.py`    asks for all of them · `listing.py` samples.json · `folder.py` keeps and reads them
- `state.py`       what became of a sample, and the modes
"""
