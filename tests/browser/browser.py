"""browser.py - what every browser test needs: Chromium, a page, a list of checks, TAP."""
import base64
import json
import pathlib
import shutil
import sys
import tempfile
import time

CHROMIUM, CHROMEDRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--window-size=1440,1100"]
WAIT_SECONDS = 300  # to end what hangs


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

    def click(self, selector):
        self.js("const e = document.querySelector(arguments[0]);"
                "e.scrollIntoView({block: 'center'}); return e", selector).click()

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


def start_driver(webdriver, service, profile):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS + [f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=service, options=options)
    driver.set_page_load_timeout(WAIT_SECONDS)
    driver.set_script_timeout(WAIT_SECONDS)
    return driver


def set_dark(driver, is_dark):
    features = [{"name": "prefers-color-scheme", "value": "dark"}] if is_dark else []
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def screenshot(driver, target):
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
    target.write_bytes(base64.b64decode(shot["data"]))


def run_page(driver, make_page, checks, path, artefacts, number):
    """Prints one TAP line a check; returns how many failed."""
    failed = 0
    page = None
    for sentence, function in checks:
        number += 1
        title = f"{number} - {path.name}: {sentence}"
        try:
            page = page or make_page(driver, path)
            function(page)
            print(f"ok {title}", flush=True)
        except Skip as reason:
            print(f"ok {title} # SKIP {reason}", flush=True)
        except Exception as e:  # a driver error is a failure of this check, not of the run
            failed += 1
            print(f"not ok {title}\n# " + str(e).strip().replace("\n", "\n# "), flush=True)
    screenshot(driver, artefacts / (path.stem + ".png"))
    return failed


def main(usage, make_page, checks):
    """PAGE.html ARTEFACT_DIR [MORE.html ...] [--data MORE.html ...]: runs all checks on every page, those of data on the last."""
    if len(sys.argv) < 3:
        print(usage.strip(), file=sys.stderr)
        return 2
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        print("1..0 # SKIP no python3-selenium")
        return 0
    if not all(pathlib.Path(p).exists() for p in (CHROMIUM, CHROMEDRIVER)):
        print("1..0 # SKIP no chromium")
        return 0
    paths = [sys.argv[1], *sys.argv[3:]]
    split = paths.index("--data") if "--data" in paths else len(paths)
    of_data = [(sentence, function) for sentence, function in checks if function.is_of_data]
    pages = [(pathlib.Path(p), checks) for p in paths[:split]] + [(pathlib.Path(p), of_data) for p in paths[split + 1:]]
    artefacts = pathlib.Path(sys.argv[2])
    artefacts.mkdir(parents=True, exist_ok=True)
    print(f"1..{sum(len(own) for _, own in pages)}", flush=True)
    profile = tempfile.mkdtemp(prefix="ttprof-browser-")
    driver = None
    failed = 0
    try:
        driver = start_driver(webdriver, Service(executable_path=CHROMEDRIVER), profile)
        number = 0
        for path, own in pages:
            failed += run_page(driver, make_page, own, path, artefacts, number)
            number += len(own)
    finally:
        if driver:
            driver.quit()
        shutil.rmtree(profile, ignore_errors=True)
    return 1 if failed else 0
