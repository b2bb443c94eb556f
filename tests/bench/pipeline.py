"""pipeline.py [PAGES]: pages a second of the whole pipeline over loopback.

Copies of the sample site, each with words of its own, are served by nginx and
crawled without a delay; the daemon's own counters say where the time went.
"""

import os
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
import harness  # noqa: E402 (the folder must be on the path before)


def copy_site(root, count):
    """At least `count` pages under root; links stay inside a copy."""
    pages = [p.relative_to(harness.SITE) for p in harness.SITE.rglob("*.html")]
    links = []
    made = 0
    copy = 0
    while made < count:
        name = f"copy{copy}"
        for page in pages:
            body = (harness.SITE / page).read_bytes()
            body = body.replace(b'href="/', f'href="/{name}/'.encode())
            body = body.replace(b"</p>", f" In {name}.</p>".encode())
            target = root / name / page
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(body)
            made += 1
        links.append(f'<a href="/{name}/">{name}</a>')
        copy += 1
    (root / "index.html").write_text("<html><body>" + "\n".join(links)
                                     + "</body></html>")


def below(pid):
    """The process and all that it has started, directly or not."""
    parents = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended meanwhile
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [pid]
    for process in found:
        found += parents.get(process, [])
    return found


def cpu_seconds(pid):
    """User and system time of the process and those below it."""
    user = system = 0
    for process in below(pid):
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
        times = stat.rsplit(")", 1)[1].split()[11:13]
        user += int(times[0])
        system += int(times[1])
    tick = os.sysconf("SC_CLK_TCK")
    return user / tick, system / tick


def peak_memory(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0


def metrics(daemon):
    """{name: value} of those without labels that end in _total."""
    rows = {}
    for line in daemon.get("/metrics").text.splitlines():
        if not line.startswith("#") and "{" not in line:
            name, value = line.split()
            rows[name] = float(value)
    return rows


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    root = pathlib.Path(tempfile.mkdtemp(prefix="td-bench-"))
    web = daemon = None
    try:
        copy_site(root, count)
        web = harness.Web(root)
        daemon = harness.Daemon().start()
        begin = time.monotonic()
        daemon.watch(web.url, max_pages=count + 1000, max_depth=100)
        site = daemon.wait_for(web.host)
        seconds = time.monotonic() - begin
        user, system = cpu_seconds(daemon.process.pid)
        status = daemon.json("/v1/status")
        print(f"pages            {site['pages']}")
        print(f"seconds          {seconds:.2f}")
        print(f"pages a second   {site['pages'] / seconds:.0f}")
        print(f"CPU seconds      {user:.2f} user, {system:.2f} system")
        print(f"peak memory      {peak_memory(daemon.process.pid):.0f} MiB")
        print(f"store            {status['store']['file_bytes'] >> 20} MiB")
        print(f"commits          {status['pipeline']['commits']}")
        for name, value in sorted(metrics(daemon).items()):
            if name.endswith("_seconds_sum"):
                print(f"{name:<44} {value:.3f}")
    finally:
        if daemon:
            daemon.remove()
        if web:
            web.stop()
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
