"""A proof as a reader meets it: in the findings, as figures and tables, in the terminal."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig import report
from loadrig.recording.layout import RunFolder
from loadrig.report import diagnosis, html, proof_words, rivals, words
from loadrig.report import proof as reading
from loadrig.report.figures import elasticities
from loadrig.report.model import Card, Facts, Figure, Paragraph, Table
from loadrig.report.proof import ShownProof
from loadrig.report.sections import proof as section
from loadrig.report.text import render
from tests.wording import numbers

from . import proofs
from .studies import study

DOCUMENTS = (proofs.database_cpu, proofs.spread_logins, proofs.ended_by_budget, proofs.only_skipped)


def read(folder: Path, document: Any) -> ShownProof:
    proof = reading.read(RunFolder(proofs.write(folder, document)).proof_document)
    assert proof is not None
    return proof


@pytest.fixture
def database(tmp_path: Path) -> ShownProof:
    return read(tmp_path, proofs.database_cpu())


@pytest.fixture
def logins(tmp_path: Path) -> ShownProof:
    return read(tmp_path, proofs.spread_logins())


@pytest.fixture
def unsure(tmp_path: Path) -> ShownProof:
    return read(tmp_path, proofs.ended_by_budget())


# --- reading ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"schema": "loadrig.proof/1", "exper',
        "[]",
        '{"schema": "loadrig.proof/1"}',
        '{"schema": "loadrig.proof/2"}',
    ],
)
def test_a_file_that_is_torn_or_of_another_schema_is_no_proof(
    trial_run: Path, tmp_path: Path, text: str
) -> None:
    run = proofs.proved(trial_run, tmp_path / "run", proofs.database_cpu())
    RunFolder(run).proof_document.write_text(text, encoding="utf-8")
    answer = report.read(run)
    assert answer.proof is None
    assert answer.result["findings"] == report.read(trial_run).result["findings"]
    assert "proof" not in [section.id for section in report.of_run(answer).sections]


def test_a_number_that_is_none_is_left_out(tmp_path: Path) -> None:
    document = proofs.database_cpu()
    document["experiments"][0]["elasticity"]["high"] = float("inf")
    document["experiments"][0]["changed"] = float("nan")
    proof = read(tmp_path, document)
    assert proof.experiments[0].elasticity is not None
    assert proof.experiments[0].elasticity.high is None
    assert "inf" not in proof_words.figure(proof.experiments[0])
    drawn = elasticities.draw(proof.experiments)
    assert drawn is not None
    json.dumps(drawn.data, allow_nan=False)


def test_its_findings_stand_for_those_that_were_only_seen(proved_run: Path) -> None:
    answer = report.read(proved_run)
    for result in (answer, answer.trial):
        assert [finding.verdict for finding in result.findings] == ["named"]
        assert result.diagnosis is not None
        assert result.diagnosis.sentence == "as proved"
    assert answer.diagnosis is not None
    causes = [cleared.cause for cleared in answer.diagnosis.cleared]
    assert causes == ["cpu_quota", "too_few_workers", "pool_too_small"]


def test_a_trial_of_the_run_has_the_proof_only_if_it_is_about_it(tmp_path: Path) -> None:
    folder = study(tmp_path / "run")
    proofs.write(folder, {**proofs.database_cpu(), "of_trial": 2})
    assert report.read(folder / "trials" / "0001").proof is None
    assert report.read(folder / "trials" / "0002").proof is not None
    of_study = report.read(folder)
    assert of_study.result["findings"][0]["cause"] == "database_cpu"
    other = next(view for view in of_study.views if view.result["index"] == 1)
    assert other.result["findings"] == report.read(folder / "trials" / "0001").result["findings"]


def test_a_machine_is_given_the_whole_document(proved_run: Path) -> None:
    document = json.loads(json.dumps(diagnosis.as_json(report.read(proved_run))))
    assert document["proof"]["of_a_later_version"] == {"x": 1}
    assert document["findings"] == document["proof"]["findings"]


# --- the findings -------------------------------------------------------------------------------


def test_of_what_is_named_the_experiment_is_told_first(proved_run: Path) -> None:
    built = report.build(proved_run)
    assert [section.id for section in built.sections][1:3] == ["findings", "proof"]
    card = next(b for section in built.sections for b in section.blocks if isinstance(b, Card))
    assert card.standing == "named"
    assert [point.rests_on.startswith("loadrig diagnose") for point in card.points] == [True, False]


# --- rivals -------------------------------------------------------------------------------------


def test_each_rival_has_the_experiment_that_cleared_it(database: ShownProof) -> None:
    rivals_by_place = {(rival.title, rival.component): rival for rival in rivals.of(database)}
    pool = rivals_by_place[rivals.title("pool_too_small"), "server"]
    assert (pool.experiment, pool.tone) == ("pool: 10 to 20", "good")
    assert pool.figure.startswith("×1.01 (")
    quota = rivals_by_place[rivals.title("cpu_quota"), "server"]
    less_cpu = database.experiments[1].title
    assert quota.experiment == less_cpu
    assert quota.figure.startswith("0.06 (")
    collector = rivals_by_place[rivals.title("gc_pressure"), "server"]
    # Less CPU would have slowed it down, and yet clears nobody of collecting too much.
    assert (collector.experiment, collector.tone) == (less_cpu, "plain")
    assert "0.3 %" in collector.conclusion
    assert (rivals.title("database_cpu"), "mariadb") not in rivals_by_place


def test_a_rival_that_went_on_though_all_was_well_is_cleared_by_that(logins: ShownProof) -> None:
    collector = next(rival for rival in rivals.of(logins) if rival.title == rivals.title("gc_pressure"))
    assert (collector.experiment, collector.tone) == (logins.experiments[0].title, "good")
    assert proofs.spread_logins()["cleared"][0]["why"] in collector.conclusion


def test_what_is_not_sure_and_what_was_not_tried_say_so(unsure: ShownProof) -> None:
    rival_by_title = {rival.title: rival for rival in rivals.of(unsure)}
    quota = rival_by_title[rivals.title("cpu_quota")]
    assert (quota.experiment, quota.tone) == (unsure.experiments[0].title, "plain")
    assert "0.9 of 1 core" in quota.conclusion
    churn = rival_by_title[rivals.title("connection_churn")]
    assert churn.experiment == ""
    assert churn.skipped is not None
    assert churn.skipped.code == "prove.no-knob"
    assert rivals.why_untried(churn.skipped) in churn.conclusion


def test_a_cause_that_is_known_no_more_has_its_name(tmp_path: Path) -> None:
    document = proofs.database_cpu()
    document["experiments"][1]["refutes"] = [["moon_phase", "server"]]
    assert "moon phase" in [rival.title for rival in rivals.of(read(tmp_path, document))]


@pytest.mark.parametrize("make", DOCUMENTS)
def test_what_became_of_each_rival_is_told_as_in_the_golden_file(
    tmp_path: Path, make: Callable[[], Any], snapshot: SnapshotAssertion
) -> None:
    rival_list = rivals.of(read(tmp_path, make()))
    assert [
        f"{rival.component}: {rival.experiment or '-'}: {rival.conclusion}" for rival in rival_list
    ] == snapshot


# --- the section --------------------------------------------------------------------------------


def built(trial_run: Path, folder: Path, make: Callable[[], Any]) -> Any:
    built_section = section.build(report.read(proofs.proved(trial_run, folder / "run", make())))
    assert built_section is not None
    return built_section


@pytest.mark.parametrize(
    ("make", "figures"),
    [
        (proofs.database_cpu, ["elasticities", "gains", "before-after", "interventions-1"]),
        (proofs.spread_logins, ["gains", "before-after"]),
        (proofs.ended_by_budget, ["elasticities", "interventions-1"]),
        (proofs.only_skipped, []),
    ],
)
def test_only_what_there_is_is_drawn(
    trial_run: Path, tmp_path: Path, make: Callable[[], Any], figures: list[str]
) -> None:
    blocks = built(trial_run, tmp_path, make).blocks
    drawn = [block for block in blocks if isinstance(block, Figure)]
    assert [figure.id for figure in drawn] == figures
    for figure in drawn:
        json.dumps(figure.data, allow_nan=False)
        assert figure.about.endswith(".")
        assert figure.table is not None
    assert isinstance(blocks[0], Paragraph)
    assert blocks[0].text


def test_what_was_done_to_the_server_is_told_for_each_experiment(trial_run: Path, tmp_path: Path) -> None:
    blocks = built(trial_run, tmp_path, proofs.database_cpu).blocks
    (done,) = [block for block in blocks if isinstance(block, Facts)]
    assert len(done.pairs) == 6
    title, cost = done.pairs[0]
    first = proofs.database_cpu()["experiments"][0]
    assert (title, cost.partition(" (")[0]) == (first["title"], first["cost"])
    assert numbers(cost) == [10, 17]


def test_what_was_not_tried_is_told_once(trial_run: Path, tmp_path: Path) -> None:
    blocks = built(trial_run, tmp_path, proofs.ended_by_budget).blocks
    causes, others = (block for block in blocks if isinstance(block, Table))
    proved = built(trial_run, tmp_path / "proved", proofs.database_cpu).blocks
    assert causes.caption != next(block for block in proved if isinstance(block, Table)).caption
    assert [row[0].text for row in others.rows] == [f"CPU of {proofs.NASTY}"]
    assert others.rows[0][2].note == "loadrig explain prove.not-allowed"


def test_it_says_that_it_is_proved_and_what_ended_it(trial_run: Path, tmp_path: Path) -> None:
    blocks = built(trial_run, tmp_path, proofs.database_cpu).blocks
    verdict, course = (block.text for block in blocks if isinstance(block, Paragraph))
    (first,) = proofs.database_cpu()["findings"]
    assert verdict.startswith("Proved: ")
    assert f"{first['title']} (mariadb): {first['effect']}" in verdict
    # 2 min 22 s of 3 min; 3 while load ran, 3 apart.
    assert numbers(course) == [2, 22, 3, 3, 3]


@pytest.mark.parametrize("ended", ["interrupted", "failed", "budget", "sure", "of a later version", ""])
def test_every_end_makes_a_sentence(tmp_path: Path, ended: str) -> None:
    for proof in (proofs.ended_by_budget(), proofs.only_skipped()):
        sentence = proof_words.course(read(tmp_path, {**proof, "ended": ended}))
        assert sentence.startswith("The proof took ")
        assert sentence.endswith(".")
        assert "; ." not in sentence
        assert "sure" not in sentence


def test_every_end_is_told_as_in_the_golden_file(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    proof = {**proofs.only_skipped(), "took_s": None}
    sentence_by_end = {
        end: proof_words.course(read(tmp_path, {**proof, "ended": end})) for end in words.ENDED
    }
    assert sentence_by_end == snapshot


def test_nothing_that_is_named_in_a_proof_becomes_markup(trial_run: Path, tmp_path: Path) -> None:
    run = proofs.proved(trial_run, tmp_path / "run", proofs.ended_by_budget())
    page = html.render(report.build(run))
    assert proofs.NASTY not in page
    assert proofs.NASTY.replace("<", "&lt;").replace(">", "&gt;") in page


# --- the terminal -------------------------------------------------------------------------------


@pytest.mark.parametrize("make", DOCUMENTS)
def test_the_terminal_tells_it_in_25_lines(trial_run: Path, tmp_path: Path, make: Callable[[], Any]) -> None:
    built = diagnosis.build(report.read(proofs.proved(trial_run, tmp_path / "run", make())))
    text = render(built, 100)
    lines = text[text.index("\nProof\n") + 1 :].rstrip().splitlines()
    assert len(lines) <= 25
    for width in (40, 64, 100):
        assert max(map(len, render(built, width).splitlines())) <= width


def test_more_than_fits_is_counted(trial_run: Path, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    document = proofs.database_cpu()
    document["experiments"] = [*document["experiments"], *document["experiments"][3:]]
    document["skipped"] = [*proofs.ended_by_budget()["skipped"]] * 2
    printed = render(diagnosis.build(report.read(proofs.proved(trial_run, tmp_path / "run", document))), 100)
    lines = printed[printed.index("\nProof\n") + 1 :].rstrip().splitlines()
    assert len(lines) <= 25
    begins = ("  3 ", "Done to", "Also not tried")
    counted = [next(line for line in lines if line.startswith(begin)) for begin in begins]
    assert [numbers(line) for line in counted] == [[3], [5], [2]]
    assert [counted[0], counted[2]] == snapshot


def test_a_line_an_experiment_with_what_it_gives(trial_run: Path, tmp_path: Path) -> None:
    run = proofs.proved(trial_run, tmp_path / "run", proofs.database_cpu())
    lines = [" ".join(line.split()) for line in render(diagnosis.build(report.read(run)), 100).splitlines()]
    (line,) = [line for line in lines if line.startswith("CPU of mariadb −20 %")]
    assert line.endswith("−17 % 0.85 (0.77 to 0.94) ● limits")
    title = proofs.database_cpu()["fix"]["title"]
    assert any(line.startswith(f"Fix, {title}: ") and "315/s" in line for line in lines)


def test_the_runs_own_files_are_as_they_were(trial_run: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(trial_run, run)
    before = (run / "result.json").read_text(encoding="utf-8")
    proofs.write(run, proofs.database_cpu())
    report.write_html(run)
    assert (run / "result.json").read_text(encoding="utf-8") == before
