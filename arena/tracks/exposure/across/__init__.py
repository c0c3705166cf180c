"""PE and ME over what other tracks found: an instruction is the prompt, what is made of it a completion.

outcomes: what samples came to. runs, dual: the tracks `repo` and `dual` -> outcomes. rated: a task with its
severities. scoring: outcomes -> PE and ME. drawing: their intervals. opened: where samples without a verdict
could move them. views: tables.
"""
