"""The page of a run: one HTML file that loads nothing else."""
