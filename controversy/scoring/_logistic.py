"""An independent check: logistic regression of choices on evidence."""

import warnings

import numpy as np
import pandas as pd
from scipy import stats

from controversy.scoring._resampling import adjust
from controversy.scoring._responses import Responses

COLUMNS = ("model", "slope", "se", "z", "p_value", "p_adjusted", "odds_ratio", "n_trials", "note")


def logistic_check(responses: Responses, correction: str = "fdr_bh") -> pd.DataFrame:
    """Regresses choices on each model's evidence, trials clustered by participants and by stimuli.

    A generalised estimating equation with independent working correlation (Liang & Zeger 1986), whose
    coefficients are those of an ordinary logistic regression, with the sandwich covariance that is robust
    to any dependence within participants and within stimuli (Cameron, Gelbach & Miller 2011, Journal of
    Business & Economic Statistics 29, 238-249). It shares neither the resampling nor the measures with the
    rest.

    Args:
        responses: Judgments and items.
        correction: Over models, as for `adjust`.

    Returns:
        One row a model: ``slope`` of the log-odds of choosing alternative 2 a standard deviation of
        evidence, its ``se``, ``z``, one-sided ``p_value`` against "no positive slope", ``p_adjusted``,
        ``odds_ratio``, ``n_trials`` and a ``note`` where no slope exists.
    """
    people, stimuli = np.nonzero(responses.seen)
    choice = responses.choice[people, stimuli]
    groups = np.stack([people, stimuli], axis=1)
    rows = []
    for i, model in enumerate(responses.items.models):
        evidence = responses.items.evidence[stimuli, i]
        slope, se, note = _slope(choice, evidence, groups)
        z = slope / se if se > 0 else np.nan
        rows.append((model, slope, se, z, stats.norm.sf(z), np.nan, np.exp(slope), len(choice), note))
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.assign(p_adjusted=adjust(table["p_value"].to_numpy(), correction))


def _slope(choice: np.ndarray, evidence: np.ndarray, groups: np.ndarray) -> tuple[float, float, str]:
    # From their modules: statsmodels.api imports all of the library, which takes a second.
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM
    from statsmodels.tools.sm_exceptions import ConvergenceWarning, PerfectSeparationWarning

    nothing = (np.nan, np.nan)
    if evidence.std() == 0:
        return *nothing, "the evidence is the same on every trial"
    if choice.std() == 0:
        return *nothing, "every choice is the same"
    standard = (evidence - evidence.mean()) / evidence.std()
    design = np.column_stack([np.ones(len(standard)), standard])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = GLM(choice, design, family=Binomial()).fit(cov_type="cluster", cov_kwds={"groups": groups})
        variance = float(fit.cov_params()[1, 1])
    if any(issubclass(w.category, (ConvergenceWarning, PerfectSeparationWarning)) for w in caught):
        return *nothing, "evidence separates the choices without error; no finite slope"
    if not variance > 0:
        # Subtracting the covariance of their intersection can leave a negative number in small data.
        return float(fit.params[1]), np.nan, "the two-way covariance is not positive; too few clusters"
    return float(fit.params[1]), variance**0.5, ""
