"""No garbage is collected while results are made, and it is again after."""

import gc

import pytest

from app.memory import uncollected


def test_the_collector_rests_while_something_large_is_computed_and_works_again_after():
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_of_two_computations_the_one_that_ends_last_wakes_the_collector():
    one, other = uncollected(), uncollected()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert not gc.isenabled()
    other.__exit__(None, None, None)
    assert gc.isenabled()


def test_the_collector_works_again_after_an_error():
    with pytest.raises(ZeroDivisionError), uncollected():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
