"""Calls a running server by a client that was generated from its OpenAPI document: check_client.py FOLDER URL.

FOLDER holds the package `client`, as openapi-python-client writes it (tools/check_http does)."""

import importlib
import sys

sys.path.insert(0, sys.argv[1])


def operation(tag, name):
    return importlib.import_module(f"client.api.{tag}.{name}")


def model(name):
    return getattr(importlib.import_module("client.models"), name)


def main():
    caller = importlib.import_module("client").Client(base_url=sys.argv[2])
    regions = operation("look_up", "regions").sync(client=caller, words="georgia")
    assert any(region.code == "US-GA" for region in regions.regions)
    predicted = operation("prediction", "predict").sync_detailed(client=caller, model="bert-tiny", batch=2, seq=16)
    assert predicted.status_code == 200
    body = model("EstimateProfileBody")(name="A run", hardware="T4", hours=1.0)
    kept = operation("profiles", "estimate_profile").sync(client=caller, body=body)
    assert kept.device_energy_j == 70 * 3600, kept
    listed = operation("profiles", "profiles").sync(client=caller, q="run")
    assert kept.id in [entry.id for entry in listed.profiles]
    emitted = operation("profiles", "carbon").sync(client=caller, run=kept.id, intensity="1000g/kWh")
    assert abs(emitted.curve.points[-1].carbon_gco2e - 70) < 1e-9, emitted  # 70 Wh at 1 g/Wh.
    assert operation("profiles", "delete_profile").sync(kept.id, client=caller).id == kept.id
    missing = operation("profiles", "profile").sync_detailed("none", client=caller)
    assert missing.status_code == 404
    print("a generated client finds what it asks for")


if __name__ == "__main__":
    main()
