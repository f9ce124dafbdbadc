"""Croissant metadata: files with checksums, one record set per task with typed fields, splits as an enumeration."""

import json
import re
from collections.abc import Iterable
from datetime import date
from typing import Any

from gluepot.data.export.columns import LABEL, Column
from gluepot.data.export.layout import ExportedSuite, ExportedTask
from gluepot.data.export.tables import MEDIA_TYPES
from gluepot.tasks.sheets import load_sheet

VERSION = "http://mlcommons.org/croissant/1.0"
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""Standard context of Croissant 1.0."""
_TYPES = {"string": "sc:Text", LABEL: "sc:Text", "int64": "sc:Integer", "float64": "sc:Float", "bool": "sc:Boolean"}
_SPLITS = {
    "train": "cr:TrainingSplit",
    "validation": "cr:ValidationSplit",
    "dev": "cr:ValidationSplit",
    "val": "cr:ValidationSplit",
    "test": "cr:TestSplit",
}
_UPDATED = "Data last updated*"


def make_croissant(exported: ExportedSuite) -> str:
    """Return the text of croissant.json, with declared metadata only."""
    suite = exported.suite
    licenses = list(dict.fromkeys(one.url or one.name for one in exported.licenses))
    fields: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": VERSION,
        "name": suite.title,
        "description": suite.summary,
        "url": suite.link if "://" in suite.link else None,
        "license": licenses[0] if len(licenses) == 1 else licenses,
        "citeAs": suite.citation,
        "version": suite.version,
        "dateModified": _last_update(exported.tasks),
        "inLanguage": exported.languages,
        "keywords": list(dict.fromkeys(word for one in exported.tasks for word in (one.task.kind, *one.task.domain))),
        "distribution": [node for one in exported.tasks for node in _distribution(one, exported.format)],
        "recordSet": [_split_set(one) for one in exported.tasks] + [_record_set(one, exported.format) for one in exported.tasks],
    }
    return json.dumps({key: value for key, value in fields.items() if value}, ensure_ascii=False, indent=2) + "\n"


def _distribution(one: ExportedTask, format_: str) -> Iterable[dict[str, Any]]:
    media = MEDIA_TYPES[format_]
    for split in one.splits:
        yield {
            "@type": "cr:FileObject",
            "@id": split.path,
            "name": split.path,
            "contentUrl": split.path,
            "contentSize": f"{split.bytes} B",
            "encodingFormat": media,
            "sha256": split.sha256,
        }
    yield {
        "@type": "cr:FileSet",
        "@id": f"{one.task.name}/files",
        "name": f"{one.task.name}/files",
        "description": f"The files of {one.task.title}, one a split.",
        "encodingFormat": media,
        "includes": [split.path for split in one.splits],
    }


def _split_set(one: ExportedTask) -> dict[str, Any]:
    """Return the record set of a task's splits, with Croissant's own types if it has one for each of them."""
    name, key, url = f"{one.task.name}/splits", f"{one.task.name}/splits/name", f"{one.task.name}/splits/url"
    rows = [{key: split.hub_name, url: _SPLITS.get(split.hub_name.partition("_")[0])} for split in one.splits]
    fields = [{"@type": "cr:Field", "@id": key, "name": "name", "dataType": "sc:Text"}]
    if all(row[url] for row in rows):
        fields.append({"@type": "cr:Field", "@id": url, "name": "url", "dataType": "sc:URL"})
    known = [field["@id"] for field in fields]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "dataType": "cr:Split",
        "description": f"The splits of {one.task.title}.",
        "key": {"@id": key},
        "field": fields,
        "data": [{field: row[field] for field in known} for row in rows],
    }


def _record_set(one: ExportedTask, format_: str) -> dict[str, Any]:
    name, source = one.task.name, {"fileSet": {"@id": f"{one.task.name}/files"}}
    # The pattern fits a path and a split alike: mlcroissant applies it a second time to fields that reference another one.
    path = rf"^(?:.*/)?([^/]+?)(?:\.{format_})?$"
    split = {
        "@type": "cr:Field",
        "@id": f"{name}/split",
        "name": "split",
        "description": "the split that the item is in",
        "dataType": "sc:Text",
        "source": {**source, "extract": {"fileProperty": "fullpath"}, "transform": {"regex": path}},
        "references": {"field": {"@id": f"{name}/splits/name"}},
    }
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{one.task.title}. {one.task.summary}",
        "key": [{"@id": f"{name}/split"}, {"@id": f"{name}/id"}],
        "field": [split, *(_field(name, column, source) for column in one.columns)],
    }


def _field(name: str, column: Column, source: dict[str, Any]) -> dict[str, Any]:
    field = {
        "@type": "cr:Field",
        "@id": f"{name}/{column.name}",
        "name": column.name,
        "description": column.meaning,
        "dataType": _TYPES[column.type],
        "source": {**source, "extract": {"column": column.name}},
    }
    return field | {"repeated": True} if column.depth else field


def _last_update(tasks: Iterable[ExportedTask]) -> str | None:
    """Return the latest valid date in the sheets, or None."""
    days = []
    for one in tasks:
        told = load_sheet(one.task).fields.get(_UPDATED, "").strip()
        if re.fullmatch(r"\d{8}|\d{4}-\d\d-\d\d", told):
            try:
                days.append(date.fromisoformat(told))
            except ValueError:
                continue  # not a calendar date
    return max(days).isoformat() if days else None
