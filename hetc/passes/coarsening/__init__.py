"""Several work-items of a kernel in one: which values they share, and how what they do is joined."""
