// The table of runs: sorts by any column, filters by text and by choice, shows fifty rows at a time. A row opens to the
// command that gives its numbers.
import { button, h, newId, select } from "./dom.js";
import { figure } from "./figure.js";
import { formats } from "./format.js";
import { measure } from "./runs.js";

const pageRows = 50;
const textColumns = [["name", "Program"], ["gpu", "Machine"], ["mechanism", "Mechanism"], ["size", "Size"],
    ["settings", "Settings"], ["scheduler", "Scheduler"], ["failure", "Failure"]];

export class Table {
    // `state` is shared by all views: baseline, and the runs that filters leave.
    constructor(runs, state, changed) {
        Object.assign(this, { runs, state, changed });
        this.search = "";
        this.filters = {};
        this.sort = { id: null, down: false };
        this.page = 0;
        this.open = new Set();
        this.measures = ["cycles", "speedup", "simd", "ipc", "warps", "divergent", "traffic"];
        this.texts = textColumns.filter(([id]) => ["name", "mechanism"].includes(id) || runs.values(id).some(v => v !== "") && (runs.values(id).length > 1 || id === "gpu"));
        this.body = h("div");
        this.status = h("p", { class: "note", role: "status" });
        this.select();
    }

    columns() {
        return [...this.texts.map(([id, label]) => ({ id, label, isText: true, value: i => this.runs.text(id, i), show: v => v })),
            ...this.measures.map(id => {
                const m = measure(id);
                return { id, label: m.label, value: i => m.value(this.runs, i, this.state.baseline), show: formats[m.format] };
            })];
    }

    select() {
        const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
        this.state.runs = this.runs.all.filter(i =>
            Object.entries(this.filters).every(([id, value]) => !value || this.runs.text(id, i) === value) &&
            words.every(w => Object.values(this.runs.texts).some(column => column[i].toLowerCase().includes(w))));
        const column = this.columns().find(c => c.id === this.sort.id), sign = this.sort.down ? -1 : 1;
        this.shown = [...this.state.runs];
        if (column) {
            const keys = new Map(this.shown.map(i => [i, column.value(i)]));
            this.shown.sort((a, b) => {
                const x = keys.get(a), y = keys.get(b);
                if (column.isText) return sign * x.localeCompare(y, "en", { numeric: true }) || a - b;
                return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : sign * (x - y) || a - b;
            });
        }
        this.page = Math.min(this.page, Math.max(0, Math.ceil(this.shown.length / pageRows) - 1));
    }

    update(filtersChanged) {
        this.select();
        this.draw();
        if (filtersChanged) this.changed();
    }

    heading(column) {
        const isSorted = this.sort.id === column.id;
        const sort = () => {
            this.sort = { id: column.id, down: isSorted ? !this.sort.down : !column.isText };
            this.page = 0;
            this.update(false);
            this.body.querySelector(`th[data-column="${CSS.escape(column.id)}"] button`).focus();
        };
        return h("th", { scope: "col", "data-column": column.id, class: column.isText ? null : "number",
            "aria-sort": isSorted ? this.sort.down ? "descending" : "ascending" : "none" },
        button([column.label, h("span", { class: "arrow", "aria-hidden": "true" }, isSorted ? this.sort.down ? " ▼" : " ▲" : "")], sort));
    }

    row(i, columns) {
        const isOpen = this.open.has(i), cells = columns.map((c, k) => {
            const text = c.show(c.value(i));
            return h(k ? "td" : "th", { class: c.isText ? null : "number", scope: k ? null : "row", title: c.isText && text.length > 24 ? text : null }, text);
        });
        const toggle = button(isOpen ? "Hide" : "Show", () => {
            isOpen ? this.open.delete(i) : this.open.add(i);
            this.draw();
            this.body.querySelector(`button[data-run="${i}"]`).focus();
        }, { "data-run": i, "aria-expanded": String(isOpen), "aria-label": `Command of ${this.runs.text("name", i)} under ${this.runs.text("mechanism", i)}` });
        return [h("tr", { class: this.runs.text("failure", i) ? "failed" : null }, cells, h("td", null, toggle)),
            isOpen && h("tr", { class: "opened" }, h("td", { colspan: columns.length + 1 }, h("pre", { tabindex: 0 }, this.runs.text("command", i))))];
    }

    draw() {
        const columns = this.columns(), first = this.page * pageRows, pages = Math.ceil(this.shown.length / pageRows);
        const visible = this.shown.slice(first, first + pageRows);
        this.status.textContent = `${this.shown.length} of ${this.runs.count} runs` + (pages > 1 ? `, ${first + 1} to ${first + visible.length} shown` : "");
        const turn = by => () => { this.page += by; this.draw(); };
        this.body.replaceChildren(
            h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table of runs" }, h("table", { class: "runs" },
                h("thead", null, h("tr", null, columns.map(c => this.heading(c)), h("th", { scope: "col" }, "Command"))),
                h("tbody", null, visible.map(i => this.row(i, columns))))),
            ...pages > 1 ? [h("div", { class: "controls" },
                button("Previous", turn(-1), { disabled: this.page === 0 }),
                h("span", null, `Page ${this.page + 1} of ${pages}`),
                button("Next", turn(1), { disabled: this.page + 1 >= pages }))] : []);
    }

    rows() {
        const columns = this.columns();
        return [[...columns.map(c => c.label), "Command"],
            ...this.shown.map(i => [...columns.map(c => c.value(i)), this.runs.text("command", i)])];
    }

    controls() {
        const id = newId("search"), filters = ["name", "gpu", "mechanism", "settings"].filter(c => this.runs.values(c).length > 1);
        const labels = Object.fromEntries(textColumns);
        const extra = this.runs.paths.filter(p => !["cycles", "warp_instructions"].includes(p));
        return [
            h("span", { class: "field" }, h("label", { for: id }, "Search"), h("input", { id, type: "search", placeholder: "words, all must occur",
                oninput: e => { this.search = e.target.value; this.page = 0; this.update(true); } })),
            ...filters.map(f => select(labels[f], [["", "all"], ...this.runs.values(f).sort().map(v => [v, v || "(none)"])], "",
                v => { this.filters[f] = v; this.page = 0; this.update(true); })),
            this.runs.values("mechanism").length > 1 && select("Baseline", this.runs.values("mechanism").map(m => [m, m]), this.state.baseline,
                v => { this.state.baseline = v; this.update(true); }),
            extra.length > 0 && select("Add a figure", [["", "choose a counter"], ...extra.map(p => [p, p])], "",
                v => { if (v && !this.measures.includes(v)) { this.measures.push(v); this.update(false); } }),
        ];
    }

    element(command) {
        this.draw();
        return figure({ title: "Runs", note: "One row per run. A heading sorts; search and choices hold for all charts below.",
            controls: this.controls(), body: h("div", null, this.status, this.body), rows: () => this.rows(), command });
    }
}
