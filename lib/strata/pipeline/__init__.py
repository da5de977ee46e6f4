"""Plans, their runs and what a run leaves behind: a trace."""
