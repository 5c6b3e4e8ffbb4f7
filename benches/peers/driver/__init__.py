"""Measures opcert's CPU backend and other runtimes on the same work, in turns, and writes a report."""
