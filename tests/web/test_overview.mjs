// Overview: table, charts, what they save, at two widths, in light and dark, by keyboard.
import { accessible, card, check, equal, fits, numbers, open, out, run, saved, shot } from "./harness.mjs";
import { statSync } from "node:fs";

const column = (page, name) => page.$$eval(`table.runs tbody tr:not(.opened)`, (rows, label) => {
    const at = [...document.querySelectorAll("table.runs thead th")].findIndex(th => th.textContent.trim().replace(/[▲▼ ]+$/, "") === label);
    return rows.map(r => r.children[at].textContent);
}, name);

async function table(browser) {
    const page = await open(browser, "compare.html");
    equal(await page.locator("h1").textContent(), "bfs2, lps", "title");
    equal((await column(page, "Program")).length, 6, "rows");
    check((await page.locator(".top code").textContent()).startsWith("heddle compare bfs2 lps"), "the page names its command");

    await page.locator("th[data-column=cycles] button").click();
    const down = numbers(await column(page, "Cycles"));
    check(down.every((v, i) => !i || v <= down[i - 1]), `sorted down: ${down}`);
    await page.locator("th[data-column=cycles] button").click();
    const up = numbers(await column(page, "Cycles"));
    check(up.every((v, i) => !i || v >= up[i - 1]) && up[0] < up[5], `sorted up: ${up}`);
    equal(await page.locator("th[data-column=cycles]").getAttribute("aria-sort"), "ascending", "aria-sort");

    await page.getByLabel("Search").fill("lps tbc");
    equal((await column(page, "Program")).join(), "lps", "search");
    check((await page.getByRole("status").textContent()).startsWith("1 of 6"), "the status counts rows");
    await page.getByLabel("Search").fill("");
    await page.getByLabel("Program", { exact: true }).selectOption("bfs2");
    equal((await column(page, "Program")).join(), "bfs2,bfs2,bfs2", "filter");
    equal(await page.locator(".bar").count(), 2, "bars follow the filter");
    await page.getByLabel("Program", { exact: true }).selectOption("");

    const row = page.locator("table.runs tbody tr").first();
    await row.getByRole("button").click();
    check((await page.locator("tr.opened pre").textContent()).startsWith("heddle run "), "a row shows its command");
    check(!(await page.locator("tr.opened pre").textContent()).includes("/tmp"), "a command has no temporary file");

    await page.getByLabel("Add a figure").selectOption("dram.bytes");
    check((await column(page, "dram.bytes")).every(t => /\d/.test(t)), "an added figure");
    await accessible(page, "overview, light");
    await shot(page, "overview");
    await page.context().close();
}

async function charts(browser) {
    const page = await open(browser, "compare.html");
    const speedup = card(page, "Speedup");
    equal(await speedup.locator(".bar").count(), 6, "bars: two programs and their mean, two mechanisms");
    const told = numbers(await column(page, "Speedup"));
    const heights = await speedup.locator(".bar").evaluateAll(bars => bars.map(b => +b.getAttribute("height")));
    check(Math.abs(heights[1] / heights[0] - told[2] / told[1]) < 0.02, `bars are as high as the table says: ${heights} ${told}`);
    await speedup.locator(".bar").first().hover();
    check((await page.getByRole("tooltip").textContent()).includes("bfs2 under tbc"), "a bar tells its numbers");
    await page.getByLabel("Baseline", { exact: true }).selectOption("tbc");
    equal((await speedup.locator(".bar").evaluateAll(bars => bars.map(b => b.dataset.mechanism)))[0], "pdom", "another baseline");
    await page.getByLabel("Baseline", { exact: true }).selectOption("pdom");

    const parts = await card(page, "Where").locator(".part").count();
    check(parts >= 6 * 5, `parts of bars: ${parts}`);
    equal(await card(page, "Programs by").locator(".cell").count(), 6, "cells of the heat map");
    const cell = await card(page, "Programs by").locator(".cell text").first().textContent();
    equal(parseFloat(cell), numbers(await column(page, "SIMD efficiency"))[0], "a cell has the table's number");

    const text = await saved(page, speedup.getByRole("button", { name: "Save as CSV" }));
    equal(text.name, "speedup-over-the-baseline.csv", "name of the CSV");
    equal(String(text.bytes).trim().split("\r\n").length, 7, "records of the CSV");
    const picture = await saved(page, speedup.getByRole("button", { name: "Save as SVG" }));
    check(/^<svg[^>]* xmlns=/.test(String(picture.bytes)) && String(picture.bytes).split("data-mechanism").length === 7, "the SVG has the bars");
    const bitmap = await saved(page, speedup.getByRole("button", { name: "Save as PNG" }));
    check(bitmap.bytes.subarray(1, 4).toString() === "PNG" && bitmap.bytes.length > 5000, "the PNG");
    const all = await saved(page, card(page, "Runs").getByRole("button", { name: "Save as CSV" }));
    check(String(all.bytes).split("\r\n")[1].includes("heddle run bfs2"), "the CSV of runs names commands");
    await page.context().close();
}

async function narrow(browser) {
    const page = await open(browser, "compare.html", { width: 390, height: 800, dark: true });
    await fits(page, "390 pixels");
    equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark", "the system's theme");
    await accessible(page, "overview, dark, 390 pixels");
    await shot(page, "overview-390-dark");
    await page.locator("#theme").click();
    equal(await page.evaluate(() => document.documentElement.dataset.theme), "light", "the theme's button");
    await page.context().close();
}

async function keyboard(browser) {
    const page = await open(browser, "compare.html");
    await page.locator("th[data-column=simd] button").focus();
    await page.keyboard.press("Enter");
    const values = numbers(await column(page, "SIMD efficiency"));
    check(values.every((v, i) => !i || v <= values[i - 1]), "Enter sorts");
    equal(await page.evaluate(() => document.activeElement.textContent.trim().slice(0, 4)), "SIMD", "the heading keeps the focus");
    await page.context().close();
}

async function store(browser) {
    const page = await open(browser, "store.html");
    equal(await page.locator("h1").textContent(), "Two schedulers", "title of a store");
    equal((await column(page, "Program")).length, 8, "runs of the store");
    const sweep = card(page, "Sweep");
    equal(await sweep.locator(".series").count(), 2, "lines of the sweep");
    equal(await sweep.locator(".point").count(), 4, "points of the sweep");
    await sweep.getByLabel("Measure").selectOption("speedup");
    const told = await saved(page, sweep.getByRole("button", { name: "Save as CSV" }));
    check(String(told.bytes).startsWith("mechanism,sm.scheduler,Speedup"), "CSV of the sweep");
    check(!await page.locator("#tab-source").count(), "a store has no source view");
    check(statSync(`${out}/store.html`).size < 400000, "size of a small page");
    await accessible(page, "store");
    await page.context().close();
}

// Published speedups stand as diamonds on the bars: of a paper's runs by their names, of others if machine and settings
// are those of the paper.
async function published(browser) {
    const marks = page => card(page, "Speedup").locator(".published").evaluateAll(all => all.map(m => [m.dataset.program, m.dataset.mechanism, m.dataset.value].join(" ")).join(", "));
    const paper = await open(browser, "paper.html");
    equal(await marks(paper), "DIVG mean tbc 1.22, COHE mean tbc 1, harmonic mean tbc 1.1", "marks of the paper's means");
    const bar = card(paper, "Speedup").locator('.bar[data-program="DIVG mean"]'), mark = card(paper, "Speedup").locator('.published[data-program="DIVG mean"]');
    const measured = numbers([(await card(paper, "Claims").locator("tbody tr", { hasText: "T01" }).locator("td").nth(2).textContent())])[0];
    const csv = String((await saved(paper, card(paper, "Speedup").getByRole("button", { name: "Save as CSV" }))).bytes);
    const told = csv.split("\r\n").find(l => l.startsWith("DIVG mean,tbc")).split(",");
    check(Math.abs(100 * (told[3] - 1) - measured) < 0.06 && told[4] === "1.22", `the bar is the claim's mean, ${measured} %, and the CSV has the published value: ${told}`);
    const [b, m] = [await bar.boundingBox(), await mark.boundingBox()], zero = b.y + b.height;
    check(Math.abs((zero - (m.y + m.height / 2)) / b.height - 1.22 / told[3]) < 0.02, "the diamond stands at its value");
    await mark.hover();
    check(/published: 1.22.*figure 12: tbc over pdom/.test(await paper.getByRole("tooltip").textContent()), "a diamond tells its source");
    await paper.context().close();

    const page = await open(browser, "published.html");
    equal(await marks(page), "", "no mark for a mean of two machines");
    await page.getByLabel("Machine", { exact: true }).selectOption("fx5800");
    equal(await marks(page), "mum pdom-lcp 1.05", "a mark on the paper's machine");
    await page.getByLabel("Machine", { exact: true }).selectOption("fermi");
    equal(await marks(page), "", "no mark on another machine");
    await page.context().close();
}

await run([table, charts, narrow, keyboard, store, published]);
