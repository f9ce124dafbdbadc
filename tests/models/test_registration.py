"""Adapter classes match their declarations: settings, streaming, shots, saving and loading."""

import re
from argparse import ArgumentParser
from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, signature

import pytest

from gluepot.cli.console.settings import add_settings, given_settings
from gluepot.errors import GluepotError, WrongUse
from gluepot.models import ADAPTERS, AdapterInfo, libraries_of, parse_model
from gluepot.models.command import make_limits, make_sandbox
from gluepot.models.names import grant_api_key
from gluepot.models.prompted import PromptSettings

MADE = [name for name in ADAPTERS if not ADAPTERS[name].live]


def class_of(name: str) -> type:
    module, _, own = ADAPTERS[name].code.partition(":")
    for library in ("torch", "transformers") if ADAPTERS[name].needs == "torch" else ("httpx",) if ADAPTERS[name].needs else ():
        pytest.importorskip(library, reason=f"{library} is not installed")
    found: type = getattr(import_module(module), own)
    return found


HANDED_ON: dict[str, Callable[..., object]] = {"fence": make_sandbox, "limits": make_limits}


def parameters_of(made: Callable[..., object]) -> set[str]:
    """Return the parameter names, including those of the callables that keyword arguments are passed to."""
    taken = signature(made).parameters.values()
    others = [parameters_of(HANDED_ON.get(one.name, PromptSettings)) for one in taken if one.kind is Parameter.VAR_KEYWORD]
    return {one.name for one in taken if one.kind is not Parameter.VAR_KEYWORD}.union(*others)


@pytest.mark.parametrize("name", MADE)
def test_adapter_class_takes_exactly_the_declared_settings(name: str) -> None:
    info, named = ADAPTERS[name], parameters_of(class_of(name))
    declared = {setting.name for setting in info.settings}
    declared |= {"settings"} if info.tuned else set()
    declared |= {"suite", "split"} if info.reads_answers else set()
    assert named - {"name", "argument", "seed"} == declared


@pytest.mark.parametrize("name", MADE)
def test_adapter_class_has_the_declared_capabilities(name: str) -> None:
    info, made = ADAPTERS[name], class_of(name)
    assert info.streams == hasattr(made, "stream")
    assert info.draws_shots == hasattr(made, "avoid")
    assert info.tuned == all(hasattr(made, method) for method in ("save", "load", "count_cut"))


def test_invalid_setting_is_refused_with_the_accepted_values() -> None:
    assert parse_model("lm:x", shots=5, answers="text").settings == (("shots", 5), ("answers", "text"))
    assert parse_model("api:m@http://h/v1", budget=2).settings == (("budget", 2.0),)
    for wrong, said in (({"shots": -1}, "whole number from 0 to 1,000"), ({"shots": "5"}, "whole number"), ({"answers": "txt"}, "'text'")):
        with pytest.raises(WrongUse, match=said):
            parse_model("lm:x", **wrong)
    with pytest.raises(WrongUse, match=r"lm takes no --batch-size"):
        parse_model("lm:x", batch_size=8)


def test_former_name_of_a_setting_is_accepted() -> None:
    assert str(parse_model("lm:x", wording=2)) == str(parse_model("lm:x", prompt=2)) == "lm:x --prompt 2"


@pytest.mark.parametrize(("word", "meant"), [("float32", "fp32"), ("bfloat16", "bf16"), ("float16", "fp16"), ("auto", "auto")])
def test_precision_accepts_the_names_of_torch(word: str, meant: str) -> None:
    assert parse_model("lm:x", dtype=word).settings == parse_model("lm:x", precision=meant).settings == (("precision", meant),)
    parser = ArgumentParser()
    add_settings(parser)
    assert given_settings(parser.parse_args(["--dtype", word])) == {"precision": meant}


def test_settings_without_effect_on_predictions_are_not_part_of_the_name() -> None:
    model = grant_api_key(parse_model("api:m@http://h/v1", price="1,2", budget=3.0, shots=0))
    assert dict(model.settings)["key_address"] == "http://h/v1"
    assert str(model) == "api:m@http://h/v1 --shots 0"


def test_live_models_cannot_be_named_on_the_command_line() -> None:
    with pytest.raises(WrongUse, match="no model 'function'"):
        parse_model("function:os.remove")


@pytest.mark.parametrize(("code", "brings"), [("gluepot.models.lm.adapter:X", "gluepot[extra]"), ("gluepot_own:X", "extra")])
def test_missing_library_error_names_the_package_to_install(code: str, brings: str) -> None:
    told = re.escape(f"own needs no_such_library: pip install '{brings}'")
    with pytest.raises(GluepotError, match=told), libraries_of(AdapterInfo("own", code, "", needs="extra")):
        import_module("no_such_library")


def test_missing_gluepot_module_is_not_reported_as_a_missing_library() -> None:
    with pytest.raises(ModuleNotFoundError), libraries_of(AdapterInfo("own", "gluepot.models.own:X", "", needs="extra")):
        import_module("gluepot.no_such_module")
