"""The real program on pages that its models never saw.

For each fold a build of templatectl has the models and the threshold of the
other folds, extracts the fold's pages, and score.py scores what it wrote.
"""

import shutil
import subprocess

import calibration
import common
import decision
import forest_model
import training

PUBLISHED = """\
rs-trafilatura (published)    .859 .932 .932 .844 .808 .716 .707 .641
MinerU-HTML 0.6B (published)  .827
trafilatura (published)       .791
dom-smoothie (published)      .762"""
TYPES = ("article", "documentation", "service", "forum", "collection",
         "listing", "product")


def build(models, folder, *targets):
    """A Release build with the models of a folder; its path."""
    common.call("cmake", "-S", common.ROOT, "-B", folder, "-G", "Ninja",
                "-DCMAKE_BUILD_TYPE=Release", f"-DMODELS={models}")
    common.call("nice", "ninja", "-C", folder, *targets)
    return folder


def thresholds(measured, weight, scope=None):
    """Calls of a model: the best thresholds of a scope (None: the default's),
    by F-beta, where a page counts its weight [pages]."""
    names = {favor: ("TRADE", f"{scope or 'none'}, {favor}".upper())
             for favor in decision.BETAS}
    if scope is None:
        names["BALANCE"] = ("DEFAULT_VALUE", "threshold")
    return [(*names[favor], decision.GRID[decision.best_threshold(
                measured, beta, weight)])
            for favor, beta in decision.BETAS.items()]


def write_fold(corpus, stages, fold, folder):
    """The models of a fold."""
    first, second = stages
    folder.mkdir(parents=True, exist_ok=True)
    measured = corpus.measure(second.scores)
    about = [f"Of a fold of a cross-validation ({fold})."]
    forest_model.write(folder / "auto-page.model", first.boosters[fold],
                       first.names, about)
    forest_model.write(folder / "auto-context.model", second.boosters[fold],
                       second.names, about)
    forest_model.write_numbers(
        folder / "auto-choice.model", about,
        thresholds(measured, corpus.share() * (corpus.fold != fold))
        + calibration.no_confidence())


def extract_fold(corpus, fold, program, out):
    files = [file for file, own in zip(corpus.files, corpus.fold)
             if own == fold and file.is_relative_to(common.DATA)]
    subprocess.run([program, "extract", "--method", "auto", "--out", out,
                    *files], check=True, stdin=subprocess.DEVNULL)


def run(corpus, stages):
    """Extract all pages; the folder with what was extracted."""
    work = common.OUT / "train"
    out = work / "extracted"
    shutil.rmtree(out, ignore_errors=True)
    for fold in range(training.FOLDS):
        models = work / f"fold{fold}"
        write_fold(corpus, stages, fold, models)
        folder = build(models, work / "build", "templatectl")
        extract_fold(corpus, fold, folder / "daemon" / "templatectl", out)
    return out


def scored(shared, out):
    """What the referee says."""
    data = shared / "data" / "wcxb-dev"
    return common.call(shared / "tools" / "score.py", data / "gold", out,
                       "--by", data / "types.tsv", "--lcs")


def table(report, lines):
    """The rows of score.py, words and LCS, beside the published ones."""
    f1 = {"word": {}, "lcs": {}}
    for line in lines.splitlines():
        name, metric, *_, last = line.split()
        if metric in f1:
            f1[metric][name] = float(last.removeprefix("F1="))
    report.table("templatectl extract --method auto, models of other folds",
                 "", "all", *TYPES)
    for metric, name in (("word", "auto, word F1"), ("lcs", "auto, LCS F1")):
        report.row(name, *(f1[metric][key] for key in ("all", *TYPES)))
    for line in PUBLISHED.splitlines():
        name, _, figures = line.partition(")")
        cells = figures.split()
        report.row(f"{name})", *cells,
                   *[""] * (len(TYPES) + 1 - len(cells)))
