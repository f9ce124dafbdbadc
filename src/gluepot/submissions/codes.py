"""Codes of all problems that a submission can have: for the reference page, for translations, and for programs that read the JSON."""

from typing import NamedTuple


class Explanation(NamedTuple):
    """General meaning and remedy of a code; the problem itself has the place and the values."""

    meaning: str
    help: str


CODES = {
    "broken-archive": Explanation("The archive cannot be opened or read.", "Pack the files again as a zip."),
    "broken-csv": Explanation("The table cannot be read.", "Put commas between the columns, and close every quotation mark."),
    "broken-json": Explanation("A line is not JSON; the message has the column.", "Write one JSON object a line."),
    "count-mismatch": Explanation(
        "Another number of rows, tags or judged options than there are items, tokens or options.",
        "Answer every item, token and option once, in the data's order.",
    ),
    "data-missing": Explanation(
        "A task whose items are not here, so that it cannot be scored.",
        "Leave the task out, or ask whoever runs the board to fetch its data.",
    ),
    "duplicate-entry": Explanation("Two files have the same name.", "Keep one of them."),
    "duplicate-id": Explanation("An item is answered twice.", "Keep one of the answers."),
    "duplicate-key": Explanation("A JSON object holds the same key twice.", "Keep one of them."),
    "duplicate-task": Explanation("Several files answer the same task and split.", "Keep one of them."),
    "empty-file": Explanation("A prediction file without a prediction.", "Write one prediction a line, or leave the file out."),
    "empty-submission": Explanation(
        "No file answers any task of the suite, or none its ranked split.", "Name every file after its task, and answer the ranked split."
    ),
    "encrypted": Explanation("A file in the archive is encrypted.", "Pack it without a password."),
    "field-mismatch": Explanation(
        "A row without an id of its own, whose fields are not those of the item in its place.",
        "Keep the rows in the data's order, with the data's fields.",
    ),
    "gave-up": Explanation(
        "So many problems in one file that the rest of it was not read.", "Fix those that are listed, then check again."
    ),
    "line-too-long": Explanation("A line of more than 1 MB, or of more than four times the longest item.", "Write one prediction a line."),
    "missing-id": Explanation("Some items have no answer, or a row has no id.", "Answer every item, each with its id as the data has it."),
    "missing-name": Explanation("The system has no name, or too long a name.", "Name the system that made the answers."),
    "missing-prediction": Explanation("A row without an answer, or a file that leaves every item out.", "Write an answer in every row."),
    "more": Explanation("Problems of one sort that are counted but not listed.", "Fix those that are listed, then check again."),
    "nested-archive": Explanation("An archive inside the submission.", "Put its files there unpacked."),
    "not-a-number": Explanation("NaN, an infinite number, or one beyond all scales.", "Write a finite number of common size."),
    "not-utf8": Explanation("Bytes or escapes that are no characters.", "Save the file as UTF-8."),
    "off-scale": Explanation(
        "A number outside the task's scale, or a stated score outside its metric's.", "Write numbers on the scale of the task or metric."
    ),
    "several-options": Explanation("An answer to a cloze that names several of its options.", "Answer with one of them."),
    "symlink": Explanation("A link instead of a file.", "Put the file itself there."),
    "too-deep": Explanation("Brackets or folders nested too deeply.", "Write flat records, and use fewer folders."),
    "too-large": Explanation(
        "More than 512 MB unpacked, 5,000,000 lines or 48 MB of text in the answers, or more than a team has room for.",
        "Send the prediction files alone, or withdraw earlier submissions.",
    ),
    "too-long": Explanation("An answer of more than 20,000 characters.", "Shorten the answer."),
    "too-many-files": Explanation("More than 200 files.", "Send the prediction files alone."),
    "unknown-id": Explanation("An id that no item of the split has.", "Copy the id from the data as it is."),
    "unknown-label": Explanation(
        "An answer that is none of the labels, tags or options.", "Write one of those that the task has, as the data spells it."
    ),
    "unknown-task": Explanation("A file named after no task of the suite.", "Name the file after its task."),
    "unreadable": Explanation(
        "A file or folder that cannot be opened, or not read to its end.", "Check the permissions, and pack or copy the file again."
    ),
    "unsafe-path": Explanation(
        "A path that leaves the submission, a name that cannot be shown, or one name for a file and a folder.",
        "Rename the file or the folder.",
    ),
    "unsupported-archive": Explanation("An archive that is not a zip.", "Unpack it, or pack the files as a zip."),
    "unsupported-compression": Explanation("A file packed by another method than deflate.", "Pack the files again as a common zip."),
    "unsupported-format": Explanation(
        "Answers in a file that is not JSON Lines.", "Write one JSON object a line, in a file that ends in .jsonl."
    ),
    "wrong-type": Explanation("An answer, record or file of another type than the one expected.", "Follow the format of the suite."),
    "zip-bomb": Explanation("An archive that unpacks to far more than it should.", "Pack the prediction files alone."),
}
