"""The memo's tables, and their cells as text."""

import csv
import io

import pytest

from app.report.cells import Column, Table, csv_bytes, shown
from app.report.tables import tables


def table(*cells, kind="text"):
    return Table("t", "T", "", (Column("Value", kind),), tuple((cell,) for cell in cells))


def cells(made):
    return list(csv.reader(io.StringIO(csv_bytes(made).decode(), newline="")))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"])
def test_text_that_a_spreadsheet_would_run_is_inert(start):
    assert cells(table(f"{start}cmd"))[1] == [f"'{start}cmd"]


def test_a_negative_number_stays_a_number():
    assert cells(table(-0.0063, kind="points"))[1] == ["-0.0063"]


def test_a_header_is_inert_too():
    assert csv_bytes(Table("t", "T", "", (Column("=1"),), ())) == b"'=1\r\n"


def test_null_is_an_empty_cell_and_an_interval_two():
    made = Table(
        "t", "T", "", (Column("Share", "share"), Column("Interval", "range")), ((0.5, (0.25, 0.75)), (None, None))
    )
    assert cells(made) == [["Share", "Interval: low", "Interval: high"], ["0.5", "0.25", "0.75"], ["", "", ""]]


def test_columns_for_programs_and_empty_ones_are_not_for_reading():
    columns = (Column("Label"), Column("Key", "key"), Column("Why"))
    assert Table("t", "T", "", columns, (("Words", "words", ""),)).for_reading().header == ("Label",)


def test_a_value_that_does_not_exist_is_never_shown_as_a_number():
    assert shown(None, Column("Share", "share")) == "—"


def test_every_row_has_a_cell_for_every_column(memos):
    for memo in memos.values():
        for made in tables(memo).values():
            assert {len(row) for row in made.rows} <= {len(made.columns)}, made.name


def test_each_table_has_the_same_columns_whatever_the_outcome(memos):
    headers = [{name: made.header for name, made in tables(memo).items()} for memo in memos.values()]
    assert all(header == headers[0] for header in headers)


def test_the_primary_rates_have_counts_and_both_intervals(memo):
    made = tables(memo)["primary"]
    row = dict(zip(made.header, made.rows[0], strict=True))
    assert (row["Number"], row["Out of"], row["Share"]) == (2, 6, pytest.approx(1 / 3))
    assert row["95% interval, by episode (Korn-Graubard)"] == pytest.approx((0.018153439, 0.8593112537))
    assert row["95% interval, assumes independent items (Clopper-Pearson)"] == pytest.approx(
        (0.0432718683, 0.7772219045)
    )


def test_states_add_up_to_the_items_imported(memo):
    for _, _, imported, withdrawn, auto_coded, agreed, adjudicated, disputed, pending, *_ in tables(memo)[
        "sample"
    ].rows:
        assert imported == withdrawn + auto_coded + agreed + adjudicated + disputed + pending


def test_shortages_stand_beside_their_stratum(memo):
    assert [(row[0], row[-1]) for row in tables(memo)["sample"].rows] == [
        ("All items", 1),
        ("Fluent", 0),
        ("Word repetition", 1),
    ]


def test_the_two_by_two_comes_before_the_whole_matrix(memo):
    names = list(tables(memo))
    assert names.index("agreement-introduced") < names.index("confusion")
    assert tables(memo)["agreement-introduced"].rows == (("Marked", 1, 1), ("Not marked", 1, 3))


def test_label_pairs_on_which_reviewers_differ_are_counted_in_either_order(memo):
    assert [row[-1] for row in tables(memo)["disagreements"].rows] == [1, 1, 1]


def test_in_a_pool_each_pair_is_counted_once(memo):
    agreement = memo.agreement
    both_ways = [
        [cell + agreement.matrix[j][i] for j, cell in enumerate(row)] for i, row in enumerate(agreement.matrix)
    ]
    kappa = agreement.kappa.model_copy(update={"value": None, "null_reason": "pool"})
    pooled = agreement.model_copy(update={"matrix": both_ways, "kappa": kappa})
    made = tables(memo.model_copy(update={"agreement": pooled}))["disagreements"]
    assert made.rows == tables(memo)["disagreements"].rows


def test_a_null_says_why(memo):
    rows = tables(memo)["specific"].rows
    assert (
        "Meaning changed: self-correction",
        "destructive-correction",
        0,
        0,
        None,
        None,
        "neither reviewer used it",
    ) in rows


def test_who_decided_on_rights_is_nowhere(memo):
    assert tables(memo)["rights"].header == ("Source", "Kind", "Version", "Licence", "Decision")


@pytest.mark.parametrize("unit", ["episode", "speaker"])
def test_the_independent_unit_has_the_name_that_the_protocol_gives_it(memo_of, unit):
    made = tables(memo_of(unit=unit))
    assert f"4 {unit}s" in made["sample"].note
    assert f"95% interval, by {unit} (Korn-Graubard)" in made["primary"].header


def test_a_recorded_configuration_is_printed_with_what_is_the_same_off_and_on_once(memo_of):
    config = '{"off":{"drop":["um"],"enabled":false},"on":{"drop":["um"],"enabled":true}}'
    made = tables(memo_of(software={"evenhand": "1", "filter": "tidy", "filter_config": config}))["software"]
    assert made.rows == (
        ("evenhand", "1"),
        ("filter", "tidy"),
        ("filter_config, on", '{"drop":["um"],"enabled":true}'),
        ("filter_config, off where it differs", '{"enabled":false}'),
    )


def test_a_bound_that_is_missing_where_nothing_was_found_says_why(memos):
    passed = memos["PASS"]

    def note(**bounds):
        zero = passed.primary.zero_event.model_copy(update=bounds)
        primary = passed.primary.model_copy(update={"zero_event": zero})
        return tables(passed.model_copy(update={"primary": primary}))["zero-event"].note

    nothing = {"korn_graubard_among_all": None, "korn_graubard_among_changed": None}
    assert "no bound" not in note()
    assert "no bound by the number of episodes: all items are of one episode." in note(**nothing)
    assert "none of those with a final answer was changed" in note(among_changed=None)
    assert "Among changed items there is no bound by the number of episodes" in note(korn_graubard_among_changed=None)


def test_a_rate_without_an_interval_by_cluster_says_why(memo):
    rate = memo.primary.introduced
    only = rate.model_copy(
        update={
            "intervals": {"clopper_pearson": rate.intervals["clopper_pearson"]},
            "interval_null_reason": "one_cluster",
        }
    )
    made = memo.model_copy(update={"primary": memo.primary.model_copy(update={"introduced": only})})
    assert tables(made)["primary"].rows[0][6] == "one cluster only"


def test_a_difference_is_read_in_points_on_the_scale_of_the_rates_beside_it():
    difference, interval = Column("", "points"), Column("", "between")
    assert shown(0.0296, difference) == "3.0\u00a0points"
    assert shown((-0.0493, 0.00018), interval) == "-4.9 to under 0.1\u00a0points"
