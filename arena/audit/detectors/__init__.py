"""Signs of cheating, a kind a file: `PLUGIN` is an `AuditDetector` with its examples."""
