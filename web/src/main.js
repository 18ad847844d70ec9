// The page: reads its data, and shows one of its views at a time.
import { button, h } from "./dom.js";
import { flowView } from "./flow.js";
import { lanesView } from "./lanes.js";
import { overview } from "./overview.js";
import { readPage } from "./page.js";
import { sourceView } from "./source.js";
import { isDark, onTheme, startTheme, toggleTheme } from "./theme.js";

const views = [
    { id: "overview", label: "Overview", make: overview, isThere: () => true },
    { id: "source", label: "Source", make: sourceView, isThere: page => page.kernels.length > 0 },
    { id: "flow", label: "Flow graph", make: flowView, isThere: page => page.kernels.length > 0 },
    { id: "lanes", label: "Lanes", make: lanesView, isThere: page => page.kernels.some(k => k.trace) },
];

function show(page, id) {
    const view = views.find(v => v.id === id && v.isThere(page)) ?? views[0];
    for (const v of views) {
        const tab = document.getElementById(`tab-${v.id}`), panel = document.getElementById(`view-${v.id}`);
        if (!tab) continue;
        tab.setAttribute("aria-selected", String(v === view));
        tab.tabIndex = v === view ? 0 : -1;
        panel.hidden = v !== view;
        if (v !== view) continue;
        if (panel.firstChild) panel.firstChild.refresh?.(); // another view may have chosen another kernel
        else panel.append(v.make(page));
    }
}

// Arrow keys move among tabs, as readers of screens expect.
function moveTab(event, there) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = there.findIndex(v => event.target.id === `tab-${v.id}`), next = there[(at + step + there.length) % there.length];
    location.hash = next.id;
    document.getElementById(`tab-${next.id}`).focus();
}

function start() {
    const page = readPage(JSON.parse(document.getElementById("data").textContent));
    const there = views.filter(v => v.isThere(page));
    startTheme();
    const label = () => isDark() ? "Light" : "Dark";
    const theme = button(label(), toggleTheme, { id: "theme" });
    onTheme(() => { theme.textContent = label(); });
    document.title = `${page.title} – heddle`;
    document.body.append(
        h("header", { class: "top" }, h("div", null, h("h1", null, page.title), h("p", { class: "note" }, `heddle ${page.version}: `, h("code", null, page.command))), theme),
        h("div", { role: "tablist", "aria-label": "Views", class: "tabs", onkeydown: e => moveTab(e, there) },
            there.map(v => button(v.label, () => { location.hash = v.id; }, { role: "tab", id: `tab-${v.id}`, "aria-controls": `view-${v.id}` }))),
        h("main", null, there.map(v => h("div", { role: "tabpanel", id: `view-${v.id}`, "aria-labelledby": `tab-${v.id}`, hidden: true }))));
    const go = () => show(page, location.hash.slice(1).split("/")[0]);
    addEventListener("hashchange", go);
    go();
    document.documentElement.dataset.ready = "true";
}

start();
