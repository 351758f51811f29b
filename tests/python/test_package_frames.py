"""Regressions on frames of pandas, Polars and Arrow, and predictions for new rows."""

import datetime

import numpy as np
import pytest

import starling

FAST = dict(particles=64, certify=4, seed=1, progress=False)


def columns(rows=200):
    random = np.random.default_rng(5)
    age, city = random.uniform(20, 80, rows), random.choice(["Bern", "Oslo", "Rome"], rows)
    y = 100 + 0.5 * age + 4.0 * (city == "Oslo") - 3.0 * (city == "Rome")
    return {"age": age, "city": city, "y": y + random.normal(size=rows)}


def least_squares(data):
    """Weights of age, Oslo and Rome, and the intercept, with their standard errors."""
    city = np.asarray(data["city"])
    f = np.column_stack([data["age"], city == "Oslo", city == "Rome", np.ones(len(city))])
    best, (rest,), *_ = np.linalg.lstsq(f, data["y"], rcond=None)
    return best, np.sqrt(np.diag(np.linalg.inv(f.T @ f)) * rest / (len(f) - 4))


def frames():
    def pandas(data):
        return pytest.importorskip("pandas").DataFrame(data)

    def polars(data):
        return pytest.importorskip("polars", reason="Polars is not installed").DataFrame(data)

    def arrow(data):
        return pytest.importorskip("pyarrow", reason="pyarrow is not installed").table(data)

    return [dict, pandas, polars, arrow]


@pytest.mark.parametrize("frame", frames(), ids=lambda made: made.__name__)
def test_a_frame_is_a_table_in_its_own_units(frame):
    data = columns()
    result = starling.sample("linear", data=frame(data), label="y", particles=500, progress=False)
    best, se = least_squares(data)
    assert result.names[:4] == ["w[age]", "w[city=Oslo]", "w[city=Rome]", "intercept"]
    found, scaled = result.summary(), result.unconstrained.mean(axis=0)
    assert np.all(np.abs(found["mean"].to_numpy()[:4] - best) < 0.25 * se)
    assert np.all(np.abs(found["sd"].to_numpy()[:4] / se - 1) < 0.15)
    assert abs(scaled[0] - best[0]) > 10 * se[0], "weights of scaled columns must not pass"


@pytest.mark.parametrize("frame", frames(), ids=lambda made: made.__name__)
def test_new_rows_are_predicted(frame, tmp_path):
    data = columns()
    result = starling.sample("linear", data=frame(data), label="y", **FAST)
    new = {"city": ["Rome", "Bern"], "age": [40.0, 50.0]}
    found = result.predict_table(frame(new))
    draws = result._outcomes[0].draws
    at = np.array([[40, 0, 1, 1], [50, 0, 0, 1]]) @ draws[:, :4].T
    assert np.allclose(found["mean"], at.mean(axis=1)) and list(found.index) == [0, 1]
    assert np.allclose(found["sd"], at.std(axis=1))
    noisy = result.predict_table(frame(new), observation=True)
    assert np.allclose(noisy["sd"] ** 2, found["sd"] ** 2 + np.exp(2 * draws[:, 4]).mean())
    result.save(tmp_path / "out")
    assert np.allclose(starling.load(tmp_path / "out").predict_table(frame(new)), found)
    with pytest.raises(ValueError, match=r"not a level of the run .*'Paris'"):
        result.predict_table(frame({"city": ["Paris"], "age": [1.0]}))
    with pytest.raises(ValueError, match="has no column city"):
        result.predict_table(frame({"age": [1.0]}))


def test_probabilities_of_classes_have_a_line_each():
    data = columns()
    data["y"] = np.where(data["y"] > 125, "high", np.where(data["y"] > 115, "middle", "low"))
    result = starling.sample("multinomial", data=data, label="y", **FAST)
    found = result.predict_table({"city": ["Rome"], "age": [79.0]})
    assert list(found.index) == [(0, "high"), (0, "low"), (0, "middle")]
    assert found["mean"].sum() == pytest.approx(1) and found["mean"].idxmax() == (0, "high")


def test_missing_values_are_counted_and_dropped_by_choice():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(columns())
    frame.loc[[3, 8], "age"] = np.nan
    frame.loc[5, "city"] = None
    with pytest.raises(ValueError, match="2 of 200 values are missing.*missing='drop'"):
        starling.sample("linear", data=frame, label="y", **FAST)
    with pytest.warns(UserWarning, match="3 of 200 rows have missing values and were left out"):
        result = starling.sample("linear", data=frame, label="y", missing="drop", **FAST)
    assert result.diagnostics["table"]["left_out"] == 3
    new = pandas.DataFrame({"age": [30.0, np.nan, 40.0], "city": ["Bern", "Bern", "Oslo"]})
    with pytest.raises(ValueError, match="1 of 3 values are missing"):
        result.predict_table(new)
    assert list(result.predict_table(new, missing="drop").index) == [0, 2]


def test_dates_categories_and_odd_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(columns())
    frame["day"] = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(200)]
    with pytest.raises(ValueError, match="200 of 200 values are dates.*drop='day'"):
        starling.sample("linear", data=frame, label="y", **FAST)
    zips = pandas.DataFrame({0: [1.0, 2, 3, 4, 5, 7], "z;p": [9, 10, 9, 10, 9, 10], "y": range(6)})
    assert starling.sample("linear", data=zips, label="y", **FAST).names[:2] == ["w[x0]", "w[z;p]"]
    zips["z;p"] = zips["z;p"].astype("category")
    target = starling.builtin("linear", data=zips, label="y")
    assert starling.sample(target, **FAST).names[:2] == ["w[x0]", "w[z;p=10]"]


def test_parquet_and_arrow_files_are_read_by_pyarrow(tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import feather, parquet

    table = pyarrow.table(columns())
    parquet.write_table(table, tmp_path / "d.parquet")
    feather.write_feather(table, tmp_path / "d.feather")
    one = starling.sample("linear", data=tmp_path / "d.parquet", label="y", **FAST)
    other = starling.sample("linear", data=str(tmp_path / "d.feather"), label="y", **FAST)
    assert np.array_equal(one.unconstrained, other.unconstrained)
    assert len(one.predict_table(tmp_path / "d.parquet")) == 200
    with pytest.raises(FileNotFoundError):
        starling.builtin("linear", data="nowhere.parquet")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        starling.builtin("linear", data=tmp_path / "d.parquet")


def test_what_is_no_table_is_named():
    with pytest.raises(TypeError, match="a frame of pandas or Polars.*got int"):
        starling.builtin("linear", data=3)
    with pytest.raises(ValueError, match="must have columns of one length"):
        starling.builtin("linear", data={"a": [1, 2], "y": [1]})
    result = starling.sample("normal", particles=20, steps=2, progress=False)
    with pytest.raises(ValueError, match="not a regression on a table"):
        result.predict_table({"a": [1]})
    with pytest.raises(ValueError, match="missing: must be one of refuse, drop; got 'x'"):
        result.predict_table({"a": [1]}, missing="x")


def test_formulas_are_made_by_formulaic():
    """As docs/tables.md has it: a product of a column and a category, also for new rows."""
    with pytest.raises(TypeError, match="formula: is not a setting of a run; formulaic makes"):
        starling.sample("linear", data=columns(), label="y", formula="y ~ age", **FAST)
    formulaic = pytest.importorskip("formulaic", reason="formulaic is not installed")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    random = np.random.default_rng(1)
    frame = pandas.DataFrame({"x": random.normal(size=400), "g": ["a", "b"] * 200})
    slope = np.where(frame["g"] == "b", 3.0, 1.0)
    frame["y"] = slope * frame["x"] + 0.1 * random.normal(size=400)
    y, x = formulaic.model_matrix("y ~ x * g", frame)
    data = x.drop(columns="Intercept").assign(y=y)
    result = starling.sample("linear", data=data, label="y", seed=1, progress=False)
    new = pandas.DataFrame({"x": [2.0, 2.0], "g": ["b", "a"]})
    found = result.predict_table(x.model_spec.get_model_matrix(new))
    assert np.allclose(found["mean"], [6, 2], atol=0.1)
    assert list(found["mean"]) != list(result.predict_table(x.head(2))["mean"])
