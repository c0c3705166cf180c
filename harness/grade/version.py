"""The grader's comparability version: it goes up when a change can alter labels (see CHANGELOG.md)."""

GRADER_VERSION = 10
