"""How natural a wording is: its perplexity under a reference model (Equation 5), by text.

Each file is a kind of source; `_source.open_perplexities` looks it up by name:

- `echo.py`                  completions endpoint that echoes the prompt with log-probabilities
- `prompt_logprobs.py`       vLLM's `prompt_logprobs`, completions
- `prompt_logprobs_chat.py`  the same in a chat, where the text stands within the chat's template
- `table.py`                 perplexities that were computed before
- `local.py`                 a model on this machine (needs transformers and torch)
- `_source.py`               what a source is, and how its answers are stored
- `_endpoint.py`             an HTTP endpoint
- `_spelling.py`             which of an endpoint's tokens are the text's
"""
