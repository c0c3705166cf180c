"""Instructions written by a model, and held to the checker.

- `loop.py`      ask, check, ask again with the reasons, give up after so many attempts
- `prompt.py`    what the model is told, and the gold patch cut to a size
- `model_call.py` one completion through LiteLLM, with retries of the provider's faults
- `folder.py`    a task's folder as `arena tasks describe` sees it: gold, message, instruction
"""

from arena.building.instruction.loop import Described, describe

__all__ = ["Described", "describe"]
