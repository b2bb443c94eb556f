"""What openapi.yaml promises, asked for by a client that is made from it.

The client knows nothing but the file: it fills in parameters, sends the bodies
that stand there as examples, and holds each answer, its status, its media type
and its JSON against what is said of the operation; over the socket and over TCP.
"""

import http.client
import json
import re
import sys
import urllib.parse

import harness

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

METHODS = ("get", "post", "delete")


class Client:
    """Operations by their names; asks by `send(method, target, body, headers)`."""

    def __init__(self, document, send):
        self.document = document
        self.send = send
        self.operations = {}
        for path, item in document["paths"].items():
            for method in METHODS:
                if method in item:
                    operation = dict(item[method], path=path, method=method)
                    operation["rows"] = [
                        self.resolve(row) for row in
                        item.get("parameters", []) +
                        item[method].get("parameters", [])]
                    self.operations[operation["operationId"]] = operation

    def resolve(self, node):
        while "$ref" in node:
            target = self.document
            for part in node["$ref"][2:].split("/"):
                target = target[part]
            node = target
        return node

    def target(self, operation, values):
        path, query = operation["path"], {}
        for row in operation["rows"]:
            name = row["name"]
            if row["in"] == "path":
                path = path.replace("{%s}" % name, urllib.parse.quote(
                    str(values[name]), safe=""))
            elif row["in"] == "query" and name in values:
                query[name] = values[name]
        return path + ("?" + urllib.parse.urlencode(query) if query else "")

    def body(self, operation):
        """The media type and the bytes of the example; or (None, None)."""
        for media_type, content in operation.get(
                "requestBody", {}).get("content", {}).items():
            example = content.get("example")
            if example is not None:
                return media_type, (
                    example if isinstance(example, str)
                    else json.dumps(example)).encode()
        return None, None

    def ask(self, name, /, body=None, **values):
        """The answer, which is as the file says; else AssertionError."""
        operation = self.operations[name]
        media_type, example = self.body(operation)
        headers = {row["name"]: values[row["name"]]
                   for row in operation["rows"]
                   if row["in"] == "header" and row["name"] in values}
        answer = self.send(operation["method"].upper(),
                           self.target(operation, values),
                           example if body is None else body,
                           {"Content-Type": media_type or "text/plain",
                            **headers})
        self.check(name, operation, answer)
        return answer

    def check(self, name, operation, answer):
        responses = operation["responses"]
        status = str(answer.status)
        if status not in responses and answer.status < 400:
            raise AssertionError(f"{name}: {status} is not said")
        response = self.resolve(responses.get(status, responses["default"]))
        content = response.get("content", {})
        media_type = answer.type.partition(";")[0]
        if content and media_type not in content:
            raise AssertionError(f"{name}: {status}: {media_type} is not said")
        schema = content.get(media_type, {}).get("schema")
        if schema is None:
            return
        values = ([answer.json] if media_type == "application/json" else
                  [json.loads(line) for line in answer.text.splitlines()]
                  if media_type == "application/x-ndjson" else [answer.text])
        validator = jsonschema.Draft202012Validator(
            {**schema, "components": self.document["components"]})
        for value in values:
            for error in validator.iter_errors(value):
                raise AssertionError(
                    f"{name}: {status}: {list(error.absolute_path)}: "
                    f"{error.message[:300]}")


class OpenApi(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.document = yaml.safe_load(
            (harness.ROOT / "openapi.yaml").read_text("utf-8"))

    def over_socket(self, method, target, body, headers):
        connection = harness.UnixConnection(self.server.socket, 60)
        return self.exchange(connection, method, target, body, headers)

    def over_tcp(self, method, target, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=60)
        return self.exchange(connection, method, target, body, {
            "Authorization": "Bearer " + self.token, **headers})

    def exchange(self, connection, method, target, body, headers):
        try:
            connection.request(method, target, body=body, headers=headers)
            return harness.Answer(connection.getresponse())
        finally:
            connection.close()

    def values(self, client, host):
        """What the parameters may be, by their names; of what there is."""
        cluster = client.ask("getTemplates", host=host).json["templates"][0]
        page = client.ask("getPages", host=host,
                          n=cluster["id"].rpartition("/")[2]).json["pages"][0]
        return {"host": host, "n": cluster["id"].rpartition("/")[2],
                "url": page["url"], "v": 1, "from": 1, "to": 1,
                "view": "pick"}

    def choices(self, operation):
        """Each value of each parameter that has a list of them."""
        yield {}
        for row in operation["rows"]:
            for value in row["schema"].get("enum", ()):
                yield {row["name"]: value}

    def ask_all(self, client, values, may, choices):
        """Each GET, with each of the choices. `may` is the set of roles."""
        for name, operation in client.operations.items():
            if operation["method"] != "get" or operation["path"] == "/login":
                continue
            needed = dict(values)
            if "guards" in operation["path"] or "hooks" in operation["path"]:
                needed["n"] = 1
            if "incidents/" in operation["path"]:
                needed["n"] = self.incident
            if name == "getFeedOfKey":
                needed["name"] = self.key
            if name in ("getQuarantine", "getRecords"):
                del needed["url"]
            if name == "getRecordCopy":
                needed["field"] = client.ask("getFields", **values).json[
                    "fields"][0]["name"]
            for choice in choices(operation):
                answer = client.ask(name, **{**needed, **choice})
                is_allowed = operation["x-role"] in {*may, "anybody"}
                wanted = (200,) if is_allowed else (403,)
                if name in ("getDiff", "getNodes") or "Screenshot" in name:
                    # it has one version alone; there are no nodes and no
                    # browser
                    wanted = (*wanted, 404)
                if choice.get("render") == 1:
                    wanted = (422,)  # there is no browser
                self.assertIn(answer.status, wanted,
                              f"{name} {choice} {answer.body[:300]}")

    def ask_wrongly(self, client, values):
        """What is not there, and what is none, are errors as they are said."""
        for name, operation in client.operations.items():
            if operation["path"] == "/login":
                continue
            for row in operation["rows"]:
                wrong = {"host": "none.test", "n": 4000000000,
                         "name": "none"}.get(row["name"], "\x01wrong")
                if row["in"] != "header" and name != "getQuarantine":
                    answer = client.ask(name, body=b"{",
                                        **{**values, "name": "x",
                                           row["name"]: wrong})
                    self.assertLess(answer.status, 500, name)
            if operation.get("requestBody") and name not in (
                    "extract", "extractBatch", "extractRecord", "ingest",
                    "render"):
                self.assertEqual(
                    client.ask(name, body=b"\0", **values).status, 400, name)

    def change_all(self, client, values, web):
        """Whatever changes something, by the examples of the file."""
        host = {"host": values["host"]}
        again = json.dumps({"url": web.url, "max_pages": 5}).encode()
        self.assertEqual(client.ask("watchSite", body=again).status, 200)
        for name, status in (("addGuard", 201), ("addHook", 201),
                             ("addToken", 201), ("addSilence", 200),
                             ("compact", 200), ("changeFields", 200),
                             ("extractRecord", 200),
                             ("extract", 200), ("extractBatch", 200)):
            answer = client.ask(name, **host, n=values["n"])
            self.assertEqual(answer.status, status, (name, answer.text))
        answer = client.ask("addFeed")
        self.assertEqual(answer.status, 201, answer.text)
        self.key = answer.json["url"].rpartition("/")[2]
        self.assertEqual(client.ask("extract", format="json").json["quality"],
                         "ok")
        for name, number, status in (("testHook", 1, 200),
                                     ("acknowledge", 1, 200)):
            self.assertEqual(client.ask(name, n=number).status, status, name)
        warc = next((harness.ROOT / "tests" / "data" / "warc").iterdir())
        self.assertEqual(client.ask("ingest",
                                    body=warc.read_bytes()).status, 200)

    def ask_again(self, client, values):
        """What has a 304 gives it to who has the answer already, once that is
        no longer changed by what was asked for before."""
        for name, operation in client.operations.items():
            if "304" not in operation["responses"]:
                continue
            if name == "getFeedOfKey":
                values = {**values, "name": self.key}

            def is_known(name=name, values=values):
                tag = client.ask(name, **values).headers["ETag"]
                answer = client.ask(name, **values, **{"If-None-Match": tag})
                return (answer.status, answer.body) == (304, b"")
            harness.wait_until(is_known, name, 10)

    def delete_all(self, client, host, url, n):
        field = client.ask("getFields", host=host, n=n).json["fields"][0]["name"]
        for name, values in (("deleteField", {"n": n, "name": field}),
                             ("deleteGuard", {"n": 1}),
                             ("deleteHook", {"n": 1}),
                             ("deleteSilence", {"n": 1}),
                             ("deleteToken", {"name": "dashboard"}),
                             ("deleteFeed", {"name": "phone"}),
                             ("deletePage", {"url": url}),
                             ("deleteSite", {})):
            answer = client.ask(name, host=host, **values)
            self.assertEqual(answer.status, 200, (name, answer.text))

    def test_answers_are_as_they_are_said(self):
        web = self.web()
        self.port = harness.free_port()
        self.server = self.daemon({"listen": {
            "address": f'"127.0.0.1:{self.port}"', "rate_limit": 0}})
        host = self.server.crawl(web.url, max_pages=30)["host"]
        client = Client(self.document, self.over_socket)
        values = self.values(client, host)
        self.change_all(client, values, web)
        self.incident = self.alert(self.server)["detail"]["incident"]
        self.assertEqual(client.ask("acknowledgeIncident",
                                    n=self.incident).status, 200)
        self.assertEqual(client.ask("commentIncident",
                                    n=self.incident).status, 200)
        self.ask_all(client, values, {"read", "write", "owner"}, self.choices)
        self.ask_again(client, values)
        self.ask_wrongly(client, values)
        remote = Client(self.document, self.over_tcp)
        for role, may in (("read", {"read"}), ("write", {"read", "write"})):
            answer = self.server.post("/v1/tokens", {"name": role,
                                                     "role": role})
            self.token = answer.json["token"]
            self.ask_all(remote, values, may, lambda _: ({},))
        self.token = "td_unknown"
        self.assertEqual(remote.ask("getMetrics").status, 401)
        self.assertEqual(remote.ask("loginForm").status, 200)
        self.assertEqual(remote.ask("login", body=b"token=x").status, 401)
        form = b"token=" + answer.json["token"].encode()
        self.assertEqual(remote.ask("login", body=form).status, 303)
        self.assertEqual(remote.ask("logout").status, 303)
        self.server.wait_for_calm()  # else the page may be on its way
        self.delete_all(client, host, values["url"], values["n"])

    def test_a_wrong_answer_is_seen(self):
        """The client itself: what is not as it is said does not pass."""
        class Lie:
            status, type, text = 200, "application/json", "{}"
            json = {"tokens": [{"name": "x", "role": "king",
                                "created": None}]}
        client = Client(self.document, lambda *_: Lie)
        self.assertRaisesRegex(AssertionError, "king", client.ask, "getTokens")
        Lie.json = {}
        self.assertRaisesRegex(AssertionError, "required", client.ask,
                               "getTokens")
        Lie.type = "text/html"
        self.assertRaisesRegex(AssertionError, "html", client.ask, "getTokens")
        Lie.status = 204
        self.assertRaisesRegex(AssertionError, "204", client.ask, "getTokens")
        names = {word for path in self.document["paths"]
                 for word in re.findall(r"{(\w+)}", path)}
        self.assertEqual(names, {"host", "n", "name", "v"})


if __name__ == "__main__":
    harness.main()
