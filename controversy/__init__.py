"""Controversial stimuli: find out which vision model sees the world as people do."""

__version__ = "0.1.0"
