// Light and dark, and colours. Charts write colours into their marks, so that a saved picture needs no style sheet;
// they are drawn again when the theme changes.

const media = matchMedia("(prefers-color-scheme: dark)");
let chosen = null;
const listeners = new Set();

export const isDark = () => chosen ? chosen === "dark" : media.matches;

function tell() {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    for (const f of listeners) f();
}

export function toggleTheme() {
    chosen = isDark() ? "light" : "dark";
    tell();
}
export const onTheme = f => listeners.add(f);
export function startTheme() {
    media.addEventListener("change", tell);
    tell();
}

export const ink = () => isDark()
    ? { text: "#e8e6e1", soft: "#a9a69e", line: "#4a4943", paper: "#1c1b19", mark: "#ffffff" }
    : { text: "#22211e", soft: "#5f5c55", line: "#d5d2ca", paper: "#ffffff", mark: "#000000" };

// Okabe and Ito's colours, which readers with any colour vision can tell apart; then lighter ones of the same hues.
const hues = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c8c", "#b8a900",
    "#7fb8d8", "#f2cf7f", "#7fcfb9", "#e5bcd3", "#aad9f4", "#eaae7f", "#c5c5c5", "#dbd47f"];
export const hue = i => hues[i % hues.length];

// From dark blue to yellow, evenly in lightness (cividis).
const ramp = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];
function at(t) {
    const x = Math.max(0, Math.min(1, t)) * (ramp.length - 1), i = Math.min(ramp.length - 2, Math.floor(x));
    return ramp[i].map((c, k) => Math.round(c + (ramp[i + 1][k] - c) * (x - i)));
}
export const shade = t => isNaN(t) ? "none" : `rgb(${at(t).join(",")})`;
// Black or white, whichever reads better on the shade.
export const shadeInk = t => {
    const [r, g, b] = at(t);
    return 0.299 * r + 0.587 * g + 0.114 * b > 120 ? "#000000" : "#ffffff";
};
// Heat behind text: more of one hue, for any t from 0 to 1.
export const heat = t => isNaN(t) || t <= 0 ? "transparent" : `rgba(${isDark() ? "230,120,30" : "240,140,20"},${(0.08 + 0.5 * Math.min(1, t)).toFixed(3)})`;
