"""Metrics as an operator gets them: by hand, by promtool, by a real Prometheus.

What needs Debian's package `prometheus` is skipped where that is not installed.
"""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request

import harness

CONF = harness.ROOT / "conf"
RULES = CONF / "prometheus" / "templated.rules.yml"
RULES_TEST = pathlib.Path(__file__).with_name("templated.rules.test.yml")
MANUAL = harness.ROOT / "man" / "templated-metrics.7"
DASHBOARD = CONF / "grafana" / "templated.json"
HAS_PROMETHEUS = shutil.which("prometheus") and shutil.which("promtool")
needs_prometheus = unittest.skipUnless(
    HAS_PROMETHEUS, "the package prometheus is not installed")

SAMPLE = re.compile(r'(templated_[a-z_]+)(?:\{([a-z_]+="(?:[^"\\]|\\.)*"'
                    r'(?:,[a-z_]+="(?:[^"\\]|\\.)*")*)\})? (\S+)')
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count")}


def read_metrics(text):
    """({name: type}, {name: {labels: value}}); a line that is none fails."""
    types, samples, helped = {}, {}, set()
    name = None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped.add(line.split(" ", 3)[2])
            continue
        if line.startswith("# TYPE "):
            name, kind = line.split(" ")[2:]
            assert name in helped and name not in types, line
            types[name] = kind
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample, line
        names = [name + s for s in SUFFIXES.get(types[name], ("",))]
        assert sample[1] in names, f"{line}: not below {name}"
        rows = samples.setdefault(sample[1], {})
        assert sample[2] not in rows, f"{line}: twice"
        rows[sample[2]] = float(sample[3])
    return types, samples


def names_in(expressions):
    """The metrics that expressions of PromQL name."""
    return {name for expression in expressions
            for name in re.findall(r"\btemplated_[a-z_]+", expression)}


def dashboard_expressions():
    panels = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    return [t["expr"] for p in panels for t in p.get("targets", [])]


class Metrics(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.web = harness.Web(harness.SITE)
        cls.addClassCleanup(cls.web.stop)
        cls.daemon = harness.Daemon({"metrics": {"max_sites": 1}})
        cls.addClassCleanup(cls.daemon.remove)
        cls.read = str(cls.daemon.folder / "read")
        cls.listens = f"127.0.0.1:{harness.free_port()}"
        cls.daemon.configure({"socket": {"read_only_path": cls.read},
                              "listen": {"address": cls.listens}})
        cls.daemon.start()
        if HAS_PROMETHEUS:
            cls.start_prometheus()
        cls.site = cls.daemon.crawl(cls.web.url)
        cls.daemon.watch("http://127.0.0.1:9/")
        cls.daemon.wait_for_calm()
        cls.text = cls.daemon.get("/metrics").text
        cls.types, cls.samples = read_metrics(cls.text)

    # Its first scrape comes after five seconds: it begins before all else.
    @classmethod
    def start_prometheus(cls):
        token = cls.daemon.ctl("token", "add", "--read", "prometheus").stdout
        folder = pathlib.Path(tempfile.mkdtemp(prefix="td-prometheus-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        conf = folder / "prometheus.yml"
        conf.write_text(json.dumps({
            "global": {"scrape_interval": "200ms", "scrape_timeout": "200ms",
                       "evaluation_interval": "200ms"},
            "rule_files": [str(RULES)],
            "scrape_configs": [{"job_name": "templated", "static_configs": [
                {"targets": [cls.listens]}],
                "authorization": {"credentials": token.strip()}}]}))
        port = harness.free_port()
        log = open(folder / "log", "w", encoding="utf-8")
        cls.addClassCleanup(log.close)
        process = subprocess.Popen(
            ["prometheus", f"--config.file={conf}",
             f"--storage.tsdb.path={folder / 'data'}",
             f"--web.listen-address=127.0.0.1:{port}"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        cls.addClassCleanup(process.wait, 30)
        cls.addClassCleanup(process.kill)
        cls.prometheus = f"http://127.0.0.1:{port}"

    def value(self, name, labels=None):
        return self.samples["templated_" + name][labels]

    def test_numbers_are_those_of_the_crawl(self):
        pages = self.site["pages"]
        asked = [r for r in self.web.requests() if r[1] != "/robots.txt"]
        self.assertEqual(self.value("pages_committed_total"), pages)
        self.assertEqual(self.value("fetch_duration_seconds_count"),
                         self.value("fetch_responses_total"))
        self.assertEqual(self.value("fetch_responses_total"), len(asked))
        self.assertEqual(self.value("analysis_duration_seconds_count"), pages)
        self.assertEqual(self.value("commit_duration_seconds_count"),
                         self.value("commits_total"))
        self.assertEqual(self.value("events_total", 'kind="page.added"'),
                         pages)
        self.assertEqual(self.value("rows", 'table="records"'), pages)

    def test_requests_are_of_their_listener(self):
        connection = harness.UnixConnection(self.read, 30)
        self.addCleanup(connection.close)
        before = self.value("http_responses_total", 'status="4xx"')
        connection.request("GET", "/v1/status")
        self.assertEqual(harness.Answer(connection.getresponse()).status, 403)
        _, later = read_metrics(self.daemon.get("/metrics").text)
        self.assertEqual(
            later["templated_http_requests_total"]['listener="read"'], 1)
        self.assertGreater(
            later["templated_http_requests_total"]['listener="socket"'], 1)
        self.assertEqual(
            later["templated_http_responses_total"]['status="4xx"'], before + 1)

    def test_histograms_are_cumulative(self):
        for name in [n for n, t in self.types.items() if t == "histogram"]:
            buckets = list(self.samples[name + "_bucket"].items())
            counts = [count for _, count in buckets]
            self.assertEqual(counts, sorted(counts), name)
            self.assertEqual(buckets[-1][0], 'le="+Inf"')
            self.assertEqual(counts[-1], self.samples[name + "_count"][None])
            self.assertGreater(self.samples[name + "_sum"][None], 0, name)

    def test_small_sites_are_one(self):
        self.assertEqual(
            self.samples["templated_site_pages"],
            {f'site="{self.web.host}"': self.site["pages"], 'site="*"': 0})

    def test_each_role_has_cpu_time_and_memory(self):
        for role in ("main", "spawner", "fetcher", "worker", "notifier"):
            label = f'role="{role}"'
            self.assertGreater(self.value("process_cpu_seconds_total", label),
                               0)
            self.assertGreater(
                self.value("process_resident_memory_bytes", label), 1 << 20)
            self.assertEqual(self.value("processes", label),
                             self.value("process_starts_total", label))

    def test_dashboard_and_rules_name_what_there_is(self):
        there = set(self.types) | {name + suffix
                                   for name, kind in self.types.items()
                                   for suffix in SUFFIXES.get(kind, ())}
        # which this daemon, alone, has not
        there |= set(re.findall(r"^\.It Li (templated_node\w+) :",
                                MANUAL.read_text("utf-8"), re.M))
        shown = names_in(dashboard_expressions())
        self.assertGreater(len(shown), 30)
        self.assertEqual(shown - there, set())
        rules = re.sub(r"#.*", "", RULES.read_text("utf-8"))
        self.assertEqual(names_in([rules]) - there, set())

    def test_each_rule_is_tested(self):
        rules = re.findall(r"- alert: (\w+)", RULES.read_text("utf-8"))
        tested = re.findall(r"- name: (\w+)", RULES_TEST.read_text("utf-8"))
        self.assertEqual(rules, tested)

    @needs_prometheus
    def test_promtool_has_no_remark(self):
        done = subprocess.run(["promtool", "check", "metrics"],
                              input=self.text, text=True, check=False,
                              capture_output=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr),
                         (0, ""))

    @needs_prometheus
    def test_rules_fire_when_they_shall(self):
        done = harness.run(["promtool", "test", "rules", RULES_TEST])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def ask(self, url, **arguments):
        query = urllib.parse.urlencode(arguments)
        try:
            with urllib.request.urlopen(f"{url}?{query}", timeout=5) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            # 503: it has not read its rules yet
            return None if error.code == 503 else json.load(error)
        except OSError:
            return None

    @needs_prometheus
    def test_what_prometheus_scrapes_answers_the_dashboard(self):
        base = self.prometheus

        def query(expression):
            reply = self.ask(base + "/api/v1/query", query=expression)
            return reply and reply.get("data", {}).get("result")

        def was_scraped():
            return query("sum_over_time(up[10s]) > 2")
        harness.wait_until(was_scraped, "three scrapes by Prometheus")
        self.assertEqual(
            query("templated_rows{table='records'}")[0]["value"][1],
            str(self.site["pages"]))
        for expression in dashboard_expressions():
            expression = (expression.replace("$job", ".*")
                          .replace("$instance", ".*")
                          .replace("$__rate_interval", "10s"))
            reply = self.ask(base + "/api/v1/query", query=expression)
            self.assertEqual(reply["status"], "success", reply)
        groups = self.ask(base + "/api/v1/rules")["data"]["groups"]
        self.assertEqual({r["health"] for g in groups for r in g["rules"]},
                         {"ok"}, groups)


if __name__ == "__main__":
    harness.main()
