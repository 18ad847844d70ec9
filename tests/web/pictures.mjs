// The pictures of docs/report.md, from pages that scripts/report-pictures.sh has made: pictures.mjs FOLDER TO. Charts are
// what the page itself saves as SVG; views are screenshots.
import { writeFileSync } from "node:fs";
import { card, check, open, out, run, saved } from "./harness.mjs";

const to = process.argv[3];
const settle = page => page.evaluate(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))));
const svg = async (page, figure, name) => writeFileSync(`${to}/${name}.svg`, (await saved(page, figure.getByRole("button", { name: "Save as SVG" }))).bytes);

async function overview(browser) {
    const page = await open(browser, "paper.html", { width: 1280, height: 700 });
    check(await card(page, "Speedup").locator(".published").count() > 0, "published values are marked");
    await svg(page, card(page, "Speedup"), "report-speedup");
    await page.context().close();
    const compare = await open(browser, "compare.html", { width: 960, height: 620 });
    await settle(compare);
    await compare.screenshot({ path: `${to}/report-overview.png` });
    await compare.context().close();
}

async function source(browser) {
    const page = await open(browser, "compare.html", { width: 960, height: 620, hash: "#source" });
    const row = page.locator(".source tr", { hasText: "for (int e = n.first_edge" });
    await row.getByRole("button").click();
    await row.scrollIntoViewIfNeeded();
    await settle(page);
    await page.screenshot({ path: `${to}/report-source.png` });
    await page.context().close();
}

async function flow(browser) {
    const page = await open(browser, "compare.html", { width: 960, height: 700, hash: "#flow" });
    await svg(page, card(page, ".*flow graph"), "report-flow");
    await page.context().close();
}

async function lanes(browser) {
    const page = await open(browser, "run.html", { width: 960, height: 900, hash: "#lanes" });
    await page.evaluate(() => { heddleLanes.show(600, 900); heddleLanes.setCursor(heddleLanes.panels[0].trace.step(0, 700, 1)); });
    await settle(page);
    await page.screenshot({ path: `${to}/report-lanes.png` });
    await page.context().close();
}

check(out && to, "usage: pictures.mjs FOLDER TO");
await run([overview, source, flow, lanes]);
