"""`python -m flows` is `midwatch`."""

from flows.cli import main

if __name__ == "__main__":
    main()
