"""A system is identified by its manifest: different systems never share a row, whatever they and their folders are named."""

from pathlib import Path

import pytest

from gluepot import __version__
from gluepot.runs.storage.manifest import Identity
from gluepot.runs.storage.old_manifests import record_of


def run(model: str, suite: str = "pocket", protocol: str = "suite", fingerprint: str | None = None, **more) -> Identity:
    fixed = {"version": "1", "split": "test", "seeds": [0], "tasks": [], "limit": None, "data": {}, "code": "", "gluepot": __version__}
    more["members"] = list(map(record_of, more.get("members", ())))
    return Identity(suite=suite, model=record_of(model), protocol=protocol, model_fingerprint=fingerprint, **fixed, **more)


@pytest.fixture
def bring(board):
    from gluepot.board.importing import import_paths

    def bring(*paths: Path, **wishes):
        return import_paths(paths, **wishes)

    return bring


def rows() -> dict[str, int]:
    """Return the number of current scores by system name."""
    from gluepot.board.models import Score, System

    return {system.name: Score.objects.filter(entry__system=system, current=True).count() for system in System.objects.all()}


def codes(report) -> list[str]:
    return [problem.code for problem in report.problems]


@pytest.mark.parametrize(
    ("identity", "name"),
    [
        (run("tfidf-svm"), "tfidf-svm"),
        (run("encoder:KB/bert-base-swedish-cased"), "KB/bert-base-swedish-cased"),
        (run("encoder:KB/bert-base-swedish-cased", "superlim", "superlim"), "KB/bert-base-swedish-cased"),
        (run("encoder:KB/bert-base-swedish-cased", "superlim", "quick"), "KB/bert-base-swedish-cased (protocol quick)"),
        (run("encoder:../weights/my-bert", fingerprint="ab"), "my-bert"),
        (run("vectors:/data/wiki.vec", fingerprint="ab"), "vectors:wiki.vec"),
        (run("lm:org/model --shots 5 --wording 2"), "org/model (shots 5, prompt 2)"),
        (run("api:gpt-9@https://user:key@api.example/v1?k=1 --shots 0"), "gpt-9 (shots 0)"),
        (run("command:./solve.py --fast a/b/c"), "command:./solve.py --fast a/b/c"),
        (run("predictions:here/answers", fingerprint="ab"), "answers"),
        (run("ensemble:runs/a,runs/b", fingerprint="ab"), "ensemble of a + b"),
        (
            run("ensemble:runs/a,runs/b,runs/c", fingerprint="ab", members=["encoder:KB/bert", "encoder:./m/x", "encoder:KB/bert"]),
            "ensemble of KB/bert ×2 + x",
        ),
        (run("never-heard-of:x"), "never-heard-of:x"),
    ],
)
def test_system_name_combines_model_and_distinguishing_settings(board_folder, identity, name):
    from gluepot.board.importing.systems.identity import system_name

    assert system_name(identity) == name


def test_identity_depends_on_the_weights_and_not_on_their_location(board_folder):
    from gluepot.board.importing.systems.identity import identity_of

    assert identity_of(run("encoder:./a/bert", fingerprint="x")) == identity_of(run("encoder:/b/other", "superlim", fingerprint="x"))
    assert identity_of(run("encoder:./a/bert", fingerprint="x")) != identity_of(run("encoder:./a/bert", fingerprint="y"))
    assert identity_of(run("encoder:org/m", "superlim", "superlim")) == identity_of(run("encoder:org/m", "basqueglue", "basqueglue"))
    assert identity_of(run("encoder:org/m", "superlim", "quick")) != identity_of(run("encoder:org/m", "superlim", "superlim"))
    assert identity_of(run("lm:org/m --shots 1")) != identity_of(run("lm:org/m --shots 2"))
    assert "key" not in str(identity_of(run("api:m@https://user:key@api.example/v1?token=key")))


def test_former_name_of_the_prompt_setting_is_equivalent(board_folder):
    from gluepot.board.importing.systems.identity import identity_of

    assert identity_of(run("lm:org/m --wording 2")) == identity_of(run("lm:org/m --prompt 2"))


def test_migration_renames_the_prompt_setting(bring, make_run):
    from importlib import import_module

    from django.apps import apps

    from gluepot.board.models import System

    bring(make_run("lm:org/model --shots 5 --wording 2", tasks=("stance-sv",)))
    System.objects.update(identity={"adapter": "lm", "argument": "org/model", "settings": {"shots": "5", "wording": "2"}})
    import_module("gluepot.board.migrations.0005_prompt").rename(apps, None)
    assert bring(make_run("lm:org/model --shots 5 --prompt 2", tasks=("entailment-ru",))).problems == []
    assert System.objects.count() == 1


def test_ensemble_is_a_separate_system_and_does_not_change_its_members(bring, make_run):
    bring(make_run("encoder:org/one", wrong=0.2), make_run("encoder:org/two", wrong=0.4))
    before = shown("org/two")
    report = bring(make_run("ensemble:runs/one,runs/two", wrong=0.1, fingerprint="ab", members=["encoder:org/one", "encoder:org/two"]))
    assert [line.system for line in report.lines] == ["ensemble of org/one + org/two"]
    assert shown("org/two") == before
    assert set(rows()) == {"org/one", "org/two", "ensemble of org/one + org/two"}


def shown(system: str) -> list[tuple[str, str, float]]:
    from gluepot.board.models import Score

    found = Score.objects.filter(entry__system__name=system, current=True).order_by("task", "metric")
    return list(found.values_list("task", "metric", "value"))


@pytest.mark.parametrize("tasks", [("stance-sv", "paraphrase-sv", "entailment-ru"), ("word-sense-sv",)])
def test_other_weights_of_the_same_name_are_refused_even_where_no_number_changes(bring, make_run, tasks):
    bring(make_run("encoder:./my-bert", fingerprint="aaaa"))
    before = shown("my-bert")
    report = bring(make_run("encoder:./my-bert", wrong=0.1, fingerprint="bbbb", tasks=tasks))
    assert codes(report) == ["other-system"]
    assert "'my-bert' is another system on this board (fingerprint: aaaa there, bbbb here)" in report.problems[0].message
    assert "--name" in report.problems[0].hint
    assert shown("my-bert") == before
    assert set(rows()) == {"my-bert"}


def test_explicit_name_creates_a_row_that_later_runs_join(bring, make_run):
    bring(make_run("encoder:./my-bert", fingerprint="aaaa"))
    bring(make_run("encoder:./my-bert", wrong=0.1, fingerprint="bbbb"), name="My BERT, second try")
    report = bring(make_run("encoder:/elsewhere/bert", fingerprint="bbbb", tasks=("word-sense-sv",)))
    assert [line.system for line in report.lines] == ["My BERT, second try"]
    assert set(rows()) == {"my-bert", "My BERT, second try"}


def test_replacing_a_system_hides_every_score_of_the_old_one(bring, make_run):
    from gluepot.board.models import Answers, Entry

    first = make_run("encoder:./my-bert", fingerprint="aaaa")
    bring(first)
    report = bring(make_run("encoder:./my-bert", wrong=0.1, fingerprint="bbbb", tasks=("stance-sv",)), replace=True)
    assert report.problems == []
    assert {task for task, _, _ in shown("my-bert")} == {"stance-sv"}
    assert {change.task for change in report.changes if change.new is None} == {"paraphrase-sv", "entailment-ru"}
    assert set(Answers.objects.filter(current=True).values_list("task", flat=True)) == {"stance-sv"}
    again = bring(first, replace=True)
    assert [line.state for line in again.lines] == ["imported"]
    assert {task for task, _, _ in shown("my-bert")} == {"stance-sv", "paraphrase-sv", "entailment-ru"}
    assert Entry.objects.filter(superseded=False).count() == 1


def test_same_hub_name_with_another_use_is_another_system(bring, make_run):
    bring(make_run("encoder:org/model"))
    assert codes(bring(make_run("lm:org/model", wrong=0.1))) == ["other-system"]
    assert bring(make_run("lm:org/model --shots 5", wrong=0.1)).problems == []
    assert bring(make_run("encoder:org/model", wrong=0.1, protocol="superlim")).problems == []
    assert set(rows()) == {"org/model", "org/model (shots 5)", "org/model (protocol superlim)"}


def test_a_run_on_more_tasks_belongs_to_the_same_row(bring, make_run):
    bring(make_run("encoder:./my-bert", fingerprint="aaaa", tasks=("stance-sv",)))
    assert bring(make_run("encoder:./my-bert", fingerprint="aaaa", tasks=("entailment-ru",))).problems == []
    assert {task for task, _, _ in shown("my-bert")} == {"stance-sv", "entailment-ru"}


def test_folder_name_alone_joins_no_row(bring, make_run, tmp_path):
    bring(make_run("tfidf-svm"))
    answers_in(tmp_path / "tfidf-svm", "word-sense-sv")
    report = bring(tmp_path / "tfidf-svm")
    assert codes(report) == ["other-system"]
    assert "nothing but the name says that this is the same" in report.problems[0].message
    assert bring(tmp_path / "tfidf-svm", name="tfidf-svm").problems == [], "somebody says that it is"


def test_folders_of_one_name_are_one_system_only_if_their_answers_agree(bring, tmp_path):
    answers_in(tmp_path / "a" / "predictions", "stance-sv")
    answers_in(tmp_path / "b" / "predictions", "word-sense-sv")
    assert bring(tmp_path / "a" / "predictions").problems == []
    assert codes(bring(tmp_path / "b" / "predictions")) == ["other-system"]
    answers_in(tmp_path / "a" / "predictions", "entailment-ru")
    assert bring(tmp_path / "a" / "predictions").problems == [], "the old answers are all in it"
    assert {task for task, _, _ in shown("predictions")} == {"stance-sv", "entailment-ru"}


def answers_in(folder: Path, name: str) -> None:
    from tests.board.importing.sources.test_submissions import write_answers

    write_answers(folder, name)


def test_the_same_run_has_one_name_and_can_be_renamed(bring, make_run):
    folder = make_run("tfidf-svm")
    bring(folder)
    report = bring(folder, name="Our SVM")
    assert codes(report) == ["named-otherwise"]
    assert "already, as 'tfidf-svm'" in report.problems[0].message
    assert [line.system for line in bring(folder, name="Our SVM", replace=True).lines] == ["Our SVM"]
    assert [(line.system, line.state) for line in bring(folder).lines] == [("Our SVM", "already there")]
    assert set(rows()) == {"Our SVM"}


def test_trivial_model_stays_trivial_under_any_name(bring, make_run):
    from gluepot.board.models import System

    bring(make_run("majority"), name="Champion")
    assert System.objects.get().role == "trivial"


def test_name_option_accepts_only_one_system(bring, make_run):
    from gluepot.errors import WrongUse

    with pytest.raises(WrongUse, match="--name names one system, and 2 things were found"):
        bring(make_run(), make_run("b"), name="x")
    assert rows() == {}


def test_migration_takes_identities_from_manifests(bring, make_run):
    from importlib import import_module

    from django.apps import apps

    from gluepot.board.models import System

    bring(make_run("encoder:./my-bert", fingerprint="aaaa"))
    known = System.objects.get().identity
    System.objects.update(identity={})
    import_module("gluepot.board.migrations.0002_identity").take_from_manifests(apps, None)
    assert System.objects.get().identity == known == {"adapter": "encoder", "fingerprint": "aaaa"}
