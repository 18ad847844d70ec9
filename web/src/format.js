// Numbers as text. A figure that a run does not have is a dash.
const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const formats = {
    whole: v => isNaN(v) ? "–" : Number.isInteger(v) || Math.abs(v) >= 1000 ? grouped.format(v) : String(+v.toPrecision(4)),
    ratio: v => isNaN(v) || !isFinite(v) ? "–" : v.toFixed(2),
    percent: v => isNaN(v) || !isFinite(v) ? "–" : `${(100 * v).toFixed(1)} %`,
};

// 1234567 as 1.23M, for axes and labels with little room.
export function brief(v) {
    if (isNaN(v)) return "–";
    for (const [unit, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]])
        if (Math.abs(v) >= unit) return `${+(v / unit).toPrecision(3)}${letter}`;
    return String(+v.toPrecision(3));
}

export function csv(rows) {
    const field = v => {
        const text = v === null || v === undefined || Number.isNaN(v) ? "" : String(v);
        return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return rows.map(row => row.map(field).join(",") + "\r\n").join("");
}

// The last part of a path, which is enough to know a program by.
export const shortName = name => name.split(" ")[0].split("/").pop() + (name.includes(" ") ? " …" : "");
