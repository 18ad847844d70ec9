// Published speedups: which of the page's belong to the runs that are shown.

// Whether the run was made as the paper's was: on its machine, and with its settings. On the page of a paper, which calls
// runs by the paper's names for them, the name says the settings (null).
function isAsPublished(runs, run, of) {
    if (runs.text("gpu", run) !== of.gpu) return false;
    if (!of.settings) return true;
    const own = runs.text("settings", run).split(" ").filter(Boolean);
    return own.length === of.settings.length && own.every(s => of.settings.includes(s));
}

// The published values over the chosen baseline of which every program is shown, and every run that counts for its bar is
// as published, and so is that run's baseline. `programs`: Map of program -> { runs: Map of mechanism -> runs }.
export function publishedOf(runs, state, published, programs) {
    return published.filter(p => p.baseline.mechanism === state.baseline && p.programs.every(name => {
        const shown = programs.get(name)?.runs.get(p.run.mechanism);
        return shown?.every(i => isAsPublished(runs, i, p.run) && isAsPublished(runs, runs.baseline(i, state.baseline), p.baseline));
    }));
}
