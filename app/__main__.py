"""`python -m app` is `evenhand`."""

from app.cli.main import main

main()
