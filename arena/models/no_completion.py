"""Why no answer of a model came."""

from __future__ import annotations


class NoCompletion(Exception):
    """No answer came; the message is a line. `over`: none will come, so that further requests are useless.

    ended_model: since the provider ended the model's part (its account is empty, the model is gone).
    """

    def __init__(self, message: str, over: bool = False, ended_model: bool = False) -> None:
        super().__init__(message)
        self.over, self.ended_model = over or ended_model, ended_model


class EndedCall(NoCompletion):
    """A filter or the model's context ended the call: an outcome for whoever evaluates this model."""

    def __init__(self, message: str, ending: str) -> None:
        super().__init__(message)
        self.ending = ending
