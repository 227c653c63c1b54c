"""`/metrics` for Prometheus: what rows say, alike from every process, and what this process measured."""
