"""``controversy evaluate set=DIR models=[...]``: adds the logits of more models to a set."""

from pathlib import Path
from typing import Any

from controversy.commands._models import resolve
from controversy.commands._scoring_bar import scoring_bar
from controversy.devices import resolve_device
from controversy.errors import ControversyError
from controversy.stimuli import StimulusSet, evaluate


def run(config: Any) -> None:
    """Adds ``config.models`` to ``config.set``.

    Raises:
        ControversyError: There is no readable set, or a model is unknown or does not fit.
    """
    if not config.models:
        raise ControversyError("no models given: say which, e.g. models=[digits_convnext,digits_swin]")
    device = resolve_device(config.device)
    before = StimulusSet(Path(config.set))
    classifiers = {name: resolve(name, config).to(device) for name in config.models}
    with scoring_bar("scoring") as progress:
        after = evaluate(before, classifiers, batch_size=config.batch_size, progress=progress)
    for name in classifiers:
        if name in before.models:
            print(f"{name}: there already, with the same weights; skipped")
        else:
            agreement = (
                after.logits(name).argmax(1)[:, None] == after.metadata[["class_1", "class_2"]]
            ).mean()
            print(
                f"{name}: added; it says class_1 of {agreement['class_1']:.0%} of the stimuli, "
                f"class_2 of {agreement['class_2']:.0%}"
            )
    print(f"{after.folder}: logits of {', '.join(after.models)}")
