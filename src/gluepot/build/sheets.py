"""Documentation sheet of a built task: its construction, with all counts."""

from collections.abc import Mapping, Sequence

from gluepot.build.artefacts.report import Artefact
from gluepot.build.licences import license_obligations
from gluepot.build.maker import Maker, Row
from gluepot.build.workbench import Workbench
from gluepot.data.scaffolding.writing import TEMPLATE_VERSION, today


def describe(
    maker: Maker, bench: Workbench, splits: Mapping[str, Sequence[Row]], licence: str, artefacts: Sequence[Artefact]
) -> dict[str, str]:
    """Return the fields of the sheet that follow from the construction of a task."""
    keys = ", ".join(dict.fromkeys(name for rows in splits.values() for row in rows for name in row))
    inputs = ", ".join(path.name for path in bench.inputs)
    settings = ", ".join(f"{name} {value}" for name, value in bench.options.items() if value not in ("", [], None))
    steps = "; ".join(f"{name}: {left:,}" for name, left in bench.filters)
    return {
        "Created by": f"`gluepot build {maker.name}`. Who ran it puts a name here.",
        "Publisher(s)": "Not published yet.",
        "Abstract": maker.summary,
        "Funded by": "Not stated.",
        "Primary data": "Text.",
        "Nature of the content": f"{maker.summary} Made from {inputs}.",
        "Format": f"JSON Lines; keys {keys}. UTF-8. Spans are half-open and counted from 0.",
        "Data source(s)": f"{inputs} ({maker.takes}). Licence: {licence}. {license_obligations(licence)}".rstrip(),
        "Data collection method(s)": f"Made by `gluepot build {maker.name}`{f' with {settings}' if settings else ''}; seed {bench.seed}.",
        "Data selection and filtering": f"What is left after each step: {steps}." if steps else "Nothing was filtered.",
        "Data preprocessing": "; ".join(bench.notes) + "." if bench.notes else "None beyond the construction.",
        "Data labeling": maker.labelling,
        "Things to watch out for": _watch_out(artefacts),
        "Data last updated": today(),
        "Which changes have been made, compared to the previous version": "None: this is the first version.",
        "This document created": today(),
        "This document last updated": today(),
        "Documentation template version": TEMPLATE_VERSION,
    }


def _watch_out(artefacts: Sequence[Artefact]) -> str:
    told = [f"{one.rule} {one.accuracy:.2f} (chance {one.chance:.2f})" for one in artefacts if one.tells]
    if not artefacts:
        return "No one-feature rule was tried."
    return (
        f"Rules that look at one feature and are better than chance: {', '.join(told)}."
        if told
        else "No one-feature rule is better than chance."
    )
