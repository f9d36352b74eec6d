"""The explorer of bits as far as no browser is needed: its numbers, its words, its widgets, its page."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from relmath import corruption
from relmath.notebook import bits
from relmath.notebook.bits import LABELS, BitExplorer


@pytest.fixture
def explorer():
    return BitExplorer(value=1.5, bit=9)


def test_its_numbers_are_relmaths(explorer):
    assert explorer.values() == {
        "value": 1.5,
        "bit": 9,
        "after": 1.0,
        "factor": 1.0 / 1.5,
        "change": -0.5,
        "pattern": 0x3E00,
        "flipped": 0x3C00,
    }
    assert explorer.values({"value": 0.1})["value"] == 0.0999755859375
    assert np.isnan(explorer.values({"bit": 14})["after"])


def test_it_knows_every_format_of_relmath():
    assert LABELS.keys() == corruption.FORMATS.keys()


@pytest.mark.parametrize(
    ("setting", "tone", "word"),
    [
        ({"bit": 14}, "outside", "NaN"),
        ({"value": 1.0, "bit": 14}, "outside", "infinite"),
        ({"value": 0.02, "bit": 14}, "outside", "multiplied by 65\u00a0536 exactly"),
        ({"value": 5.0, "bit": 14}, "doubtful", "divided by 65\u00a0536 exactly"),
        ({"value": 5.0, "bit": 10}, "doubtful", "divided by 2 exactly, so it moves by less"),
        ({"value": 0.0, "bit": 14}, "doubtful", "the factor is not 65\u00a0536"),
        ({"bit": 15}, "doubtful", "sign"),
        ({"bit": 9}, "fine", "moves by −0.5"),
        ({"format": "float8_e4m3fn", "value": 448.0, "bit": 0}, "outside", "NaN"),
    ],
)
def test_it_says_what_a_flip_did(setting, tone, word, explorer):
    said = explorer.judge(setting)
    assert said[0] == tone
    assert word in said[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dtype": "float64"}, "dtype must be one of"),
        ({"bit": 16}, "bit must be a whole number from 0 to 15"),
        ({"value": "one"}, "value must be a number"),
    ],
)
def test_what_it_cannot_start_with_is_refused(change, message, explorer):
    with pytest.raises(ValueError, match=message):
        replace(explorer, **change)


def test_the_widgets_follow_the_reader(explorer):
    form, value, bit, picture = explorer._panel().children
    assert "0 01111 <u>1</u>000000000" in picture.value
    bit.value = 14
    assert "<b>NaN</b>" in picture.value
    value.value = 0.02
    assert "<b>1\u00a0311</b>" in picture.value
    form.value = "float8_e4m3fn"
    assert (bit.max, bit.value) == (7, 7)
    value.value = 1e6
    assert "must be a number that float8_e4m3fn holds" in picture.value


def test_the_page_holds_what_it_needs_and_asks_for_nothing(explorer):
    html = explorer._repr_mimebundle_()[0]["text/html"]
    definition = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)[1])
    assert definition["initial"] == {"format": "float16", "value": 1.5, "bit": 9}
    assert definition["formats"].keys() == corruption.FORMATS.keys()
    assert "http" not in html


def test_the_outputs_are_the_same_in_every_process(explorer):
    code = (
        "from relmath.notebook.bits import *; print(BitExplorer(value=1.5, bit=9)._repr_mimebundle_()[0]['text/html'])"
    )
    run = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": "7"}, capture_output=True)
    assert run.stdout.decode().strip() == explorer._repr_mimebundle_()[0]["text/html"].strip()


def test_ties_are_rounded_as_browsers_do():
    assert bits._number(0.00048828125) == "0.0004882813"
    assert bits._number(-0.00048828125) == "−0.0004882813"


def test_zero_keeps_its_sign(explorer):
    assert explorer.values({"value": -0.0})["pattern"] == 0x8000
    assert (bits._number(0.0), bits._number(-0.0)) == ("0", "−0")
