// Layered layout of a flow graph: ranks by longest path, orders by the mean of neighbours, long edges through points of
// their own, edges that go back at the right side. The same graph is always drawn in the same way.

// Edges that lead back to a node that is still open in a search in depth from node 0.
function backEdges(count, edges) {
    const out = Array.from({ length: count }, () => []), state = new Uint8Array(count), back = new Set();
    edges.forEach((e, i) => out[e.from].push(i));
    for (let root = 0; root < count; root++) {
        if (state[root]) continue;
        const stack = [[root, 0]];
        state[root] = 1;
        while (stack.length) {
            const top = stack[stack.length - 1], edge = out[top[0]][top[1]++];
            if (edge === undefined) {
                state[top[0]] = 2;
                stack.pop();
            } else if (state[edges[edge].to] === 1) back.add(edge);
            else if (!state[edges[edge].to]) {
                state[edges[edge].to] = 1;
                stack.push([edges[edge].to, 0]);
            }
        }
    }
    return back;
}

function ranks(count, edges, back) {
    const rank = new Int32Array(count), waiting = new Int32Array(count), forward = edges.filter((_, i) => !back.has(i));
    for (const e of forward) waiting[e.to]++;
    const ready = [];
    for (let n = 0; n < count; n++) if (!waiting[n]) ready.push(n);
    while (ready.length) {
        const n = ready.shift();
        for (const e of forward)
            if (e.from === n) {
                rank[e.to] = Math.max(rank[e.to], rank[n] + 1);
                if (!--waiting[e.to]) ready.push(e.to);
            }
    }
    return rank;
}

// Cells are nodes, and the points at which long edges pass a rank.
function makeCells(count, edges, back, rank, sizes) {
    const cells = Array.from({ length: count }, (_, n) => ({ node: n, rank: rank[n], width: sizes.width, up: [], down: [] }));
    const chains = edges.map((e, i) => {
        if (back.has(i)) return null;
        const chain = [cells[e.from]];
        for (let r = rank[e.from] + 1; r < rank[e.to]; r++) {
            const point = { node: -1, rank: r, width: sizes.point, up: [], down: [] };
            cells.push(point);
            chain.push(point);
        }
        chain.push(cells[e.to]);
        for (let k = 1; k < chain.length; k++) {
            chain[k - 1].down.push(chain[k]);
            chain[k].up.push(chain[k - 1]);
        }
        return chain;
    });
    return { cells, chains };
}

const mean = list => list.reduce((a, b) => a + b, 0) / list.length;

function order(layers) {
    const number = () => layers.forEach(layer => layer.forEach((c, i) => { c.order = i; }));
    number();
    for (let round = 0; round < 12; round++) {
        const isDown = round % 2 === 0;
        for (const layer of isDown ? layers : [...layers].reverse()) {
            for (const c of layer) {
                const near = isDown ? c.up : c.down;
                c.key = near.length ? mean(near.map(n => n.order)) : c.order;
            }
            layer.sort((a, b) => a.key - b.key || a.order - b.order);
            layer.forEach((c, i) => { c.order = i; });
        }
    }
}

// Pushes cells of a layer apart, as near to where they want to be as their order allows.
function place(layer, gap) {
    let least = -Infinity;
    const left = layer.map(c => (least = Math.max(c.want, least), c.leftmost = least, least += (c.width + gap), c.leftmost));
    let most = Infinity;
    for (let i = layer.length - 1; i >= 0; i--) {
        const c = layer[i];
        c.rightmost = Math.min(c.want, most);
        most = c.rightmost - (i ? layer[i - 1].width / 1 + gap : 0);
    }
    layer.forEach((c, i) => { c.x = (left[i] + c.rightmost) / 2; });
    for (let i = 1; i < layer.length; i++) layer[i].x = Math.max(layer[i].x, layer[i - 1].x + layer[i - 1].width + gap);
}

function spread(layers, gap) {
    for (const layer of layers) {
        let x = 0;
        for (const c of layer) {
            c.x = x;
            x += c.width + gap;
        }
    }
    const middle = c => c.x + c.width / 2;
    for (let round = 0; round < 16; round++)
        for (const layer of round % 2 ? [...layers].reverse() : layers) {
            for (const c of layer) {
                const near = round % 2 ? c.down : c.up;
                c.want = (near.length ? mean(near.map(middle)) : middle(c)) - c.width / 2;
            }
            place(layer, gap);
        }
    const least = Math.min(...layers.flat().map(c => c.x));
    for (const c of layers.flat()) c.x -= least;
}

// `edges`: [{ from, to }]. Returns { nodes: [{ x, y }], edges: [{ points, isBack }], width, height }.
export function layout(count, edges, sizes = { width: 168, height: 66, point: 14, gapX: 26, gapY: 46 }) {
    const back = backEdges(count, edges), rank = ranks(count, edges, back);
    const { cells, chains } = makeCells(count, edges, back, rank, sizes);
    const layers = Array.from({ length: Math.max(0, ...rank) + 1 }, () => []);
    for (const c of cells) layers[c.rank].push(c);
    order(layers);
    spread(layers, sizes.gapX);
    const y = r => 24 + r * (sizes.height + sizes.gapY), right = Math.max(...cells.map(c => c.x + c.width));
    const nodes = cells.slice(0, count).map(c => ({ x: c.x, y: y(c.rank) }));
    let lane = 0;
    // Edges leave and enter a node side by side, in the order of what they lead to.
    const port = (list, i) => (i + 1) / (list.length + 1);
    const leaving = Array.from({ length: count }, () => []), entering = Array.from({ length: count }, () => []);
    edges.forEach((e, i) => {
        leaving[e.from].push(i);
        entering[e.to].push(i);
    });
    const goal = (i, end) => back.has(i) ? Infinity : (end === "to" ? chains[i][1] : chains[i][chains[i].length - 2]).x;
    leaving.forEach(list => list.sort((a, b) => goal(a, "to") - goal(b, "to") || a - b));
    entering.forEach(list => list.sort((a, b) => goal(a, "from") - goal(b, "from") || a - b));
    const drawn = edges.map((e, i) => {
        const from = nodes[e.from], to = nodes[e.to];
        const x1 = from.x + sizes.width * port(leaving[e.from], leaving[e.from].indexOf(i)), y1 = from.y + sizes.height;
        const x2 = to.x + sizes.width * port(entering[e.to], entering[e.to].indexOf(i)), y2 = to.y;
        if (!chains[i]) {
            const side = right + 16 + 14 * lane++;
            return { isBack: true, points: [[x1, y1], [x1, y1 + 12], [side, y1 + 12], [side, y2 - 14], [x2, y2 - 14], [x2, y2]] };
        }
        const between = chains[i].slice(1, -1).flatMap(c => [[c.x + c.width / 2, y(c.rank)], [c.x + c.width / 2, y(c.rank) + sizes.height]]);
        return { isBack: false, points: [[x1, y1], ...between, [x2, y2]] };
    });
    return { nodes, edges: drawn, sizes, width: right + 32 + 14 * lane, height: y(layers.length - 1) + sizes.height + 40 };
}
