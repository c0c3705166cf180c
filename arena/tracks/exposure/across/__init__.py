"""PE and ME over the results of the remaining tracks: an instruction is the prompt, its result a completion.

outcomes: what samples came to. runs, dual: the tracks `repo` and `dual` -> outcomes. rated: a task with its
severities. scoring: outcomes -> PE and ME. drawing: their intervals. opened: where samples without a verdict
could move them. views: tables.
"""
