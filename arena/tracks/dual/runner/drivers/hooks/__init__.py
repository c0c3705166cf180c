"""Hook sets, preloaded into programs: `python/`, `javascript.js`, `native.c`."""
