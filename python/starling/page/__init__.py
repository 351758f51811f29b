"""The page of a run: one HTML file that asks for nothing."""
