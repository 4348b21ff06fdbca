"""Weights: where they lie, read without running pickled code, loaded with every key checked, fetched.

| name              | is |
|-------------------|----|
| `weights_root`    | the folder that files are looked for in |
| `hub_checkpoint`  | where torch.hub keeps a file |
| `first_present`   | of several places, the one that has the file |
| `read_weights`    | a file -> names to tensors; tensors only, never code |
| `load_strictly`   | names to tensors -> a module; every key and shape must match |
| `strip_prefixes`  | without the ``module.`` that wrappers leave on names |
| `combined_digest` | one SHA-256 for all files of a model |
| `Download`        | where a file is published, and what it has to be |
| `fetch`           | a download, resumed where one broke off, checked before it gets its name |
"""

from controversy.weights._fetch import Download, fetch
from controversy.weights._place import combined_digest, first_present, hub_checkpoint, weights_root
from controversy.weights._read import read_weights
from controversy.weights._strict import load_strictly, strip_prefixes

__all__ = [
    "Download",
    "combined_digest",
    "fetch",
    "first_present",
    "hub_checkpoint",
    "load_strictly",
    "read_weights",
    "strip_prefixes",
    "weights_root",
]
