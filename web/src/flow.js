// Flow graph: blocks of a kernel with what they did, edges as wide as the threads that took them, where threads meet,
// and barriers.
import { select as d3select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { font, tell, words } from "./chart.js";
import { kernelChoosers } from "./choosers.js";
import { button, h, select, svg } from "./dom.js";
import { figure } from "./figure.js";
import { brief, formats } from "./format.js";
import { Choice } from "./kernels.js";
import { layout } from "./layout.js";
import { ink, onTheme, shade, shadeInk } from "./theme.js";

// Blocks and edges of one function, with counts of the kernel.
export function graphOf(kernel, functionIndex) {
    const { functions, blocks, branches, instructions } = kernel.program, f = functions[functionIndex];
    const list = blocks.slice(f.first_block, f.first_block + f.blocks).map((b, i) => ({ ...b, index: f.first_block + i }));
    const c = kernel.counters, at = new Map(list.map((b, i) => [b.index, i]));
    const branchOf = new Map(branches.map(b => [b.pc, b]));
    const pcs = b => Array.from({ length: b.last - b.first + 1 }, (_, i) => b.first + i);
    const nodes = list.map(b => ({ block: b, name: b.name, where: kernel.where(b.first), pcs: pcs(b), issues: c.issues[b.first], lanes: kernel.lanes([b.first]), lost: kernel.sum("lost", pcs(b)) / kernel.width,
        barriers: pcs(b).filter(pc => /\b(bar|barrier)\.(?!warp)/.test(instructions[pc].text)).map(pc => instructions[pc].text), joins: [], waits: [], meets: [] }));
    const edges = nodes.flatMap((n, from) => n.block.successors.filter(s => at.has(s)).map((s, k, all) => {
        const last = n.block.last, branch = branchOf.get(last), to = at.get(s);
        // Of a branch with two targets the taken threads are known; with more, only their sum.
        const threads = all.length === 1 ? c.threads[last] : all.length > 2 || !branch ? NaN
            : list[to].first === last + 1 ? c.threads[last] - c.taken[last] : c.taken[last];
        return { from, to, threads, lanes: nodes[to].lanes, isGuess: all.length > 2 };
    }));
    for (const b of branches) {
        const from = at.get(instructions[b.pc].block);
        if (from === undefined || b.ipdom === null || !c.diverged[b.pc]) continue;
        const to = at.get(instructions[b.ipdom].block);
        if (to !== undefined) nodes[to].meets.push(nodes[from].name);
    }
    for (const e of kernel.barriers) {
        const node = nodes[at.get(instructions[e.pc]?.block)];
        if (!node || e.barrier < 0) continue;
        if (/join/.test(e.op)) node.joins.push(`B${e.barrier}`);
        if (/wait/.test(e.op)) node.waits.push(`B${e.barrier}`);
    }
    return { nodes, edges, name: f.name };
}

function curve({ points, isBack }) {
    if (isBack) return `M${points.map(p => p.join(",")).join("L")}`;
    let d = `M${points[0].join(",")}`;
    for (let i = 1; i < points.length; i++) {
        const [x0, y0] = points[i - 1], [x1, y1] = points[i], m = (y0 + y1) / 2;
        d += `C${x0},${m} ${x1},${m} ${x1},${y1}`;
    }
    return d;
}

function badges(n) {
    return [...n.meets.length ? [[`meet: ${n.meets.join(" ")}`, "#009e73"]] : [], ...n.barriers.length ? [["barrier of the block", "#d55e00"]] : [],
        ...n.joins.length ? [[`join ${n.joins.join(" ")}`, "#0072b2"]] : [], ...n.waits.length ? [[`wait ${n.waits.join(" ")}`, "#cc79a7"]] : []];
}

function drawNode(n, at, kernel, sizes, choose) {
    const c = ink(), share = n.lanes / kernel.width, isRun = n.issues > 0, fill = isRun ? shade(share) : c.paper, text = isRun ? shadeInk(share) : c.soft;
    const marks = badges(n).map(([label, colour], i) => svg("g", { class: "badge" },
        svg("rect", { x: 4, y: -9 - 15 * i, width: Math.min(sizes.width - 8, 10 + 6.2 * label.length), height: 14, rx: 3, fill: c.paper, stroke: colour }),
        svg("text", { x: 9, y: 2 - 15 * i, fill: c.text, "font-size": 10 }, label.slice(0, 25))));
    const node = svg("g", { class: "node", transform: `translate(${at.x},${at.y})`, tabindex: 0, role: "button", "aria-label": `Block ${n.name}, ${n.where}`, "data-block": n.name },
        svg("rect", { width: sizes.width, height: sizes.height, rx: 5, fill, stroke: c.soft }),
        svg("text", { x: 10, y: 22, fill: text, "font-weight": 600, "font-size": 13 }, n.name),
        svg("text", { x: sizes.width - 8, y: 22, fill: text, "text-anchor": "end", "font-size": 11 }, n.where.length > 20 ? `…${n.where.slice(-19)}` : n.where),
        svg("text", { x: 10, y: 40, fill: text, "font-size": 11 }, isRun ? `${brief(n.issues)} times, ${n.lanes.toFixed(1)} lanes` : "never executed"),
        svg("text", { x: 10, y: 56, fill: text, "font-size": 11 }, isRun ? `${n.pcs.length} instr., ${brief(n.lost)} issues lost` : `${n.pcs.length} instr.`), marks);
    node.addEventListener("click", () => choose(n));
    node.addEventListener("keydown", e => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); choose(n); } });
    return node;
}

function drawGraph(kernel, graph, choose) {
    const c = ink(), plan = layout(graph.nodes.length, graph.edges), most = Math.max(1, ...graph.edges.map(e => e.threads || 0));
    const content = svg("g"), width = e => isNaN(e.threads) ? 1.5 : e.threads > 0 ? 1 + 7 * Math.log1p(e.threads) / Math.log1p(most) : 0.75;
    const picture = svg("svg", { viewBox: `0 0 ${plan.width + 20} ${plan.height + 10}`, width: "100%", height: Math.min(720, Math.max(320, plan.height)), class: "chart flow", "font-family": font,
        role: "group", "aria-label": `Flow graph of ${kernel.name} under ${kernel.mechanism}` }, content);
    graph.edges.forEach((e, i) => {
        const isUsed = !(e.threads === 0), path = svg("path", { d: curve(plan.edges[i]), fill: "none", stroke: isUsed && !isNaN(e.lanes) ? shade(e.lanes / kernel.width) : c.soft, "stroke-width": width(e),
            "stroke-dasharray": isUsed ? null : "3 3", class: "edge", "data-from": graph.nodes[e.from].name, "data-to": graph.nodes[e.to].name });
        content.append(tell(path, [`${graph.nodes[e.from].name} to ${graph.nodes[e.to].name}`, isNaN(e.threads) ? "one of several targets: the branch counts them together" : `${formats.whole(e.threads)} threads`, `${(e.lanes || 0).toFixed(1)} active lanes where it leads`]));
        const [x, y] = plan.edges[i].points[plan.edges[i].points.length - 1];
        content.append(svg("path", { d: `M${x - 4},${y - 7}L${x + 4},${y - 7}L${x},${y}Z`, fill: c.soft }));
    });
    graph.nodes.forEach((n, i) => content.append(drawNode(n, plan.nodes[i], kernel, plan.sizes, choose)));
    const behaviour = zoom().scaleExtent([0.2, 6]).filter(e => !e.button && (e.type !== "wheel" || e.ctrlKey || e.metaKey)).on("zoom", e => content.setAttribute("transform", e.transform));
    d3select(picture).call(behaviour).on("dblclick.zoom", null);
    picture.zoomBy = k => d3select(picture).call(behaviour.scaleBy, k);
    picture.zoomReset = () => d3select(picture).call(behaviour.transform, zoomIdentity);
    return picture;
}

function instructionsOf(kernel, n) {
    const { instructions } = kernel.program, c = kernel.counters;
    return h("div", { class: "branch" }, h("h3", null, `Block ${n.name} at ${n.where}, under ${kernel.mechanism}`),
        badges(n).map(([label]) => h("p", { class: "note" }, label)),
        h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Instructions of the block" }, h("table", null, h("thead", null, h("tr", null, ["PC", "Issues", "Lanes", "Instruction"].map((t, i) => h("th", { scope: "col", class: i < 3 ? "number" : null }, t)))),
            h("tbody", null, n.pcs.map(pc => h("tr", null, h("td", { class: "number" }, String(pc)), h("td", { class: "number" }, formats.whole(c.issues[pc])),
                h("td", { class: "number" }, c.issues[pc] ? (c.threads[pc] / c.issues[pc]).toFixed(1) : ""), h("td", { class: "code" }, instructions[pc].text)))))));
}

export function flowView(page) {
    const choice = page.choice ??= new Choice(page), box = h("div", { class: "view pair" });
    let functionIndex = 0;

    function panel(kernel, isFirst) {
        const graph = graphOf(kernel, functionIndex), about = h("div", { role: "status" });
        const picture = drawGraph(kernel, graph, n => about.replaceChildren(instructionsOf(kernel, n)));
        const functions = kernel.program.functions.map((f, i) => [String(i), f.name]);
        return figure({
            title: `${graph.name}, flow graph under ${kernel.label}`,
            note: "Blocks and edges are brighter where more lanes are active; an edge is wider where more threads went. Dashed: never taken. A block opens to its instructions. Drag moves, Ctrl and the wheel or the buttons zoom.",
            controls: [...isFirst ? kernelChoosers(choice, () => { functionIndex = 0; draw(); }) : [],
                isFirst && functions.length > 1 && select("Function", functions, String(functionIndex), v => { functionIndex = +v; draw(); }),
                button("Zoom in", () => picture.zoomBy(1.4)), button("Zoom out", () => picture.zoomBy(1 / 1.4)), button("Whole graph", () => picture.zoomReset())],
            body: h("div", null, picture, about), picture: () => picture,
            rows: () => [["from", "to", "threads", "active lanes"], ...graph.edges.map(e => [graph.nodes[e.from].name, graph.nodes[e.to].name, e.threads, e.lanes])],
            command: kernel.command,
        });
    }
    const draw = () => box.replaceChildren(...choice.shown().map((k, i) => panel(k, i === 0)));
    draw();
    onTheme(draw);
    box.refresh = draw;
    return box;
}
