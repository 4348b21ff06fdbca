"""Trains the embedded digits world: one generator, four adversarially trained classifiers, a referee.

    python scripts/train_digits.py NAME --mnist mnist.pkl.gz [--work DIR] [--threads 1]

NAME is `generator`, `referee`, or one of the four classifiers; each has its recipe in
scripts/digits_training/recipes/. A run that was stopped goes on where it was. Finished weights go
straight into the package (the referee's into tests/data).
"""

import argparse
from pathlib import Path

import torch
import yaml

from digits_training.mnist import load_mnist

ROOT = Path(__file__).resolve().parent.parent
RECIPES = Path(__file__).resolve().parent / "digits_training" / "recipes"


def main() -> None:
    names = sorted(path.stem for path in RECIPES.glob("*.yaml"))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=names)
    parser.add_argument(
        "--mnist", type=Path, required=True, help="mnist.pkl.gz, or a torchvision MNIST folder"
    )
    parser.add_argument("--work", type=Path, default=ROOT / "outputs" / "training", help="checkpoints")
    parser.add_argument("--threads", type=int, default=1, help="cores of this run")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    arguments.work.mkdir(parents=True, exist_ok=True)
    recipe = yaml.safe_load((RECIPES / f"{arguments.name}.yaml").read_text())
    splits = load_mnist(arguments.mnist)
    if arguments.name == "generator":
        from digits_training import generator

        model = generator.train(recipe, *splits["train"], folder=arguments.work)
        generator.fill_standing_statistics(model, recipe)
        generator.save_pretrained(model, ROOT / "controversy" / "generators" / "digits")
    else:
        from digits_training import classifier

        place = ROOT / ("tests/data" if arguments.name == "referee" else "controversy/classifiers/digits")
        images, labels = splits["test"]
        held_out = images[5000:], labels[5000:]  # the model cards attack the first thousand
        classifier.train(arguments.name, recipe, *splits["train"], held_out, arguments.work, place)


if __name__ == "__main__":
    main()
