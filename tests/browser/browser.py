"""browser.py - what every browser test needs: Chromium, a page, a list of checks, TAP."""
import base64
import contextlib
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import traceback

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.remote.remote_connection import RemoteConnection
    from urllib3.exceptions import HTTPError
except ImportError:
    webdriver = None

CHROMIUM, CHROMEDRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--window-size=1440,1100"]
WAIT_SECONDS = 120  # to end what hangs
ANSWER_SECONDS = WAIT_SECONDS + 30  # for an answer: the browser itself ends pages and scripts that hang
TRIES = 2  # of a page: now and then a headless Chromium stops answering, whatever the page does


class Skip(Exception):
    """The data of this page has nothing to check here."""


def registrar(checks):
    """A decorator that puts a function on the list, under the sentence that it checks.

    data=True: what it finds depends on the page's data, not only on the code that all pages share.
    """
    def check(sentence, data=False):
        def register(function):
            function.is_of_data = data
            checks.append((sentence, function))
            return function
        return register
    return check


class Page:
    """One opened page and its document."""

    def __init__(self, driver, path):
        self.driver = driver
        self.path = path
        self.url = path.resolve().as_uri()
        driver.get(self.url)
        self.document = json.loads(self.js("return document.getElementById('data').textContent"))
        self.tables = {t["id"]: t for t in self.document["tables"]}

    def js(self, script, *args):
        return self.driver.execute_script(script, *args)

    def wait(self, what, condition):
        end = time.monotonic() + WAIT_SECONDS
        while not condition():
            assert time.monotonic() < end, f"waited {WAIT_SECONDS} s for {what}"
            time.sleep(0.01)

    def settle(self):
        """Waits until the page has drawn what it was told: views are drawn once a frame."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def click(self, selector):
        self.js("const e = document.querySelector(arguments[0]);"
                "e.scrollIntoView({block: 'center'}); return e", selector).click()
        self.settle()

    def expect_silence(self):
        said = [m for m in self.driver.get_log("browser") if m["level"] in ("SEVERE", "WARNING")]
        assert not said, said[:3]

    def expect_no_network(self):
        urls = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            # The browser's own start page is not the page under test.
            if not message["params"]["documentURL"].startswith("chrome://"):
                urls.append(message["params"]["request"]["url"])
        assert self.url in urls, "the log of requests is not working"
        others = [u for u in urls if u != self.url and not u.startswith("data:")]
        assert not others, others[:3]


class Browser:
    """A running Chromium, which can be replaced by a new one."""

    def __init__(self):
        self.start()

    def start(self):
        self.profile = tempfile.mkdtemp(prefix="ttprof-browser-")
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in FLAGS + [f"--user-data-dir={self.profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.service = Service(executable_path=CHROMEDRIVER)
        self.driver = webdriver.Chrome(service=self.service, options=options)
        self.driver.set_page_load_timeout(WAIT_SECONDS)
        self.driver.set_script_timeout(WAIT_SECONDS)

    def stop(self):
        with contextlib.suppress(HTTPError):
            self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def replace(self):
        """Ends a browser that does not answer, and starts another."""
        self.service.process.kill()
        for pid in processes_naming(self.profile):
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.profile, ignore_errors=True)
        self.start()


def processes_naming(word):
    """Ids of the processes that have the word on their command line."""
    found = []
    for line in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if word.encode() in line.read_bytes():
                found.append(int(line.parent.name))
    return found


def set_dark(driver, is_dark):
    features = [{"name": "prefers-color-scheme", "value": "dark"}] if is_dark else []
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def screenshot(driver, target):
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
    target.write_bytes(base64.b64decode(shot["data"]))


def run_checks(driver, make_page, checks, path):
    """What each check of a page gives: None, a Skip, or what went wrong. After that, the next finds a new page."""
    page = None
    for _, function in checks:
        try:
            page = page or make_page(driver, path)
            function(page)
            yield None
        except HTTPError:
            raise  # the browser does not answer
        except Skip as reason:
            yield reason
        except Exception as e:  # a driver error is a failure of this check, not of the run
            page = None
            yield e


def run_page(browser, make_page, checks, path, artefacts):
    for attempt in range(1, TRIES + 1):
        try:
            results = list(run_checks(browser.driver, make_page, checks, path))
            screenshot(browser.driver, artefacts / (path.stem + ".png"))
            return results
        except HTTPError as e:
            print(f"# {path.name}: the browser does not answer, try {attempt} of {TRIES}: {e}", flush=True)
            traceback.print_tb(e.__traceback__)
            browser.replace()
    return [AssertionError("the browser did not answer")] * len(checks)


def print_results(path, checks, results, number):
    """One TAP line a check; returns how many failed."""
    failed = 0
    for (sentence, _), result in zip(checks, results):
        number += 1
        title = f"{number} - {path.name}: {sentence}"
        if result is None:
            print(f"ok {title}")
        elif isinstance(result, Skip):
            print(f"ok {title} # SKIP {result}")
        else:
            failed += 1
            print(f"not ok {title}\n# " + str(result).strip().replace("\n", "\n# "))
    sys.stdout.flush()
    return failed


def main(usage, make_page, checks):
    """PAGE.html ARTEFACT_DIR [MORE.html ...] [--data MORE.html ...] [--skip=LINE ...]

    Runs all checks on every page, those of data on the last; prints a line for each page that is missing.
    """
    if len(sys.argv) < 3:
        print(usage.strip(), file=sys.stderr)
        return 2
    if not webdriver:
        print("1..0 # SKIP no python3-selenium")
        return 0
    if not all(pathlib.Path(p).exists() for p in (CHROMIUM, CHROMEDRIVER)):
        print("1..0 # SKIP no chromium")
        return 0
    skipped = [word.removeprefix("--skip=") for word in sys.argv[3:] if word.startswith("--skip=")]
    paths = [sys.argv[1], *(word for word in sys.argv[3:] if not word.startswith("--skip="))]
    split = paths.index("--data") if "--data" in paths else len(paths)
    of_data = [(sentence, function) for sentence, function in checks if function.is_of_data]
    pages = [(pathlib.Path(p), checks) for p in paths[:split]] + [(pathlib.Path(p), of_data) for p in paths[split + 1:]]
    artefacts = pathlib.Path(sys.argv[2])
    artefacts.mkdir(parents=True, exist_ok=True)
    print(f"1..{sum(len(own) for _, own in pages) + len(skipped)}", flush=True)
    RemoteConnection.set_timeout(ANSWER_SECONDS)
    browser = Browser()
    failed = number = 0
    try:
        for path, own in pages:
            failed += print_results(path, own, run_page(browser, make_page, own, path, artefacts), number)
            number += len(own)
        for line in skipped:
            number += 1
            print(f"ok {number} - {line}", flush=True)
    finally:
        browser.stop()
    return 1 if failed else 0
