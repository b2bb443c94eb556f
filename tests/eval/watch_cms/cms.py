"""The three content management systems: how each is installed in a folder, served, and changed."""
import json
import os
import re
import shutil
import signal
import subprocess
import time

import content
import server

HERE = os.path.dirname(os.path.abspath(__file__))
APT = "apt-get install --no-install-recommends " + " ".join(
    "wordpress wordpress-theme-twentytwentyone wordpress-theme-twentytwentytwo wordpress-theme-twentytwentythree "
    "mediawiki mariadb-server-core php-cli php-mysql php-sqlite3 php-xml php-mbstring php-intl".split())
NPM = ("npm install hexo-cli hexo hexo-theme-landscape hexo-theme-next hexo-renderer-marked hexo-renderer-ejs "
       "hexo-renderer-stylus hexo-generator-index hexo-generator-archive hexo-generator-category hexo-generator-tag")
UNAVAILABLE = (b"<!DOCTYPE html><html><head><title>Maintenance</title></head><body><h1>Maintenance</h1>"
               b"<p>Briefly unavailable for scheduled maintenance. Check back in a minute.</p></body></html>")


def run(*words, **options):
    r = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if r.returncode:
        raise RuntimeError("%s: %s" % (" ".join(map(str, words[:4])), r.stdout[-800:]))
    return r.stdout


class Cms:
    name, themes, guard, options = "", (), None, ()

    def __init__(self, folder, port, sources):
        self.dir, self.port, self.sources, self.processes = folder, port, sources, []
        self.host, self.url = "127.0.0.1:%d" % port, "http://127.0.0.1:%d" % port
        os.makedirs(folder)
        self.front = server.Front(port, self.site())

    def site(self):
        return server.upstream(self.port + 1, self.host)

    def spawn(self, *words, **options):
        with open(self.dir + "/log", "a") as log:
            self.processes.append(subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, **options))

    def serve_php(self, front):
        env = dict(os.environ, CMS_FRONT=front, PHP_CLI_SERVER_WORKERS="3")
        self.spawn("php", "-d", "opcache.enable_cli=1", "-d", "display_errors=0", "-S", "127.0.0.1:%d" % (self.port + 1),
                   "-t", self.root, HERE + "/php_router.php", env=env, start_new_session=True)

    def ready(self, path="/"):
        for _ in range(100):
            try:
                if self.front.site(path, {})[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(.2)
        raise RuntimeError("%s does not answer: %s" % (self.name, open(self.dir + "/log").read()[-600:]))

    def stop(self):
        for p in reversed(self.processes):
            if p.poll() is None:
                try:
                    (os.killpg if os.getpgid(p.pid) == p.pid else os.kill)(p.pid, signal.SIGTERM)
                    p.wait(20)
                except subprocess.TimeoutExpired:
                    p.kill()
        self.front.stop()

    def missing(self):
        self.front.override = (404, [("Content-Type", "text/html")], b"<html><body><h1>404 Not Found</h1></body></html>")

    def maintenance(self, status=503):
        self.front.override = (status, [("Content-Type", "text/html")], UNAVAILABLE)

    def back(self):
        self.front.override = None


class WordPress(Cms):
    name, themes, guard = "wordpress", ("twentytwentyone", "twentytwentythree", "twentytwentytwo"), ("title", "article h1.entry-title")

    def php(self, verb, argument="", data=None):
        return run("php", HERE + "/wordpress.php", self.root, self.url, verb, argument, input=json.dumps(data))

    def install(self):
        self.root, socket = self.dir + "/root", self.dir + "/mysql.socket"
        run("cp", "-rL", "/usr/share/wordpress", self.root)
        with open(self.root + "/wp-config.php", "w") as f:
            f.write("""<?php
define('DB_NAME', 'wp'); define('DB_USER', 'root'); define('DB_PASSWORD', ''); define('DB_HOST', 'localhost:%s');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', ''); define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true); define('WP_DEBUG', false);
foreach (['AUTH_KEY','SECURE_AUTH_KEY','LOGGED_IN_KEY','NONCE_KEY','AUTH_SALT','SECURE_AUTH_SALT','LOGGED_IN_SALT','NONCE_SALT'] as $k) define($k, $k);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
""" % socket)
        plugins = self.root + "/wp-content/mu-plugins"
        os.makedirs(plugins, exist_ok=True)
        shutil.copy(HERE + "/prefix_plugin.php", plugins)
        self.prefix = plugins + "/prefix"
        data = self.dir + "/mysql"
        os.mkdir(data)
        user = ["--user=nobody"] if os.getuid() == 0 else []
        if user:
            shutil.chown(data, "nobody")
            os.chmod(self.dir, 0o777)
        run("mariadb-install-db", "--no-defaults", "--datadir=" + data, "--skip-test-db", "--auth-root-authentication-method=normal", *user)
        self.spawn("mariadbd", "--no-defaults", "--datadir=" + data, "--socket=" + socket, "--pid-file=" + data + "/pid",
                   "--skip-networking", "--innodb-flush-log-at-trx-commit=0", *user)
        for _ in range(100):
            if os.path.exists(socket):
                break
            time.sleep(.2)
        run("php", "-r", "mysqli_query(mysqli_connect('localhost','root','','',0,'%s'), 'create database wp character set utf8mb4');" % socket)
        self.php("install", self.themes[0])
        self.php("rewrite")
        self.php("posts", data=[dict(content.post(n), number=n) for n in range(36)])
        self.php("pages", data=[content.page(n) for n in range(15)])
        self.posts = 36
        self.serve_php("index.php")
        self.ready()

    def new_content(self):
        self.php("posts", data=[dict(content.post(n), number=n) for n in range(self.posts, self.posts + 3)])
        self.posts += 3
        self.php("comments", data=[dict(comments=[("Visitor", content.Text(9000 + n).sentence())]) for n in range(5)])

    def menu(self):
        self.php("menu", data=dict(title="Contact", url=self.url + "/overview/?contact"))

    def theme(self, name):
        self.php("theme", name)

    def rename(self):
        with open(self.prefix, "w") as f:
            f.write("hn-")

    def rename_back(self):
        os.unlink(self.prefix)

    def maintenance(self, status=503):
        if status == 503:
            with open(self.root + "/.maintenance", "w") as f:
                f.write("<?php $upgrading = time();")
        else:
            super().maintenance(status)

    def back(self):
        super().back()
        if os.path.exists(self.root + "/.maintenance"):
            os.unlink(self.root + "/.maintenance")


class MediaWiki(Cms):
    name, themes, guard = "mediawiki", ("vector", "monobook"), ("heading", "#firstHeading")
    options = ("--exclude", "/index.php", "--exclude", "/wiki/Special:")   # histories, forms, and logs, as its manual says for robots

    def php(self, script, *words):
        return run("php", "%s/maintenance/%s" % (self.root, script), *words, cwd=self.root)

    def install(self):
        self.root, self.settings = self.dir + "/root", self.dir + "/root/LocalSettings.php"
        os.mkdir(self.root)
        for x in os.listdir("/usr/share/mediawiki"):
            if x != "LocalSettings.php":
                run("cp", "-rL", "/usr/share/mediawiki/" + x, self.root)
        os.makedirs(self.dir + "/data")
        self.php("install.php", "--dbtype=sqlite", "--dbpath=" + self.dir + "/data", "--dbname=wiki", "--pass=a-long-passphrase-1",
                 "--server=" + self.url, "--scriptpath=", "Harbour wiki", "Admin")
        with open(self.settings, "a") as f:
            f.write("\nwfLoadSkin('Vector'); wfLoadSkin('MonoBook'); $wgUsePathInfo = true; $wgJobRunRate = 0;\n"
                    "$wgArticlePath = '/wiki/$1'; $wgDefaultSkin = @file_get_contents(__DIR__ . '/skin') ?: 'vector';\n"
                    "$wgParserCacheType = CACHE_NONE; $wgMainCacheType = CACHE_NONE; $wgUseFileCache = false;\n")
        self.pages = 0
        self.add_pages(42)
        self.edit("Main Page", "Welcome.\n\n" + "\n".join("* [[%s]]" % self.title(n) for n in range(42)))
        self.edit("MediaWiki:Sidebar", "* navigation\n** mainpage|Main page\n** Special:AllPages|All pages\n** Special:Categories|Categories\n")
        for name in content.CATEGORIES[:4]:
            self.edit("Category:" + name, content.Text(len(name)).sentence())
        self.php("runJobs.php")
        self.serve_php("index.php")
        self.ready("/wiki/Main_Page")

    def edit(self, title, text):
        run("php", self.root + "/maintenance/edit.php", "--user=Admin", title, input=text, cwd=self.root)

    def title(self, n):
        return content.page(n)["title"]

    def add_pages(self, count):
        folder = self.dir + "/texts"
        os.makedirs(folder, exist_ok=True)
        paths = []
        for n in range(self.pages, self.pages + count):
            d = content.post(n)
            paths.append("%s/%s.txt" % (folder, self.title(n)))
            with open(paths[-1], "w") as f:
                f.write("\n\n".join(d["paragraphs"][:2] + ["== %s ==" % (d["heading"] or "History")] + d["paragraphs"][2:]
                                    + ["See also [[%s]]." % self.title((n * 7 + 3) % 42), "[[Category:%s]]" % content.CATEGORIES[n % 4]]))
        self.php("importTextFiles.php", "--user=Admin", "--overwrite", *paths)
        self.pages += count

    def new_content(self):
        self.add_pages(3)
        self.php("runJobs.php")

    def menu(self):
        self.edit("MediaWiki:Sidebar", "* navigation\n** mainpage|Main page\n** Special:AllPages|All pages\n** Special:Categories|Categories\n** Category:News|News\n")

    def theme(self, name):
        with open(self.root + "/skin", "w") as f:
            f.write(name)
        os.utime(self.settings)     # its time is part of Last-Modified

    rename = None


class Hexo(Cms):
    name, themes, guard = "hexo", ("landscape", "next"), ("title", "h1.article-title")

    def site(self):
        types = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".xml": "application/xml"}

        def ask(path, _headers):
            path = os.path.normpath("/" + path.split("?")[0]).lstrip("/")
            file = os.path.join(self.dir, "public", path)
            if os.path.isdir(file):
                file += "/index.html"
            try:
                with open(file, "rb") as f:
                    return 200, [("Content-Type", types.get(os.path.splitext(file)[1], "application/octet-stream"))], f.read()
            except FileNotFoundError:
                return 404, [("Content-Type", "text/html")], b"<h1>404</h1>"
        return ask

    def install(self):
        os.symlink(os.path.join(self.sources, "node_modules"), self.dir + "/node_modules")
        with open(os.path.join(self.sources, "package.json")) as f, open(self.dir + "/package.json", "w") as own:
            json.dump(dict(json.load(f), hexo={"version": ""}), own)
        os.makedirs(self.dir + "/source/_posts")
        self.look, self.links, self.posts = self.themes[0], {"Home": "/", "Archives": "/archives", **{"Page %d" % n: "/page-%d" % n for n in range(5)}}, 0
        self.add_posts(42)
        for n in range(6):
            os.makedirs("%s/source/page-%d" % (self.dir, n))
            d = content.page(n)
            with open("%s/source/page-%d/index.md" % (self.dir, n), "w") as f:
                f.write("---\ntitle: %s\n---\n%s\n" % (d["title"], "\n\n".join(d["paragraphs"])))
        self.generate()

    def add_posts(self, count):
        for n in range(self.posts, self.posts + count):
            d = content.post(n)
            with open("%s/source/_posts/post-%d.md" % (self.dir, n), "w") as f:
                f.write("---\ntitle: %s\ndate: %s\ncategories: [%s]\ntags: [%s]\n---\n%s\n" % (
                    d["title"], time.strftime("%Y-%m-%d 10:00:00", time.gmtime(1767225600 + 86400 * n)), d["category"], ", ".join(d["tags"]),
                    "\n\n".join(d["paragraphs"])))
        self.posts += count

    def generate(self):
        menu = "".join("  %s: %s\n" % x for x in self.links.items())
        with open(self.dir + "/_config.yml", "w") as f:
            f.write("title: Harbour notes\nurl: %s\nroot: /\npermalink: :year/:title/\ntheme: %s\nper_page: 8\nsource_dir: source\n"
                    "public_dir: next_public\nsyntax_highlighter: ''\nindex_generator: {per_page: 8, order_by: -date}\n"
                    "theme_config:\n  menu:\n%s" % (self.url, self.look, menu.replace("  ", "    ")))
        for f in ("db.json", "next_public"):
            run("rm", "-rf", os.path.join(self.dir, f))
        run("node", os.path.join(self.sources, "node_modules/hexo-cli/bin/hexo"), "generate", "--silent", cwd=self.dir)
        run("rm", "-rf", self.dir + "/old")
        if os.path.isdir(self.dir + "/public"):
            os.rename(self.dir + "/public", self.dir + "/old")
        os.rename(self.dir + "/next_public", self.dir + "/public")

    def new_content(self):
        self.add_posts(3)
        self.generate()

    def menu(self):
        self.links["Contact"] = "/page-5"
        self.generate()

    def theme(self, name):
        self.look = name
        self.generate()

    def rename(self):
        for folder, _, files in os.walk(self.dir + "/public"):
            for f in files:
                if f.endswith(".html"):
                    path = os.path.join(folder, f)
                    with open(path, encoding="utf-8") as x:
                        text = x.read()
                    with open(path + ".new", "w", encoding="utf-8") as x:
                        x.write(re.sub(r' class="([^"]*)"', lambda m: ' class="%s"' % re.sub(r"(?<![\w-])(?=[a-z])", "hn-", m[1]), text))
                    os.rename(path + ".new", path)

    def rename_back(self):
        self.generate()


ALL = {c.name: c for c in (WordPress, MediaWiki, Hexo)}
