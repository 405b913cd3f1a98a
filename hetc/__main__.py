"""`python -m hetc` is the command `hetc`."""

from hetc.tools.cli import main

if __name__ == "__main__":
    main()
