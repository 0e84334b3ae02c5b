"""`python weaker.py LEVEL --store S serve`: the server with another `synchronous` than the one it insists on.

Only to show that the cuts of the power would find a loss: the program itself has no such switch.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from app.cli.main import main
from app.store.db import PRAGMAS

if __name__ == "__main__":
    PRAGMAS["synchronous"] = {"OFF": 0, "NORMAL": 1, "FULL": 2}[sys.argv[1]]
    main(sys.argv[2:])
