// What charts share: frames, axes, legends, the tip at the pointer.
import { axisBottom, axisLeft } from "d3-axis";
import { select } from "d3-selection";
import { h, svg } from "./dom.js";
import { ink } from "./theme.js";

export const font = "system-ui, -apple-system, 'Segoe UI', sans-serif";

// An empty picture of this size, which a screen reader calls by its label.
export function frame(width, height, label) {
    return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label,
        "font-family": font, "font-size": 12, class: "chart" });
}

// Lines of an axis take the theme's colours; `grid`: how long the lines across the picture are.
export function drawAxis(picture, axis, x, y, grid = 0) {
    const c = ink(), group = svg("g", { transform: `translate(${x},${y})` });
    select(group).call(axis.tickSize(0).tickPadding(6));
    group.querySelectorAll("text").forEach(t => t.setAttribute("fill", c.soft));
    group.querySelectorAll("path").forEach(p => p.remove());
    group.querySelectorAll("line").forEach(l => {
        l.setAttribute("stroke", c.line);
        if (grid) l.setAttribute("x2", grid);
    });
    group.setAttribute("font-family", font);
    group.setAttribute("font-size", 11);
    picture.append(group);
    return group;
}
export { axisBottom, axisLeft };

export const words = (x, y, text, attributes) => svg("text", { x, y, fill: ink().soft, ...attributes }, text);

// Entries [label, colour] below a chart, as many per line as fit. Returns the height that they take.
export function legend(picture, entries, x, y, width) {
    let column = x, row = y;
    for (const [label, colour] of entries) {
        const room = 36 + 7 * label.length;
        if (column > x && column + room > x + width) {
            column = x;
            row += 20;
        }
        picture.append(svg("rect", { x: column, y: row, width: 12, height: 12, fill: colour }),
            words(column + 18, row + 10, label));
        column += room;
    }
    return entries.length ? row - y + 20 : 0;
}

// How many lines a legend takes, for the height of a picture before it is drawn.
export function legendHeight(labels, width) {
    let column = 0, rows = labels.length ? 1 : 0;
    for (const label of labels) {
        const room = 36 + 7 * label.length;
        if (column > 0 && column + room > width) {
            column = 0;
            rows++;
        }
        column += room;
    }
    return 20 * rows;
}

let tip = null;
export function showTip(event, lines) {
    if (!tip) document.body.append(tip = h("div", { class: "tip", role: "tooltip" }));
    tip.replaceChildren(...lines.map(l => h("div", null, l)));
    tip.style.display = "block";
    const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    const y = event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18;
    tip.style.left = `${Math.max(4, x)}px`;
    tip.style.top = `${y}px`;
}
export function hideTip() {
    if (tip) tip.style.display = "none";
}
// A mark that tells its lines at the pointer.
export function tell(element, lines) {
    element.addEventListener("pointermove", e => showTip(e, lines));
    element.addEventListener("pointerleave", hideTip);
    return element;
}

// Draws into a box that has the page's width, and again when the width or the theme changes. draw(width) returns the
// picture.
export function responsive(draw) {
    const box = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Chart" });
    let width = 0;
    box.redraw = () => {
        if (box.clientWidth > 0) box.replaceChildren(draw(width = box.clientWidth));
    };
    new ResizeObserver(() => {
        if (box.clientWidth !== width) box.redraw();
    }).observe(box);
    box.picture = () => box.querySelector("svg");
    return box;
}
