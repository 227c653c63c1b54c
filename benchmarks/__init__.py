"""What is measured and counted, one command each: `python -m benchmarks.NAME`; results in docs/benchmarks.md."""
