"""How lit runs the FileCheck tests: `lit tests/filecheck`, or any file or folder below it."""

from hetc.tools.lit_config import configure

configure(config, __file__, package="../..")
