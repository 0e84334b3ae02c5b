"""Every hostile file. What is counted is kinds: a kind in one form, whatever its variants."""

from tests.formats.hostile.cells import csv_files
from tests.formats.hostile.objects import json_files
from tests.formats.hostile.wholes import ENDLESS, FILES
from tests.formats.hostile.writing import Hostile

WHOLES = [*(Hostile(*each) for each in FILES), *(Hostile(*each, endless=True) for each in ENDLESS)]
HOSTILE = [*json_files(), *csv_files(), *WHOLES]
KINDS = {(each.kind, each.form) for each in HOSTILE}
