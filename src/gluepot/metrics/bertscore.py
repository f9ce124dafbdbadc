"""BERTScore: mean F1 of the contextual embeddings of a summary and its reference, with a local model."""

from collections.abc import Sequence
from importlib.util import find_spec

from gluepot.metrics import Unavailable
from gluepot.metrics.sample import Means


class BertScore(Means):
    """Mean F1 of bert_score with microsoft/mdeberta-v3-base, without rescaling."""

    def __init__(self, gold: Sequence[str | Sequence[str]], predicted: Sequence[str], model: str = "microsoft/mdeberta-v3-base") -> None:
        if find_spec("bert_score") is None:
            raise Unavailable("bertscore needs the bert_score package and torch: pip install 'gluepot[bertscore]'.")
        from bert_score import BERTScorer

        try:
            scorer = BERTScorer(model_type=model, num_layers=None, rescale_with_baseline=False)
        except OSError as error:
            raise Unavailable(f"bertscore needs the model {model}, which is not on this machine: {error}") from error
        references = [[g] if isinstance(g, str) else list(g) for g in gold]
        _, _, f1 = scorer.score(list(predicted), references, batch_size=32)
        super().__init__(f1.tolist())
