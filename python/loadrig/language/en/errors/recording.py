"""Errors of `recording` in English, a class for each of its files."""

from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords


class RecordingBelowErrors:
    no_regular_file = "no regular file"

    def outside(self, name: str) -> str:
        return f"{name!r} leads out of the folder"

    def too_long(self, most: int) -> str:
        return f"it is longer than {most:,} bytes"


class RecordingCheckingErrors:
    """Findings of `recording.checking`."""

    kinds: ClassVar[Mapping[str, str]] = {
        "changed": "changed", "cut": "cut", "missing": "missing", "extra": "extra",
        "unreadable": "unreadable",
    }  # fmt: skip
    """Words for the kinds of damage, at most ten columns wide."""

    result_without_seal = "a trial has a result only once it is sealed"
    trial_without_seal = "the rig was killed in this trial, or still runs it"
    run_without_seal = (
        "what lies beside the trials has no seal: the run was killed or goes on, or it is of an"
        " earlier loadrig"
    )
    set_aside = "set aside when its trial was run again, as its load had been cut short"
    whole_trial_missing = "the whole trial is missing"
    open_for_writing = "a command that was about to write it has not come to its end"
    after_seal = "it came after the seal"
    link_now = "it is a link now, which is not followed"
    no_regular_file_now = "it is no regular file any more"
    other_content = "it has the size that was sealed, and another content"
    page_cut = "its end is missing"
    page_changed = "it is not as it was written"
    page_without_digest = "the page has no digest: an earlier loadrig or another program made it"

    def not_opened(self, reason: str) -> str:
        return f"cannot be opened: {reason}"

    def seal_damaged(self, reason: str) -> str:
        return f"the seal {reason}"

    def bytes_sealed(self, size: int) -> str:
        return f"{size:,} bytes were sealed"

    def bytes_left(self, size: int, sealed: int) -> str:
        return f"{size:,} of {sealed:,} bytes are left"

    def more_bytes(self, size: int, sealed: int) -> str:
        return f"it has {size:,} bytes, and {sealed:,} were sealed"

    def page_unreadable(self, reason: str) -> str:
        return f"it is no page that can be read: {reason}"


class RecordingDocumentsErrors:
    """Reasons why a document cannot be read, of `recording.documents` and of the manifest."""

    not_an_object = "it is not a JSON object"

    def not_utf8(self, reason: str) -> str:
        return f"it is no text in UTF-8: {reason}"

    def not_json(self, reason: str) -> str:
        return f"it is not JSON: {reason}"


class RecordingEventsErrors:
    def line_no_event(self, reason: str) -> str:
        return f"a line is no event: {reason}"


class RecordingFilesErrors:
    def no_space(self, path: str, folder: str, is_quota: bool) -> ErrorWords:
        reason = "the disk quota is used up" if is_quota else "no space left on the disk"
        return ErrorWords(
            what=f"{path} could not be written: {reason}",
            why="what was measured until then is kept, in a folder that is not sealed",
            mend=f"free some space there (df -h {folder}), or write elsewhere with --out FOLDER",
        )

    def not_written(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} could not be written: {reason}",
            why="without a recording there is no result",
            mend="make the folder writable, or write elsewhere with --out FOLDER",
        )


class RecordingHlogErrors:
    def not_a_tag(self, text: str) -> str:
        return f"{text!r} is not a tag"

    def wrong_number_of_parts(self, line: int, parts: int) -> str:
        return f"line {line} has {parts} parts instead of 5"

    def neither_comment_nor_histogram(self, line: int) -> str:
        return f"line {line} is neither a comment nor a tagged histogram"


class RecordingLayoutErrors:
    def folder_in_use(self, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"{folder} is in use",
            why="a run's folder is written once; a second run would mix with what is there",
            mend="name a folder that does not exist yet, or leave --out away",
        )

    def folder_of_stranger(self, folder: str, owner: int) -> ErrorWords:
        return ErrorWords(
            what=f"{folder} belongs to user {owner}, in a folder where everybody may write",
            why="whoever laid it there could put links in the place of what is written",
            mend="name a folder that does not exist yet",
        )


class RecordingLinesErrors:
    """Reasons why a file of lines cannot be read, of `recording.lines` and of the latency log."""

    def line_not_json(self, number: int, reason: str) -> str:
        return f"line {number} is not JSON: {reason}"

    def line_not_an_object(self, number: int) -> str:
        return f"line {number} is not a JSON object"

    def not_unpacked(self, reason: str) -> str:
        return f"it cannot be unpacked or read: {reason}"

    def line_too_long(self, number: int, most_mib: int) -> str:
        return f"line {number} is longer than {most_mib} MiB"

    def file_too_long(self, most: int) -> str:
        return f"it holds more than {most:,} bytes"


class RecordingManifestErrors:
    no_format = "it does not say which format of recording it is"

    def broken(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} cannot be read",
            why=reason,
            mend="restore the folder from a copy, or run the trial again; loadrig itself never leaves a file"
            " like this, so please send it to us",
        )

    def not_a_recording(self, folder: str, file: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{folder} is not the folder of a trial",
            why=f"{file}: {reason}",
            mend="name a folder with a manifest.json, such as runs/2025-01-31-120000-shop/trials/0001",
        )


class RecordingMigrationsErrors:
    def newer_format(self, path: str, version: int, own: int, written_by: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} is of recording format {version}; this loadrig reads up to {own}",
            why=f"it was written by loadrig {written_by or '(it does not say which)'}",
            mend="read it with that version or a later one: pip install --upgrade loadrig",
        )


class RecordingFrameDocumentErrors:
    def line_no_frame(self, number: int, reason: str) -> str:
        return f"line {number} is not a frame: {reason}"


class RecordingSealsErrors:
    """Reasons why a seal cannot be used, of `recording.seals`: they stand after the word for the seal."""

    is_link = "is a link, which is not followed"
    is_cut_short = "is cut short"
    was_changed = "is not as it was written"

    def not_read(self, reason: str) -> str:
        return f"cannot be read: {reason}"

    def no_seal(self, reason: str) -> str:
        return f"is no seal: {reason}"

    def other_version(self, version: str, own: int) -> str:
        return f"is of version {version}; this loadrig reads {own}"

    def file_outside(self, name: str) -> str:
        return f"names a file outside of its folder, which is not opened: {name!r}"


class RecordingSeriesStoreErrors:
    def too_many_rows(self, rows: int, most: int) -> str:
        return f"it holds {rows:,} rows, and at most {most:,} are read"


class RecordingWriterErrors:
    def already_sealed(self, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"{folder} holds a whole recording already",
            why="a sealed recording is never written to again",
            mend="run into a folder that does not exist yet, or remove this one",
        )
