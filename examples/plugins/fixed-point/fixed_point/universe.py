"""What this package adds to hetc and to xDSL's tools: all that its folders `dialects` and `passes` hold."""

from __future__ import annotations

from hetc.tools.universe import universe_of

UNIVERSE = universe_of("fixed_point")
