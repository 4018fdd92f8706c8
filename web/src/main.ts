// main.ts - reads the data document of the page and shows it.
//
// The same bundle serves every output: `kind` says which views fit the data. A kind that this
// bundle has no view for is shown as plain tables, so that nothing is hidden.

import { deviceReport } from "./device";
import { h, section } from "./dom";
import { header } from "./header";
import { Report, Table } from "./model";
import { opsReport } from "./ops";
import { perfReport } from "./report";
import { TableView } from "./table";
import { flameReport, trainReport } from "./train";

const views: Record<string, (report: Report, root: HTMLElement) => void> = {
    "perf-report": perfReport,
    "ops-report": opsReport,
    "device": deviceReport,
    "run": deviceReport,
    "train": trainReport,
    "flame": flameReport,
};

function plainTables(report: Report, root: HTMLElement): void {
    root.append(header(report, []));
    for (const data of report.tables) {
        if (data.rows.length === 0) continue;
        root.append(section(data.id, data.title, "", new TableView(new Table(data)).element));
    }
}

function start(): void {
    const root = h("main", { class: "page" });
    document.getElementById("page")?.replaceChildren(root);
    try {
        const report = JSON.parse(document.getElementById("data")?.textContent ?? "") as Report;
        document.title = `${report.title} – ${report.sources.join(", ")}`;
        (views[report.kind] ?? plainTables)(report, root);
    } catch (e) {
        // Show a message rather than an empty page, whatever is wrong with the data.
        root.append(h("p", { class: "empty", role: "alert" }, `This page cannot show its data: ${e}`));
        throw e;
    }
}

// Paper is white. Registered before anything draws, so that drawings find light colours.
window.addEventListener("beforeprint", () => document.documentElement.setAttribute("data-theme", "light"));
window.addEventListener("afterprint", () => document.documentElement.removeAttribute("data-theme"));

start();
