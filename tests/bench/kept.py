"""kept.py [PAGES=5000 [FOLDER]]: are answers that are kept those of now?

PAGES pages of FOLDER (the sample site's when there is none), each with words of
its own, are handed in, and then pages of the same templates, and changed ones,
all the time, while two clients ask for the text of every page three times: as
it may be kept, computed anew (an argument that changes nothing of the text is
another question), and as it may be kept again. Where both answers that may be
kept are of one generation of the site, and so is the other, all three must be
the same, byte for byte, with their headers. Fails on the first that is not.
"""

import concurrent.futures
import itertools
import json
import pathlib
import sys
import threading

import answers
import texts

harness = texts.harness
CLIENTS = 2
AT_ONCE = 50
HOST = "kept.invalid"


def url_of(number):
    return f"http://{HOST}/{number}"


def archive(bodies, numbers, version):
    """Pages as a WARC file; the version is a word in each."""
    records = []
    for number in numbers:
        body = bodies[number % len(bodies)].replace(
            b"</p>", f" Word{version} of {number}.</p>".encode())
        records.append(answers.record(url_of(number), body,
                                      f"{number}-{version}"))
    return b"".join(records)


def hand_in(daemon, bodies, numbers, version):
    for i in range(0, len(numbers), AT_ONCE):
        answer = daemon.request(
            "POST", "/v1/ingest",
            archive(bodies, numbers[i:i + AT_ONCE], version))
        if answer.status != 200:
            raise AssertionError(answer.text)


def change(daemon, bodies, pages, is_over):
    """A few pages at a time, some of them new; how many."""
    for version in itertools.count(1):
        if is_over.is_set():
            return version
        hand_in(daemon, bodies, [version * 7 % pages, pages + version],
                version)
        is_over.wait(0.02)


def ask(daemon, number, novelty=None):
    arguments = {"url": url_of(number), "format": "json"}
    if novelty is not None:
        arguments["exclude"] = f".new{novelty}"
    answer = daemon.get("/v1/text", **arguments)
    headers = sorted((name, value) for name, value in answer.headers.items()
                     if name.startswith("X-Templated"))
    if answer.status != 200:
        raise AssertionError(f"{number}: {answer.status} {answer.text}")
    return answer.body, headers


def generation(answer):
    return json.loads(answer[0])["generation"]


def compare(daemon, number):
    """Whether the site stood still for the three."""
    three = [ask(daemon, number), ask(daemon, number, 1), ask(daemon, number)]
    if len(set(map(generation, three))) != 1:
        return False
    if three[0] != three[1] or three[0] != three[2]:
        raise AssertionError(f"{url_of(number)}: {three}")
    return True


def counters(daemon):
    rows = dict(line.split() for line in daemon.get("/metrics").text.split("\n")
                if line.startswith("templated_answer_cache"))
    return {name.rsplit("_", 2)[1]: int(rows[name]) for name in (
        "templated_text_cache_hits_total",
        "templated_text_cache_misses_total")}


def main():
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else harness.SITE
    bodies = texts.bodies_of(folder)
    daemon = harness.Daemon({"text": {"cache_size": "1 GiB"}})
    is_over = threading.Event()
    try:
        daemon.start()
        hand_in(daemon, bodies, list(range(pages)), 0)
        with concurrent.futures.ThreadPoolExecutor(CLIENTS + 1) as threads:
            changing = threads.submit(change, daemon, bodies, pages, is_over)
            try:
                stood = sum(threads.map(lambda n: compare(daemon, n),
                                        range(pages)))
            finally:
                is_over.set()
        print(f"pages {pages}, all three of one generation {stood}, commits "
              f"meanwhile {changing.result()}, {counters(daemon)}")
    finally:
        daemon.remove()


if __name__ == "__main__":
    main()
