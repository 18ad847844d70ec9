// Source: the text of a kernel line by line, with what each line did as heat, for one run or two side by side.
import { kernelChoosers } from "./choosers.js";
import { button, h, select } from "./dom.js";
import { figure } from "./figure.js";
import { formats } from "./format.js";
import { aboutBranch, Choice } from "./kernels.js";
import { heat, onTheme } from "./theme.js";

const one = v => isNaN(v) ? "" : v.toFixed(1);
const columns = [
    { id: "issues", label: "Warp instr.", title: "Warp instructions that the line issued", value: (k, pcs) => k.sum("issues", pcs), show: formats.whole, heat: v => v },
    { id: "lanes", label: "Active lanes", title: "Mean number of threads of an issue", value: (k, pcs) => k.lanes(pcs), show: one, heat: (v, k) => 1 - v / k.width, isShare: true },
    { id: "diverged", label: "Parted", title: "Issues after which threads of a warp went several ways", value: (k, pcs) => k.sum("diverged", pcs), show: formats.whole, heat: v => v },
    { id: "lost", label: "Issues lost", title: "Empty lanes of the line's issues, divided by the warp width", value: (k, pcs) => k.sum("lost", pcs) / k.width, show: one, heat: v => v },
    { id: "transactions", label: "Transactions", title: "Lines of memory, or passes over the banks of shared memory", value: (k, pcs) => k.sum("transactions", pcs), show: formats.whole, heat: v => v },
];

// Lines of the text that have instructions, with three lines around them; a gap is null.
function linesOf(text) {
    const pcs = new Map(), rows = [];
    text.at.forEach((line, pc) => {
        if (line > 0) pcs.set(line, [...pcs.get(line) ?? [], pc]);
    });
    const near = new Set([...pcs.keys()].flatMap(l => [-3, -2, -1, 0, 1, 2, 3].map(d => l + d)));
    text.lines.forEach((content, i) => {
        const line = text.first + i;
        if (near.has(line)) rows.push({ line, content, pcs: pcs.get(line) ?? [] });
        else if (rows.length && rows[rows.length - 1] !== null) rows.push(null);
    });
    if (rows[rows.length - 1] === null) rows.pop();
    return rows;
}

function branchPanel(kernel, index) {
    const a = aboutBranch(kernel, index), row = (name, value) => [h("dt", null, name), h("dd", null, value)];
    return h("div", { class: "branch" }, h("h3", null, `Branch at ${a.parts}, under ${kernel.mechanism}`), h("dl", null,
        row("Pattern", `${a.branch.class}: ${a.pattern}`),
        row("Executed", `${formats.whole(a.issues)} times; threads parted ${formats.whole(a.diverged)} times (${formats.percent(a.diverged / a.issues)}); ${formats.percent(a.taken)} of threads took it`),
        row("Threads part to", a.targets.join(" and ")),
        row("Threads meet at", a.meets),
        row("Issues lost", `${one(a.lost)} in the region of this branch`),
        row("Side by side", a.branch.interleavable ? `possible: ${a.why}` : `not possible: ${a.why}`),
        row("Advice", a.advice)));
}

export function sourceView(page) {
    const choice = page.choice ??= new Choice(page), open = new Set(), box = h("div", { class: "view" });
    let textId = null;

    function lineRow(row, kernels, most) {
        const branches = row.pcs.map(pc => kernels[0].branchAt.get(pc)).filter(b => b !== undefined);
        const isOpen = open.has(row.line);
        const number = branches.length
            ? button(String(row.line), () => { isOpen ? open.delete(row.line) : open.add(row.line); draw(); box.querySelector(`[data-line="${row.line}"]`).focus(); },
                { "data-line": row.line, "aria-expanded": String(isOpen), "aria-label": `Branch in line ${row.line}`, class: "branch-line" })
            : String(row.line);
        const cells = kernels.flatMap((k, i) => columns.map(c => {
            const executed = row.pcs.length && k.sum("issues", row.pcs) > 0, v = executed ? c.value(k, row.pcs) : NaN;
            const share = c.isShare ? c.heat(v, k) : c.heat(v) / most[i].get(c.id);
            return h("td", { class: "number", "data-column": c.id, style: executed ? `background:${heat(share)}` : null }, executed ? c.show(v) : "");
        }));
        return [h("tr", { class: row.pcs.length ? null : "silent", "data-row": row.line }, h("td", { class: "number line" }, number), cells, h("td", { class: "code" }, row.content)),
            isOpen && h("tr", { class: "opened" }, h("td", { colspan: 2 + cells.length }, kernels.map(k => branches.map(b => branchPanel(k, b)))))];
    }

    function draw() {
        const kernels = choice.shown(), texts = kernels[0].texts(), text = texts.find(t => t.id === textId) ?? texts[0], rows = linesOf(text);
        const most = kernels.map(k => new Map(columns.map(c => [c.id, Math.max(1e-9, ...rows.filter(r => r?.pcs.length).map(r => c.value(k, r.pcs) || 0))])));
        const changed = () => { open.clear(); draw(); };
        const heading = kernels.length > 1 && h("tr", null, h("td"), kernels.map(k => h("th", { scope: "colgroup", colspan: columns.length, class: "group" }, k.label)), h("td"));
        const csvRows = () => [["line", "text", ...kernels.flatMap(k => columns.map(c => kernels.length > 1 ? `${k.mechanism} ${c.label}` : c.label))],
            ...rows.filter(r => r?.pcs.length).map(r => [r.line, r.content, ...kernels.flatMap(k => columns.map(c => c.value(k, r.pcs)))])];
        box.replaceChildren(figure({
            title: `${kernels[0].name}, line by line`,
            note: `${text.label}${kernels.length > 1 ? "" : `, under ${kernels[0].label}`}: ${kernels[0].launches} launch${kernels[0].launches > 1 ? "es" : ""}, ${formats.whole(kernels[0].cycles)} cycles. Deeper colour is more; of active lanes, fewer. A line number with a frame is a branch, which opens.`,
            controls: [...kernelChoosers(choice, changed), texts.length > 1 && select("Text", texts.map(t => [t.id, t.label]), text.id, v => { textId = v; changed(); })],
            body: h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Lines of the kernel" }, h("table", { class: "source" },
                h("thead", null, heading, h("tr", null, h("th", { scope: "col" }, "Line"), kernels.flatMap(() => columns.map(c => h("th", { scope: "col", class: "number", title: c.title }, c.label))), h("th", { scope: "col" }, "Text"))),
                h("tbody", null, rows.map(r => r ? lineRow(r, kernels, most) : h("tr", { class: "gap" }, h("td", { colspan: 2 + columns.length * kernels.length }, "⋯")))))),
            rows: csvRows, command: kernels.map(k => k.command).join("\n"),
        }));
    }
    draw();
    onTheme(draw);
    box.refresh = draw;
    return box;
}
