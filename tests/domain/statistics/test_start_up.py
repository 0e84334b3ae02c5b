"""Starting the program must not wait for the numeric libraries."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
IMPORT_ALL = """
import importlib, pkgutil, sys
import app.domain.statistics as package
for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
print(sorted({"numpy", "scipy", "rapidfuzz"} & sys.modules.keys()), package.__name__ + ".agreement" in sys.modules)
"""


START = "import sys, app.cli.main, app.web.app; print(sorted({'numpy', 'scipy', 'rapidfuzz'} & sys.modules.keys()))"


def test_neither_the_command_line_nor_the_server_loads_a_numeric_library_at_start() -> None:
    done = subprocess.run([sys.executable, "-c", START], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_importing_the_statistics_imports_no_numeric_library() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[] True\n"
