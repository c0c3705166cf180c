"""The environment in which git runs over untrusted repositories.

Whatever calls git on the host starts from such an environment, so that the user's and the system's
configuration take no part and git never prompts.
"""

from __future__ import annotations

import os

# No configuration but the repository's own.
QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": os.devnull,
}
# For reading only: objects as they are, nothing written, nothing fetched for a partial clone.
READING = {
    **QUIET,
    # A repository may replace commits by refs of its choice, and so show another history than its ids say.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    # A partial clone would otherwise fetch what it lacks, from an address that the repository names.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
}
