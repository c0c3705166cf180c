"""Instructions written by a model, and held to the checker.

- `loop.py`      ask, check, ask again with the reasons, give up after so many attempts
- `prompt.py`    the messages to the model, and the gold patch cut to a size
- `model_call.py` a completion through LiteLLM, with retries of the provider's faults
- `folder.py`    a task's folder for `arena tasks describe`: gold, message, instruction
"""

from arena.building.instruction.loop import Described, describe

__all__ = ["Described", "describe"]
