"""Import of EuroEval results of every version: reported scores, intervals, and malformed lines reported by number."""

import json
from itertools import permutations
from pathlib import Path
from statistics import fmean, stdev

import pytest

VALUES = [0.55, 0.56, 0.58, 0.55, 0.56, 0.58, 0.58, 0.55, 0.58, 0.55]


def record(dataset="angry-tweets", model="org/model", values=VALUES, metrics=("mcc", "macro_f1"), prefix="", scale=100, **more):
    raw = [{f"{prefix}{metric}": value for metric in metrics} for value in values]
    spread = 1.96 * stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    total = {f"test_{metric}{end}": scale * value for metric in metrics for end, value in (("", fmean(values)), ("_se", spread))}
    return {
        "dataset": dataset,
        "task": "some-task",
        "dataset_languages": ["da"],
        "model": model,
        "results": {"raw": raw, "total": total},
        "num_model_parameters": 1000,
        "max_sequence_length": 512,
        "vocabulary_size": 30_000,
        "generative": True,
        "few_shot": True,
        "validation_split": False,
        "scandeval_version": "14.3.0",
    } | more


def ever(dataset="angry-tweets", model="org/model", values=VALUES):
    """Return the same record in the format of version 18."""
    old = record(dataset, model, values, prefix="test_")
    results = [
        {
            "evaluation_name": name,
            "source_data": {"dataset_name": dataset, "source_type": "hf_dataset"},
            "metric_config": {"lower_is_better": False},
            "score_details": {"score": old["results"]["total"][name], "uncertainty": {"confidence_interval": {"lower": 1.0, "upper": 2.0}}},
        }
        for name in ("test_mcc", "test_macro_f1")
    ]
    details = {
        "dataset": dataset,
        "languages": '["da"]',
        "task": "sentiment-classification",
        "few_shot": "true",
        "validation_split": "false",
        "scoring_method": "mcf",
        "raw_results": json.dumps(old["results"]["raw"]),
    }
    return {
        "schema_version": "0.2.1",
        "evaluation_id": f"{dataset}/{model}/1",
        "model_info": {"id": model, "name": model, "additional_details": {"num_model_parameters": "1000", "generative": "false"}},
        "eval_library": {"name": "euroeval", "version": "18.0.0", "additional_details": details},
        "evaluation_results": results,
    }


def beyond_numbers():
    """Return a version 18 result whose interval exceeds any float."""
    return {"evaluation_name": "mcc", "score_details": {"score": 1, "uncertainty": {"confidence_interval": {"lower": 0, "upper": 10**400}}}}


@pytest.fixture
def bring(board: Path, tmp_path: Path):
    """Import some lines as one file."""

    def go(*lines):
        from gluepot.board.importing import import_paths

        path = tmp_path / "results.jsonl"
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n", encoding="utf-8")
        return import_paths([path])

    return go


def score(task="angry-tweets", metric="mcc", **more):
    from gluepot.board.models import Score

    return Score.objects.get(task=task, metric=metric, current=True, **more)


def test_record_interval_comes_from_the_spread_between_resamples(bring):
    report = bring(record())
    assert [(line.kind, line.system, line.reported) for line in report.lines] == [("record", "org/model", 2)]
    found = score()
    half = 2.2621572 * stdev(VALUES) * (1 + 1 / 10) ** 0.5
    assert found.value == pytest.approx(fmean(VALUES))
    assert (found.low, found.high) == pytest.approx((fmean(VALUES) - half, fmean(VALUES) + half))
    assert (found.verified, found.replicates, found.split, found.n) == (False, None, "test", 2048)
    assert "ScandEval 14.3.0: mean of 10 resamples" in found.reason
    upstream = found.entry.details["upstream"]["angry-tweets/test/mcc"]
    assert upstream["half-width"] == pytest.approx(100 * 1.96 * stdev(VALUES) / 10**0.5)


def test_equal_repetitions_still_get_an_interval(bring):
    bring(record(values=[0.7] * 10))
    found = score()
    assert found.low < 0.7 < found.high


def test_every_format_version_gives_the_same_value(bring):
    shapes = [
        record(model="a"),
        record(model="b", prefix="test_"),
        record(model="c") | {"results": {"raw": {"test": [{"mcc": v} for v in VALUES]}, "total": {}}},
        {k: v for k, v in record(model="d").items() if k != "scandeval_version"} | {"euroeval_version": "16.2.0", "languages": ["da"]},
        ever(model="e"),
    ]
    report = bring(*shapes)
    assert report.problems == []
    for model in "abcde":
        assert score(entry__system__name=model).value == pytest.approx(fmean(VALUES))
    assert "EuroEval 18.0.0: mean of 10 fine-tunings" in score(entry__system__name="e").reason


def test_model_facts_are_stored_on_the_system(bring):
    from gluepot.board.models import System

    bring(record(model="gen"), record(model="enc", generative=False, num_model_parameters=-1), record(model="KB/bert-base-swedish-cased"))
    facts = {s.name: (s.family, s.parameters, s.role) for s in System.objects.all()}
    assert facts["gen"] == ("Decoder", 1000, "system")
    assert facts["enc"] == ("Encoder", None, "system")
    assert facts["KB/bert-base-swedish-cased"] == ("Encoder", 124_690_944, "system")


def test_upstream_ner_and_rouge_are_stored_as_separate_metrics(bring):
    bring(
        record("dansk", metrics=("micro_f1_no_misc", "micro_f1")),
        record("nordjylland-news", metrics=("bertscore", "rouge_l")),
    )
    assert "defect D1" in score("dansk", "span-f1-no-misc-scandeval14").reason
    assert score("dansk", "span-f1-scandeval14").value == pytest.approx(fmean(VALUES))
    assert score("nordjylland-news", "rouge-l-ascii").value == pytest.approx(fmean(VALUES))


def test_percentages_are_divided_and_their_interval_widened(bring):
    values = [100 * value for value in VALUES]
    bring(record("scandiqa-da", metrics=("f1", "em"), values=values, scale=1))
    found = score("scandiqa-da", "token-f1")
    assert found.value == pytest.approx(fmean(VALUES))
    assert found.high - found.value == pytest.approx(2.2621572 * stdev(VALUES) * (1.7182818 + 0.1) ** 0.5)
    assert "defect D2" in found.reason


def test_single_iteration_has_no_interval_and_its_nan_is_accepted(bring):
    line = json.dumps(record(values=[0.5]))
    assert "NaN" in line
    assert bring(line).problems == []
    found = score()
    assert (found.value, found.low, found.high) == (0.5, None, None)
    assert "a single iteration" in found.reason


def test_other_datasets_are_counted_and_skipped(bring):
    report = bring(record(), record("suc3"), record("suc3", "other"), record("norec"))
    assert len(report.lines) == 1
    assert report.problems == []
    assert report.notices == ["results.jsonl: 3 records of 2 other datasets left out, most of suc3, norec"]


def test_validation_split_and_zero_shot_are_stored_separately(bring):
    old = {k: v for k, v in record(model="m (few-shot, val)").items() if k not in ("few_shot", "validation_split", "generative")}
    bring(record(model="m", validation_split=True), record(model="z", few_shot=False), old | {"dataset": "scala-da"})
    assert score(entry__system__name="m").split == "val"
    assert score(entry__system__name="z (zero-shot)").split == "test"
    assert score("scala-da", entry__system__name="m").split == "val"


def test_newer_version_wins_in_any_line_order(bring):
    bring(record(values=[0.9] * 10, scandeval_version="14.10.0"), record(values=[0.1] * 10, scandeval_version="14.9.0"))
    assert score().value == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("not json", "broken-json", "not JSON"),
        ("[1, 2]", "wrong-type", "an array"),
        ('{"a": NaN, "b" 1}', "broken-json", "not JSON"),
        ('{"dataset": Infinity}', "not-a-number", "Infinity"),
        ('{"dataset": "angry-tweets"}', "wrong-type", "missing required field `model`"),
        ('{"dataset": "a", "dataset": "b", "model": "m", "results": {}}', "duplicate-key", "occurs twice"),
        (json.dumps(record(dataset=7)), "wrong-type", "Expected `str`"),
        (json.dumps(record() | {"results": {"raw": "x"}}), "wrong-type", "results.raw"),
        (json.dumps(record() | {"results": {"raw": []}}), "odd-record", "no iteration has a metric"),
        (json.dumps(record() | {"results": {"raw": [{"mcc": "high"}]}}), "odd-record", "no number for it"),
        (json.dumps(record() | {"results": {"raw": [{"mcc": 0.5}, {}]}}), "odd-record", "no number for it"),
        (json.dumps(record() | {"results": {"raw": [{"mcc": True}]}}), "odd-record", "no number for it"),
        (json.dumps(record() | {"results": {"raw": [{"mcc": 10**400}]}}), "odd-record", "no number for it"),
        (json.dumps(record() | {"results": {"raw": [{"mcc": 7}]}}), "odd-record", "off its scale"),
        (json.dumps(record() | {"results": {"raw": [{"mcc": 0.5}], "total": {"test_mcc": 70}}}), "odd-record", "does not follow"),
        (json.dumps(ever() | {"model_info": None}), "wrong-type", "not a EuroEval record"),
        (json.dumps(ever() | {"eval_library": {"additional_details": {"raw_results": "["}}}), "wrong-type", "not a EuroEval record"),
        (
            json.dumps(ever() | {"model_info": {"id": "m", "additional_details": {"num_model_parameters": "∞"}}}).replace(
                '"\\u221e"', "1e999"
            ),
            "wrong-type",
            "OverflowError",
        ),
        (json.dumps(ever() | {"evaluation_results": [beyond_numbers()]}), "wrong-type", "OverflowError"),
        (json.dumps(record(scandeval_version="9" * 900_000)), "wrong-type", "scandeval_version"),
        (json.dumps(record(scoring_method="x" * 900_000)), "wrong-type", "scoring_method"),
        ('{"a":' * 100_000, "too-deep", "nested"),
        ('{"model": "\\ud800"}', "not-utf8", "half a character"),
    ],
)
def test_malformed_line_is_reported_by_number_and_the_rest_is_imported(bring, line, code, told):
    report = bring(record(model="first"), line, record("scala-da", model="last"))
    assert [entry.system for entry in report.lines] == ["first", "last"]
    [problem] = report.problems
    assert (problem.code, problem.line) == (code, 2)
    assert problem.file.endswith("results.jsonl")
    assert told in problem.message


def test_control_characters_in_a_name_are_escaped(bring):
    from gluepot.board.models import System

    report = bring(record(model="evil\x1b[31m\u202e"))
    assert report.problems == []
    assert "\x1b" not in System.objects.get().name


def test_leading_empty_line_is_accepted(bring):
    assert len(bring("", record()).lines) == 1


def test_number_out_of_database_range_does_not_block_other_models(bring, monkeypatch):
    from gluepot.published.importing import euroeval

    real = euroeval.model_facts

    def huge(suite, name, records):
        from msgspec.structs import replace

        return replace(real(suite, name, records), parameters=10**30 if name == "huge" else 1)

    monkeypatch.setattr(euroeval, "model_facts", huge)
    report = bring(record(model="huge"), record(model="other"))
    assert [line.system for line in report.lines] == ["other"]
    assert "huge: the database refuses it" in report.problems[0].message


def test_the_same_records_are_one_entry(bring):
    bring(record())
    assert [line.state for line in bring(record(), record("suc3")).lines] == ["already there"]


def versioned(folder: Path, **values: float) -> list[Path]:
    """Write one model's records of one dataset, one file per version."""
    made = []
    for name, value in values.items():
        version = name.strip("v").replace("_", ".")
        line = record(values=[value + number / 1000 for number in range(10)], metrics=("mcc",), scandeval_version=version)
        made.append(folder / f"{name}.jsonl")
        made[-1].write_text(json.dumps(line) + "\n", encoding="utf-8")
    return made


@pytest.mark.parametrize("last", ["v14_4_0", "v15_10"])
def test_same_version_wins_in_any_order_and_file_layout(board: Path, tmp_path: Path, last: str) -> None:
    """The suite's own version is preferred, then the newest by numeric comparison."""
    from gluepot.board.importing import import_paths
    from gluepot.board.models import Score, System

    files = versioned(tmp_path, v13_0_0=0.3, v15_9=0.5, **{last: 0.4})
    (tmp_path / "all").mkdir()
    for number, order in enumerate(permutations(files)):
        together = tmp_path / "all" / f"{number}.jsonl"
        together.write_text("".join(path.read_text() for path in order))
        for places in (order, [together]):
            System.objects.all().delete()
            import_paths(places, replace=True)
            assert Score.objects.get(current=True, metric="mcc").value == pytest.approx(0.4045)
