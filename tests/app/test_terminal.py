from statlearn.app.terminal import visible


def test_every_control_character_is_shown_as_a_picture():
    controls = [chr(code) for code in [*range(32), *range(127, 160)] if chr(code) not in "\t\n"]
    shown = visible("".join(controls))
    assert not set(shown) & set(controls)
    assert len(shown) == len(controls)
    assert visible("\x00\x1b\x7f") == "␀␛␡"


def test_plain_text_stays_as_it_is():
    text = "Größe\t1\n≤ 5 €, 日本, 👍🏽 שלום"
    assert visible(text) == text
