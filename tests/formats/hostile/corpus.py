"""Every hostile file. What is counted is kinds: a kind in one form, whatever its variants."""

from tests.formats.hostile.cells import csv_files
from tests.formats.hostile.objects import json_files
from tests.formats.hostile.wholes import FILES
from tests.formats.hostile.writing import Hostile

HOSTILE = [*json_files(), *csv_files(), *(Hostile(*each) for each in FILES)]
KINDS = {(each.kind, each.form) for each in HOSTILE}
