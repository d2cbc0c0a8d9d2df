"""The first page, and files that are dropped on it."""

import pytest

from statlearn.app.studio import home


def upload(client, name, content):
    headers = {"x-statlearn-token": client.secrets.form}
    return client.ask("POST", "/upload", params={"name": name}, content=content, headers=headers)


def test_tables_of_the_folder_and_built_in_ones_are_listed(client):
    text = client.get("/")
    assert "sales.csv" in text
    assert "loans" in text


def test_a_dropped_file_is_stored_and_opens(client, folder):
    answer = upload(client, "new.csv", b"a,b\n1,2\n3,4\n")
    assert answer.json() == {"data": "new.csv"}
    assert (folder / "new.csv").read_bytes() == b"a,b\n1,2\n3,4\n"
    assert ">4<" in client.get("/look", data="new.csv").replace("<bdi>", "").replace("</bdi>", "")


def test_dropped_files_replace_nothing(client, folder):
    before = (folder / "sales.csv").read_bytes()
    assert upload(client, "sales.csv", b"a,b\n1,2\n").json() == {"data": "sales-2.csv"}
    assert (folder / "sales.csv").read_bytes() == before


@pytest.mark.parametrize("name", ["../../x.csv", "..\\x.csv", "/etc/x.csv", ".x.csv", "a\0/x.csv"])
def test_names_of_dropped_files_stay_in_the_folder(client, folder, name):
    assert upload(client, name, b"a\n1\n").json()["data"] == "x.csv"
    assert not (folder.parent / "x.csv").exists()


@pytest.mark.parametrize("name, content", [("x.exe", b"MZ"), ("", b"a"), ("x.csv", b""), ("x.csv", b"y" * 3000)])
def test_files_that_are_refused_leave_nothing(client, folder, name, content, monkeypatch):
    monkeypatch.setattr(home, "MAX_UPLOAD", 2000)
    answer = upload(client, name, content)
    assert answer.status_code == 400
    assert answer.json()["problem"]
    assert sorted(p.name for p in folder.rglob("*") if p.is_file()) == ["sales.csv"]


def test_a_table_opens_by_its_name(client):
    answer = client.post("/open", {"data": "sales.csv"})
    assert answer.headers["location"] == "/look?data=sales.csv"
    assert client.post("/open", {"data": "nothing.csv"}).status_code == 400
    assert client.post("/open", {"data": "../secret.csv"}).status_code == 400
