"""Packing sessions: what is left out, which window wins, what is doubtful."""

import json

import pack_measurements as packing


def window(key, energy_j=1.0, **more):
    fields = {"session": "s1", "block": 1, "key": key, "subject": "op", "node": "n", "energy_j": energy_j, "time_s": 0.1, "power_w": 10.0,
              "sampled_power_w": 10.0, "samples": 10, "is_settled": True, "is_capped": False, "other_processes": 0, "relative_error": 0.0}
    return fields | more


def session(path, name, windows, is_good=True, anchors=(1.0, 1.01), **header):
    records = [("header", {"session": name, "protocol": "wattree-1", **header})]
    records += [("anchor", {"session": name, "energy_j": value, "time_s": 0.1}) for value in anchors]
    records += [("node", {"node": "n", "of": "op", "type": "add"})]
    records += [("window", w | {"session": name}) for w in windows]
    records += [("verdict", {"session": name, "block": 1, "is_good": is_good})]
    path.mkdir()
    (path / "w.jsonl").write_text("".join(json.dumps({"kind": kind} | fields) + "\n" for kind, fields in records))
    return path


def packed(tmp_path, *folders):
    packing.pack(folders, tmp_path / "out")
    return {path.name: [json.loads(line) for line in path.read_text().splitlines()] for path in (tmp_path / "out").glob("*.jsonl")}


def windows_of(records):
    return {r["key"]: r["energy_j"] for r in records if r["kind"] == "window"}


def test_what_was_thrown_out_is_left_out(tmp_path):
    one = session(tmp_path / "1", "s1", [window("a"), window("b")], is_good=False)
    two = session(tmp_path / "2", "s2", [window("a", 2.0)])
    files = packed(tmp_path, one, two)
    assert windows_of(files["windows-a.jsonl"]) == {}
    assert windows_of(files["windows-b.jsonl"]) == {"a": 2.0}


def test_a_graph_wins_over_what_was_no_graph(tmp_path):
    one = session(tmp_path / "1", "s1", [window("a", 1.0), window("b", 5.0, why_eager="cannot")])
    two = session(tmp_path / "2", "s2", [window("a", 3.0, why_eager="cannot"), window("b", 2.0)])
    files = packed(tmp_path, one, two)
    assert windows_of(files["windows-a.jsonl"]) == {"a": 1.0}
    assert windows_of(files["windows-b.jsonl"]) == {"b": 2.0}


def test_headers_have_the_anchor_and_no_name_of_a_card(tmp_path):
    one = session(tmp_path / "1", "s1", [window("a")], anchors=(1.0, 1.2, 1.1), card="f00d42")
    two = session(tmp_path / "2", "s2", [window("b")], card="f00d42")
    three = session(tmp_path / "3", "s3", [window("c")], card=None)
    files = packed(tmp_path, one, two, three)
    heads = [files[f"windows-{letter}.jsonl"][0] for letter in "abc"]
    assert heads[0]["anchor_energy_j"] == 1.1
    assert [head["card"] for head in heads] == ["card 1", "card 1", "card 2"]
    assert "f00d42" not in json.dumps(files)


def test_doubts():
    assert packing.doubts(window("a")) == []
    assert packing.doubts(window("a", sampled_power_w=10.3)) == ["power readings disagree with the counter"]
    assert packing.doubts(window("a", sampled_power_w=10.3, samples=3)) == []
    assert packing.doubts(window("a", is_settled=False, why_eager="x", other_processes=1)) == [
        "not settled", "not a graph", "other processes on the GPU"]
