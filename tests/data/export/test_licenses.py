"""Licences that permit or forbid the redistribution of data."""

from pathlib import Path

import pytest

from gluepot.data.export.licenses import header_fields, judge_license, judge_tasks
from gluepot.tasks.declarations import load_suite, load_suites

PERMITTED = {
    "Apache-2.0": "apache-2.0",
    "CC BY 4.0": "cc-by-4.0",
    "cc-by-sa-4.0": "cc-by-sa-4.0",
    "CC-BY-NC-SA-4.0": "cc-by-nc-sa-4.0",
    "CC0": "cc0-1.0",
    "CC0-1.0": "cc0-1.0",
    "MIT License": "mit",
    "GPL-3.0-or-later": "gpl-3.0",
    "ODbL-1.0": "odbl",
    "ODC-By-1.0": "odc-by",
    "CDLA-Permissive-2.0": "cdla-permissive-2.0",
    "https://creativecommons.org/licenses/by/4.0/": "cc-by-4.0",
    "https://creativecommons.org/publicdomain/zero/1.0/": "cc0-1.0",
    "Creative Commons Attribution-ShareAlike 4.0 International License": "cc-by-sa-4.0",
    "Creative Commons Zero v1.0 Universal": "cc0-1.0",
    "CC-BY": "other",
    "CC-BY-SA-2.0": "other",
    "CC-BY-3.0-IGO": "other",
    "NLOD-2.0": "other",
    "EUPL-1.2": "other",
    "Public Domain": "other",
}
REFUSED = {
    "": "no licence is known",
    "unknown": "no licence is known",
    "LicenseRef-unknown": "no licence is known",
    "NOASSERTION": "no licence is known",
    "CC-BY-ND-4.0": "forbids adapted versions",
    "CC BY-NC-ND 4.0": "forbids adapted versions",
    "Creative Commons Attribution-NonCommercial-NoDerivatives 4.0": "forbids adapted versions",
    "Free for all, no derivatives": "forbids adapted versions",
    "All rights reserved": "forbids passing the data on",
    "© Somebody 2026. All Rights Reserved.": "forbids passing the data on",
    "LicenseRef-Proprietary": "forbids passing the data on",
    "Research only": "forbids passing the data on",
    "for research purposes only": "forbids passing the data on",
    "LicenseRef-research-use-only": "forbids passing the data on",
    "Not for redistribution": "forbids passing the data on",
    "LicenseRef-STS-Benchmark": "not among the licences",
    "llama2": "not among the licences",
}


@pytest.mark.parametrize("declared", PERMITTED)
def test_a_permissive_licence_maps_to_the_identifier_of_the_hub(declared: str) -> None:
    permission = judge_license(declared)
    assert not permission.refusal
    assert [one.hub for one in permission.licenses] == [PERMITTED[declared]]


@pytest.mark.parametrize("declared", REFUSED)
def test_a_prohibitive_or_unknown_licence_is_refused_with_the_reason(declared: str) -> None:
    permission = judge_license(declared)
    assert REFUSED[declared] in permission.refusal
    assert not permission.licenses


def test_and_requires_both_licences_and_or_requires_one() -> None:
    assert [one.hub for one in judge_license("MIT AND (CC0-1.0 OR CC-BY-ND-4.0)").licenses] == ["mit", "cc0-1.0"]
    assert "forbids" in judge_license("MIT AND CC-BY-ND-4.0").refusal
    assert [one.hub for one in judge_license("(LicenseRef-Own OR MIT)").licenses] == ["mit"]
    assert [one.hub for one in judge_license("GPL-2.0-only WITH Classpath-exception-2.0").licenses] == ["gpl-2.0"]


def test_an_unrecognised_licence_is_accepted_by_name_but_not_a_prohibitive_one() -> None:
    permission = judge_license("LicenseRef-Own", accepted=["licenseref-own"])
    assert header_fields(permission.licenses) == {"license": "other", "license_name": "LicenseRef-Own"}
    assert judge_license("CC-BY-ND-4.0", accepted=["CC-BY-ND-4.0"]).refusal
    assert judge_license("unknown", accepted=["unknown"]).refusal


def test_noncommercial_licences_are_marked() -> None:
    assert judge_license("CC-BY-NC-4.0").licenses[0].noncommercial
    assert not judge_license("CC-BY-SA-4.0").licenses[0].noncommercial


def test_a_card_names_all_licences_and_links_the_one_unknown_to_the_hub() -> None:
    licenses = [one for name in ("MIT", "NLOD-2.0", "MIT") for one in judge_license(name).licenses]
    assert header_fields(licenses) == {
        "license": ["mit", "other"],
        "license_name": "NLOD-2.0",
        "license_link": "https://spdx.org/licenses/NLOD-2.0.html",
    }


def test_two_of_the_bundled_tasks_are_refused() -> None:
    """Licences of all declared tasks; a new task must be reviewed here."""
    permitted, refused = {}, {}
    for suite in load_suites():
        licenses, reasons = judge_tasks(suite, suite.tasks.values())
        refused |= reasons
        permitted |= {f"{suite.name}/{name}": one for name, one in licenses.items() if f"{suite.name}/{name}" not in reasons}
    assert set(refused) == {"scandeval-da/dansk", "superlim/sweparaphrase"}
    assert "no licence is known" in refused["scandeval-da/dansk"]
    assert "--accept-license LicenseRef-STS-Benchmark" in refused["superlim/sweparaphrase"]
    assert {one.hub for found in permitted.values() for one in found} == {
        "apache-2.0",
        "cc-by-4.0",
        "cc-by-nc-4.0",
        "cc-by-nc-sa-4.0",
        "cc-by-sa-4.0",
        "cc0-1.0",
        "mit",
    }
    assert len(permitted) == 59


def test_the_licence_of_a_suite_binds_all_tasks_unless_it_is_that_of_a_task(faroe: Path) -> None:
    folder = faroe
    declaration = (folder / "suite.toml").read_text()
    (folder / "suite.toml").write_text(declaration.replace("CC0-1.0", "All rights reserved"))
    suite = load_suite(folder)
    assert list(judge_tasks(suite, suite.tasks.values())[1]) == ["faroe"]
    (folder / "suite.toml").write_text(declaration.replace("CC0-1.0", "CC0-1.0 AND LicenseRef-unknown"))
    pairs = folder / "pairs" / "task.toml"
    pairs.write_text(pairs.read_text().replace("CC0-1.0", "LicenseRef-unknown"))
    suite = load_suite(folder)
    assert list(judge_tasks(suite, suite.tasks.values())[1]) == ["faroe/pairs"]


def test_a_suite_of_unknown_licence_defers_to_its_tasks(faroe: Path) -> None:
    (faroe / "suite.toml").write_text((faroe / "suite.toml").read_text().replace("CC0-1.0", "unknown"))
    suite = load_suite(faroe)
    assert not judge_tasks(suite, suite.tasks.values())[1]
