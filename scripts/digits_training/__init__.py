"""How the embedded digits world was trained; run through ``scripts/train_digits.py``."""
