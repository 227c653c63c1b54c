"""What is measured, one command each: `python -m benchmarks.NAME`; results are in docs/benchmarks.md."""
