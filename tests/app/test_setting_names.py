"""Names of settings as the reader knows them."""

from statlearn.app.setting_names import Options, command_line, did_you_mean, joined, listed, option, setting


def test_arguments_in_python_options_on_the_command_line():
    assert option("time_limit") == "`time_limit`"
    assert setting("metric", "mae") == "metric='mae'"
    with command_line():
        assert [option(name) for name in ("time_limit", "groups", "n_jobs")] == ["--time-limit", "--group", "--jobs"]
        assert setting("metric", "mae") == "--metric mae"
        assert "use {repeats} or {robust}".format_map(Options(robust="this")) == "use --repeats or this"
    assert option("groups") == "`groups`"


def test_lists_in_sentences():
    assert listed(["a"]) == "'a'"
    assert listed(["a", "b", "c"]) == "'a', 'b' and 'c'"
    assert listed("abcdefg") == "'a', 'b', 'c', 'd', 'e' and 2 more"
    assert joined(["lasso", "ridge"]) == "lasso, ridge"
    assert joined(["MARS, additive", "ridge"]) == "MARS, additive; ridge"
    assert did_you_mean("pric", ["price", "size"]) == "did you mean 'price'?"
    assert did_you_mean("zzz", ["price", "size"]) == "the columns are: price, size"
