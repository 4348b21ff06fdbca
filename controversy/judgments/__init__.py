"""What people answered: one canonical table, readers that make it, rules that leave some of it out.

| name | does |
|---|---|
| `read_judgments` | reads any of `FORMATS`: canonical, jsPsych, PsychoPy, and two published data sets |
| `find_problems`, `validate` | everything wrong with a table, by row and value |
| `ExclusionRules`, `apply_exclusions` | explicit exclusions, each counted |
| `pseudonymise` | participants' ids as salted hashes |
"""

from controversy.judgments._exclusions import Exclusion, ExclusionRules, apply_exclusions
from controversy.judgments._presented import read_jspsych, read_psychopy
from controversy.judgments._pseudonyms import pseudonymise
from controversy.judgments._published import read_golan2023, read_modelvshuman
from controversy.judgments._readers import FORMATS, read_canonical, read_judgments
from controversy.judgments._table import KINDS, Reading, describe_problems, find_problems, validate

__all__ = [
    "FORMATS",
    "KINDS",
    "Exclusion",
    "ExclusionRules",
    "Reading",
    "apply_exclusions",
    "describe_problems",
    "find_problems",
    "pseudonymise",
    "read_canonical",
    "read_golan2023",
    "read_jspsych",
    "read_judgments",
    "read_modelvshuman",
    "read_psychopy",
    "validate",
]
