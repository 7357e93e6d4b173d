"""The OpenAPI document is true: every operation of it is driven against a running server, and every answer validated."""

import json
import subprocess

import jsonschema
import pytest

# Parameters that not every model knows, and one that does.
MODEL_FOR = {"past": "gpt2", "target_len": "t5-small", "as": "bert-base-uncased"}
# What else a parameter needs to make sense.
TOGETHER = {"all": {"top": ["3"]}, "passes_per_query": {"queries": ["10"]}, "format": {"region": ["US-GA"]},
            **{name: {"other_model": ["bert-tiny"]}
               for name in ("other_batch", "other_seq", "other_dtype", "other_on", "other_passes", "other_factor")}}


@pytest.fixture(scope="module")
def document(root):
    return json.loads((root / "docs/openapi.json").read_text())


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method.upper(), operation


def check(document, schema, value):
    jsonschema.Draft202012Validator({**schema, "components": document["components"]}).validate(value)


def check_error(document, answer):
    assert answer.headers["Content-Type"] == "application/json"
    check(document, {"$ref": "#/components/schemas/error"}, answer.json())


def texts(example):
    """A parameter's example as a query has it."""
    values = example if isinstance(example, list) else [example]
    return [value if isinstance(value, str) else json.dumps(value) for value in values]


def required_query(operation, name=""):
    """What a call needs, to which a parameter of that name is added. A comparison has two forms."""
    place = {} if name == "intensity" else {"region": ["US-GA"]}
    if operation["operationId"] == "carbon":
        return {"run": ["2.5kWh"], **place}
    if operation["operationId"] == "compare_runs":
        return {"runs": ["2.5kWh", "3kWh"], **place}
    if operation["operationId"] == "compare":
        if name in ("a", "b") or name.startswith("b."):
            return {"a": ["bert-base-uncased"]}
        return {"models": ["bert-base-uncased", "bert-large-uncased"]}
    return {p["name"]: texts(p["example"]) for p in operation.get("parameters", [])
            if p["in"] == "query" and p["required"]}


def filled(path, operation, server):
    """With the examples in it; no run goes on here, so that "current" is the one that has ended."""
    for p in operation.get("parameters", []):
        if p["in"] == "path":
            value = p["example"]
            if value == "current":
                value = server.ask("GET", "/api/v1/runs").json()["runs"][0]["id"]
            path = path.replace("{" + p["name"] + "}", str(value))
    return path


def check_answer(document, operation, answer):
    assert answer.status == 200, answer.body
    described = operation["responses"]["200"]["content"]
    kind = answer.headers["Content-Type"]
    assert kind in described
    if kind == "application/json":
        check(document, described[kind].get("schema", {}), answer.json())
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_server_has_the_committed_document(server, document):
    assert server.ask("GET", "/api/v1/openapi.json").json() == document


def test_every_operation_answers_its_example(server, document):
    for path, method, operation in operations(document):
        body = None
        if "requestBody" in operation:
            body = operation["requestBody"]["content"]["application/json"].get("example")
        if operation["x-scope"] != "read":
            continue  # It changes what is kept, and has a test of its own.
        answer = server.ask(method, filled(path, operation, server), required_query(operation), body)
        check_answer(document, operation, answer)


def test_every_operation_that_changes_something_answers(server, document):
    """In an order in which each finds what it changes; with the document's own examples of bodies."""
    described = {operation["operationId"]: (path, method, operation) for path, method, operation in operations(document)}
    changing = {name for name, (_, _, operation) in described.items() if operation["x-scope"] != "read"}

    def ask(name, identity=None, query=None, body=None):
        path, method, operation = described[name]
        changing.discard(name)
        if body is None and "requestBody" in operation:
            body = operation["requestBody"]["content"]["application/json"]["example"]
        answer = server.ask(method, path.replace("{id}", str(identity)), query, body)
        check_answer(document, operation, answer)
        return answer.json()

    kept = ask("import_profile", query={"id": "mine", "tags": ["a", "b"]})["profiles"][0]
    assert (kept["id"], kept["tags"]) == ("mine", ["a", "b"])
    assert ask("change_profile", "mine", body={"name": "New", "tags": []})["name"] == "New"
    assert ask("delete_profile", "mine")["id"] == "mine"
    assert ask("restore_profile", "mine")["name"] == "New"
    assert ask("estimate_profile")["origin"] == "estimated"
    path, method, operation = described["estimate_profile"]
    example = operation["requestBody"]["content"]["application/json"]["example"]
    shown = server.ask(method, path, body={**example, "keep": False})
    check_answer(document, operation, shown)
    assert shown.json()["format"] == "wattree-profile"
    assert ask("tokens") == {"tokens": []}
    token = ask("create_token")
    assert ask("revoke_token", token["id"])["tokens"][0]["state"] == "revoked"
    # These need a folder of models or a tracker, and are tested where there is one.
    assert changing == {"add_model", "pause_run", "resume_run", "add_link", "remove_link"}


def test_every_parameter_of_a_query_is_taken(server, document):
    tried = 0
    for path, method, operation in operations(document):
        if method != "GET":
            continue
        for parameter in operation.get("parameters", []):
            if parameter["in"] != "query" or parameter["required"]:
                continue
            name = parameter["name"]
            query = {**required_query(operation, name), **TOGETHER.get(name, {}), name: texts(parameter["example"])}
            if name.removeprefix("b.") in MODEL_FOR and "a" in query:
                query["a"] = [MODEL_FOR[name.removeprefix("b.")]]
            if name in MODEL_FOR and "model" in query and operation["operationId"] != "generate":
                query["model"] = [MODEL_FOR[name]]
            if name in MODEL_FOR and "models" in query:
                query["models"] = [MODEL_FOR[name]] * 2
            answer = server.ask(method, filled(path, operation, server), query)
            if operation["operationId"] == "generate" and name in ("past", "target_len"):
                check_error(document, answer) if answer.status != 200 else None
                continue
            assert answer.status == 200, (operation["operationId"], query, answer.body)
            check_answer(document, operation, answer)
            tried += 1
    assert tried > 60


def test_every_field_of_a_body_is_taken(server, document):
    for path, method, operation in operations(document):
        content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        if "example" not in content or operation["tags"] != ["Prediction"]:
            continue
        by_get = document["paths"][path]["get"]
        for parameter in by_get["parameters"]:
            name = parameter["name"]
            if name.removeprefix("b.") in MODEL_FOR or parameter["in"] != "query":
                continue
            if operation["operationId"] == "compare_config" and (name in ("a", "b") or name.startswith("b.")):
                continue  # The other form of a comparison.
            value = parameter["example"]
            body = {**content["example"], **{k: int(v[0]) if k == "top" else v for k, v in TOGETHER.get(name, {}).items()
                                            if k == "top"}, name: value}
            check_answer(document, operation, server.ask(method, path, body=body))


def test_a_misspelt_parameter_is_named(server, document):
    for path, method, operation in operations(document):
        if method != "GET":
            continue
        answer = server.ask(method, filled(path, operation, server), {**required_query(operation), "bacth": "1"})
        assert answer.status == 400, (path, answer.body)
        check_error(document, answer)
        assert answer.json()["error"]["field"] == "bacth"


def test_other_methods_are_refused_with_those_that_work(server, document):
    for path, methods in document["paths"].items():
        operation = next(iter(methods.values()))
        answer = server.ask("PUT", filled(path, operation, server))
        assert answer.status == 405
        check_error(document, answer)
        assert {method.upper() for method in methods} <= set(answer.headers["Allow"].split(", "))


def test_answers_are_the_command_lines(server, wattree):
    for arguments, path, query in [
        (["tree", "t5-small", "-b", "2", "-s", "16", "--depth", "2"], "/api/v1/tree",
         {"model": "t5-small", "batch": 2, "seq": 16, "depth": 2, "fold": "no", "features": "no"}),
        (["predict", "bert-base-uncased", "-b", "4", "--on", "a100-sxm4-80gb", "--depth", "2"], "/api/v1/predict",
         {"model": "bert-base-uncased", "batch": 4, "on": "a100-sxm4-80gb", "depth": 2, "fold": "no", "features": "no"}),
        (["hardware", "h100"], "/api/v1/hardware", {"words": "h100"}),
        (["regions", "georgia"], "/api/v1/regions", {"words": "georgia"}),
        (["carbon", "2.5kWh", "--region", "US-GA"], "/api/v1/carbon", {"run": "2.5kWh", "region": "US-GA"}),
    ]:
        printed = subprocess.run([wattree, *arguments, "--json"], capture_output=True, text=True, check=True).stdout
        assert server.ask("GET", path, query).json() == json.loads(printed)


def test_an_unchanged_answer_is_not_sent_again(server):
    path, query = "/api/v1/predict", {"model": "gpt2", "batch": 3}
    first = server.ask("GET", path, query, headers={"Accept-Encoding": "gzip"})
    assert first.headers["Content-Encoding"] == "gzip"
    again = server.ask("GET", path, query, headers={"Accept-Encoding": "gzip", "If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")


def test_metrics_count_calls_and_the_cache(server):
    def figure(name):
        lines = server.ask("GET", "/metrics").body.decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))

    calls = 'wattree_http_requests_total{operation="tree",status="200"}'
    before = figure(calls), figure("wattree_cache_hits_total"), figure("wattree_cache_misses_total")
    for _ in range(3):
        server.ask("GET", "/api/v1/tree", {"model": "gpt2", "batch": 77})
    after = figure(calls), figure("wattree_cache_hits_total"), figure("wattree_cache_misses_total")
    assert [b - a for a, b in zip(before, after)] == [3, 2, 1]
