// What the tests of pages share: a browser, pages that must not complain, and checks that name what failed.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const out = process.argv[2];
let failures = 0, checks = 0;

export function check(condition, what) {
    checks++;
    if (!condition) {
        failures++;
        console.log(`FAILED ${what}`);
    }
}
export const equal = (got, wanted, what) => check(got === wanted, `${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);

// Runs the tests, each with the browser, and ends the process: 1 if a check failed.
export async function run(tests) {
    const browser = await chromium.launch({ executablePath: process.env.BROWSER, args: ["--no-sandbox", "--force-color-profile=srgb"] });
    for (const test of tests) await test(browser).catch(error => check(false, `${test.name}: ${error.stack}`));
    await browser.close();
    if (!checks) check(false, "nothing was checked");
    process.exit(failures ? 1 : 0);
}

// Opens a page. Whatever the page complains of, and every request to the network, is a failure.
export async function open(browser, file, { width = 1280, height = 900, dark = false, hash = "" } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", acceptDownloads: true });
    const page = await context.newPage();
    page.on("console", m => { if (["error", "warning"].includes(m.type())) check(false, `${file}: console: ${m.text()}`); });
    page.on("pageerror", e => check(false, `${file}: ${e.stack}`));
    page.on("request", r => { if (!/^(file|data|blob):/.test(r.url())) check(false, `${file} asks for ${r.url()}`); });
    await page.goto(`file://${out}/${file}${hash}`);
    await page.waitForSelector("html[data-ready]", { timeout: 15000 });
    return page;
}

export const shot = (page, name) => page.screenshot({ path: `${out}/${name}.png`, fullPage: true });

// Violations of accessibility that axe-core calls serious or critical.
export async function accessible(page, what) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    for (const v of violations.filter(v => ["serious", "critical"].includes(v.impact)))
        check(false, `${what}: ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(" | ")}`);
    check(true, what);
}

// No part of the page is wider than the window: what needs more room scrolls in its own box.
export async function fits(page, what) {
    const [wanted, has] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    check(wanted <= has, `${what}: the page is ${wanted} pixels wide in a window of ${has}`);
}

// The text of the file that a click saves, and its name.
export async function saved(page, locator) {
    const [download] = await Promise.all([page.waitForEvent("download", { timeout: 10000 }), locator.click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

export const card = (page, title) => page.locator("section.card", { has: page.locator("h2", { hasText: new RegExp(`^${title}`) }) }).first();
export const numbers = texts => texts.map(t => parseFloat(t.replaceAll(",", "")));
