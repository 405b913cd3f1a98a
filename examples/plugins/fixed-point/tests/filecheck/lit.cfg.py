"""How lit runs the tests of this folder."""

from hetc.tools.lit_config import configure

configure(config, __file__, package="../..")
