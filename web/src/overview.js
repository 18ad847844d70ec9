// Overview: the table of runs and the charts of those that its filters leave.
import { h } from "./dom.js";
import { speedupFigure } from "./bars.js";
import { breakdownFigure } from "./breakdown.js";
import { claimFigures } from "./claims.js";
import { heatmapFigure } from "./heatmap.js";
import { sweepFigure } from "./sweep.js";
import { Table } from "./table.js";
import { onTheme } from "./theme.js";

export function overview(page) {
    const { runs, command } = page, mechanisms = runs.values("mechanism");
    const state = { runs: runs.all, baseline: mechanisms.includes("pdom") ? "pdom" : mechanisms[0] };
    const charts = [];
    const redraw = () => charts.forEach(c => c.redraw());
    const table = new Table(runs, state, redraw);
    if (page.claims.length) charts.push(...claimFigures(page.claims, command));
    if (mechanisms.length > 1) charts.push(speedupFigure(runs, state, page.published, command));
    if (runs.breakdown.length) charts.push(breakdownFigure(runs, state, command));
    if (runs.count > 1) charts.push(heatmapFigure(runs, state, command));
    const sweep = sweepFigure(runs, state, command);
    if (sweep) charts.push(sweep);
    onTheme(redraw);
    return h("div", { class: "view" }, runs.count > 0 && table.element(command), charts.map(c => c.element));
}
