"""Packing sessions: what is left out, which window wins, what is doubtful."""

import json

import pack_measurements as packing


def window(key, energy_j=1.0, **more):
    fields = {"session": "s1", "block": 1, "key": key, "subject": "op", "node": "n", "energy_j": energy_j, "time_s": 0.1, "power_w": 10.0,
              "sampled_power_w": 10.0, "samples": 10, "is_settled": True, "is_capped": False, "other_processes": 0, "relative_error": 0.0}
    return fields | more


def session(path, name, windows, is_good=True, anchors=(1.0, 1.01), **header):
    records = [("header", {"session": name, "protocol": "wattree-1", **header})]
    records += [("anchor", {"session": name, "block": block, "energy_j": value, "time_s": 0.1}) for block, value in enumerate(anchors)]
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


def test_an_anchor_measured_again_replaces_the_one_of_a_cool_card(tmp_path):
    one = session(tmp_path / "1", "s1", [window("a")], anchors=(1.0, 0.97))
    again = {"kind": "anchor", "session": "s1", "block": 1, "energy_j": 1.004, "time_s": 0.1}
    with open(one / "w.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(again) + "\n")
    records = packed(tmp_path, one)["windows-a.jsonl"]
    assert [r["energy_j"] for r in records if r["kind"] == "anchor"] == [1.0, 1.004]
    assert records[0]["anchor_energy_j"] == 1.002


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


def shifted_session(path, levels, windows):
    """Blocks 1, 2, … that end with anchors of these levels; block 0 is the first anchor alone."""
    name = "s1"
    records = [("header", {"session": name, "protocol": "wattree-1", "card": "f00d42"}), ("node", {"node": "n", "of": "op", "type": "add"})]
    for block, level in enumerate(levels):
        records += [("window", w | {"session": name, "block": block}) for w in windows.get(block, [])]
        records += [("anchor", {"session": name, "block": block, "energy_j": level, "time_s": 0.1, "deviation": level / levels[0] - 1})]
        if block:
            is_good = abs(level / levels[0] - 1) <= 0.01
            records += [("verdict", {"session": name, "block": block, "is_good": is_good, "deviation": level / levels[0] - 1})]
    path.mkdir()
    (path / "w.jsonl").write_text("".join(json.dumps({"kind": kind} | fields) + "\n" for kind, fields in records))
    return path


def test_after_a_lasting_shift_a_session_of_its_own_begins(tmp_path):
    windows = {1: [window("a")], 2: [window("b")], 3: [window("c")], 4: [window("d")]}
    folder = shifted_session(tmp_path / "1", [1.0, 1.001, 1.02, 1.021, 1.019], windows)
    packing.pack([folder], tmp_path / "strict")
    assert not (tmp_path / "strict/windows-b.jsonl").exists()
    assert windows_of([json.loads(line) for line in (tmp_path / "strict/windows-a.jsonl").read_text().splitlines()]) == {"a": 1.0}
    packing.pack([folder], tmp_path / "out", keeps_shifted=True)
    files = [[json.loads(line) for line in (tmp_path / f"out/windows-{letter}.jsonl").read_text().splitlines()] for letter in "ab"]
    # What was measured while the machine changed is in neither.
    assert [set(windows_of(records)) for records in files] == [{"a"}, {"c", "d"}]
    assert [records[0].get("is_shifted", False) for records in files] == [False, True]
    assert files[0][0]["anchor_energy_j"] == 1.0005 and files[1][0]["anchor_energy_j"] == 1.02
    assert all(r["is_good"] for r in files[1] if r["kind"] == "verdict")


def test_what_swings_back_and_forth_stays_thrown_out(tmp_path):
    folder = shifted_session(tmp_path / "1", [1.0, 1.02, 1.0, 1.03], {1: [window("a")], 2: [window("b")], 3: [window("c")]})
    packing.pack([folder], tmp_path / "out", keeps_shifted=True)
    assert not (tmp_path / "out/windows-b.jsonl").exists()
    assert windows_of([json.loads(line) for line in (tmp_path / "out/windows-a.jsonl").read_text().splitlines()]) == {"b": 1.0}


def test_attention_says_whether_it_is_causal():
    def op(name, arguments, **keywords):
        return {"name": name, "arguments": arguments, "keywords": keywords}

    tensors = [{"tensor": "bf16[1,8,64,64]"}] * 3
    assert packing.is_causal(op("_scaled_dot_product_cudnn_attention", [*tensors, None, False, 0.0, True]))
    assert packing.is_causal(op("_scaled_dot_product_flash_attention", [*tensors, 0.0, True]))
    assert packing.is_causal(op("_scaled_dot_product_efficient_attention", [*tensors, None, False], is_causal=True))
    assert not packing.is_causal(op("_scaled_dot_product_cudnn_attention", [*tensors, None, False]))
    assert not packing.is_causal(op("mm", [{"tensor": "bf16[8,8]"}] * 2))
    assert not packing.is_causal(None)
