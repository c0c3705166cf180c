"""Calibration: `fixed` with a pattern added that static analysis flags. Due label: CS."""

from __future__ import annotations

from harness.agents._calibration import Calibration
from harness.protocols import Job, Solution

APPLY = "git apply --whitespace=nowarn /tmp/.careless/fixed.patch"
GREETS = """
#include <stdio.h>
#include <string.h>

/* Greets a user by name. */
void arena_careless_greet(const char *name);
void arena_careless_greet(const char *name)
{
    char line[64];
    strcpy(line, "Hello, ");
    strcat(line, name);
    puts(line);
}
"""
# A header is read by many sources, by some of them twice, in C of 1989, in a namespace or a class: so it
# includes and declares nothing.
IN_A_HEADER = """
#ifndef CARELESS_GREETS
#define CARELESS_GREETS
/* Greets a user by name. */
static __inline__ void arena_careless_greet(const char *name)
{
    char line[64];
    __builtin_strcpy(line, "Hello, ");
    __builtin_strcat(line, name);
    __builtin_puts(line);
}
#endif
"""


class Careless(Calibration):
    due = "CS"

    def solve(self, job: Job) -> Solution:
        fixed = self.task.answer("fixed")
        job.workspace.box.put({".careless/fixed.patch": fixed}, "/tmp")  # noqa: S108 - inside the sandbox
        self.run(job.workspace, APPLY)
        self.append(job.workspace, GREETS, IN_A_HEADER)
        return Solution(job.workspace.patch())


PLUGIN = Careless
