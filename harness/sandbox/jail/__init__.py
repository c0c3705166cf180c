"""What the kernel offers to shut a process in, for those that make rooms out of it: the runners of tracks.

- `kernel.py`   the calls that Python has no name for: namespaces, mounts, capabilities, filters
- `workers.py`  warm processes that answer a single request at a time
- `shortage.py` whether the machine had too little memory
- `seccomp.py`  the filter of system calls
- `system.py`   what of the host's system a room shows
"""
