// Published against measured: the claims of papers, as a chart of those with numbers and as a table of all.
import { scaleLinear } from "d3-scale";
import { axisBottom, drawAxis, frame, responsive, tell, words } from "./chart.js";
import { h, svg } from "./dom.js";
import { figure } from "./figure.js";
import { decodeText } from "./packed.js";
import { ink } from "./theme.js";

const verdictColours = { holds: "#009e73", direction: "#e69f00", fails: "#d55e00" };

// Numbers in percent of what was published: "+22 %", "17 % and 9 %". Only a claim with as many numbers as were measured
// can be drawn.
function publishedNumbers(claim) {
    const text = decodeText(claim.published).replaceAll("−", "-");
    const found = [...text.matchAll(/([-+]?\d+(?:\.\d+)?)\s*%/g)].map(m => +m[1]);
    const measured = (claim.numbers ?? []).filter(n => n !== null);
    return found.length && found.length === measured.length ? found.map((p, i) => ({ published: p, measured: measured[i] })) : [];
}

function draw(claims, width) {
    const rows = claims.flatMap(c => publishedNumbers(c).map(n => ({ ...n, claim: c }))), c = ink();
    const left = 64, top = 10, row = 22, whole = Math.max(300, Math.min(width, 900)), height = top + row * rows.length + 60;
    const picture = frame(whole, height, "Published and measured values of claims");
    const all = rows.flatMap(r => [r.published, r.measured, 0]);
    const x = scaleLinear([Math.min(...all), Math.max(...all)], [left + 8, whole - 16]).nice(6);
    for (const t of x.ticks(6)) picture.append(svg("line", { x1: x(t), x2: x(t), y1: top, y2: top + row * rows.length, stroke: t === 0 ? c.soft : c.line }));
    rows.forEach((r, i) => {
        const y = top + row * i + row / 2, colour = verdictColours[r.claim.verdict] ?? c.soft, px = x(r.published);
        const mark = svg("g", { class: "claim", "data-claim": r.claim.id },
            svg("line", { x1: px, x2: x(r.measured), y1: y, y2: y, stroke: colour, "stroke-width": 2 }),
            svg("circle", { cx: x(r.measured), cy: y, r: 5, fill: colour, class: "measured" }),
            svg("path", { d: `M${px - 6},${y}L${px},${y - 6}L${px + 6},${y}L${px},${y + 6}Z`, fill: c.paper, stroke: c.mark, "stroke-width": 1.5, class: "published" }),
            words(left - 6, y + 4, r.claim.id, { "text-anchor": "end" }));
        picture.append(tell(mark, [`${r.claim.id}: ${decodeText(r.claim.claim)}`, `published ${r.published} %, measured ${r.measured.toFixed(1)} %`, `verdict: ${r.claim.verdict}`]));
    });
    drawAxis(picture, axisBottom(x).ticks(6).tickFormat(v => `${v} %`), 0, top + row * rows.length);
    picture.append(words(left, height - 14, "diamond: published   dot: measured (green holds, yellow direction only, red fails)"));
    return picture;
}

export function claimFigures(claims, command) {
    const heading = [["id", "Claim"], ["verdict", "Verdict"], ["published", "Published"], ["measured", "Measured"], ["claim", "What the paper says"], ["source", "Where"], ["why", "Why it differs"]];
    const cells = claims.map(c => heading.map(([key]) => decodeText(c[key]) ?? ""));
    const list = figure({ title: "Claims", note: "Each claim of the paper, what was measured, and the verdict.", command,
        body: h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table of claims" }, h("table", null,
            h("thead", null, h("tr", null, heading.map(([, label]) => h("th", { scope: "col" }, label)))),
            h("tbody", null, cells.map(row => h("tr", null, row.map((text, k) => h(k ? "td" : "th", { scope: k ? null : "row", class: k === 1 ? `verdict ${text}` : null }, text))))))),
        rows: () => [heading.map(([key]) => key), ...cells] });
    if (!claims.some(c => publishedNumbers(c).length)) return [{ element: list, redraw() {} }];
    const box = responsive(width => draw(claims, width));
    const chart = figure({ title: "Published against measured", command,
        note: "Claims whose published value is a number in percent. A short line means that the measured value is near.",
        body: box, picture: box.picture,
        rows: () => [["claim", "published %", "measured %", "verdict"], ...claims.flatMap(c => publishedNumbers(c).map(n => [c.id, n.published, n.measured, c.verdict]))] });
    return [{ element: chart, redraw: box.redraw }, { element: list, redraw() {} }];
}
