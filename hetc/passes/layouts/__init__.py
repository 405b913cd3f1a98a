"""How the numbers of elements lie in memory: what `choose-layout` decides by, and what it decides."""
