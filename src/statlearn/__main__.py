"""``python -m statlearn`` is the command ``statlearn``."""

from statlearn.app.cli import main

if __name__ == "__main__":
    main()
