"""What scripts/benchmark.py measures with."""
