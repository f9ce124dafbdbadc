// The quality table in the browser: sorts, searches and filters at once what is on the page, then asks the server for
// the same state, whose ranks and intervals are the true ones. In an exported copy there is no server to ask: what the
// browser can compute (order, filters, the mean of chosen tasks) it shows, and leaves ranks out where they would change.

const table = document.getElementById("board");
const form = document.getElementById("choices");
const exported = document.documentElement.hasAttribute("data-exported");
const column = { name: 1, family: 2, parameters: 3, data: 4, overall: 5, coverage: 6 };
const first = 7;                                          // the first task's column
const units = { "": 1, k: 1e3, m: 1e6, b: 1e9, g: 1e9, t: 1e12 };

// ---- what a row knows -------------------------------------------------------------------------------------------
let rows = [];                                            // all rows of all pages, each with its section's name

function read(tr, section) {
  const cells = tr.cells;
  const value = (cell) => (cell.dataset.v === undefined ? null : Number(cell.dataset.v));
  return {
    tr, section,
    name: cells[1].querySelector("a").textContent.toLowerCase(),
    text: `${cells[1].textContent} ${cells[2].textContent}`.toLowerCase(),
    family: cells[2].textContent === "–" ? null : cells[2].textContent,
    parameters: value(cells[3]),
    open: (tr.dataset.o || "").split(","),
    values: Array.from(cells, value),
    baseline: cells[1].querySelector(".badge") !== null,
    rank: cells[0].innerHTML, overall: cells[5].innerHTML,
  };
}

function readAll(root) {
  const found = [];
  for (const body of root.querySelectorAll("tbody[data-section]"))
    for (const tr of body.rows) if (!tr.classList.contains("section")) found.push(read(tr, body.dataset.section));
  return found;
}

// ---- the state, as the address has it ---------------------------------------------------------------------------
function size(text) {
  const match = /^\s*(\d+(?:[.,]\d+)?)\s*([kmbgt]?)\s*$/i.exec(text || "");
  return match ? Number(match[1].replace(",", ".")) * units[match[2].toLowerCase()] : null;
}

function state(query) {
  const list = (name) => query.getAll(name).flatMap((part) => part.split(",")).filter(Boolean);
  const sort = query.get("sort") || "-overall";
  const weights = new Map(list("w").map((part) => { const at = part.lastIndexOf(":"); return [part.slice(0, at), Number(part.slice(at + 1))]; }));
  for (const [name, text] of query) if (name.startsWith("w-") && text) weights.set(name.slice(2), Number(text.replace(",", ".")));
  return {
    words: (query.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean),
    families: list("fam"), smallest: size(query.get("pmin")), largest: size(query.get("pmax")), open: list("open"),
    hide: query.get("miss") === "hide", key: sort.replace(/^-/, ""), falling: sort.startsWith("-"), tasks: list("tasks"), weights,
  };
}

const heads = () => Array.from(table.tHead.rows[0].cells);
const place = (key) => column[key] ?? heads().findIndex((th) => th.dataset.key === key);

// ---- showing a state --------------------------------------------------------------------------------------------
function passes(row, chosen) {
  if (!chosen.words.every((word) => row.text.includes(word))) return false;
  if (row.section === "reference") return true;
  if (row.section === "incomplete" && chosen.hide) return false;
  if (chosen.families.length && !chosen.families.includes(row.family)) return false;
  if (chosen.smallest !== null && !(row.parameters >= chosen.smallest && row.parameters !== null)) return false;
  if (chosen.largest !== null && !(row.parameters <= chosen.largest && row.parameters !== null)) return false;
  return chosen.open.every((what) => row.open.includes(what));
}

function compare(chosen) {
  const at = place(chosen.key), way = chosen.falling ? -1 : 1;
  const key = chosen.key === "name" ? (row) => row.name : chosen.key === "family" ? (row) => row.family?.toLowerCase() ?? null : (row) => row.values[at];
  return (a, b) => {
    const x = key(a), y = key(b);
    if (x === null || y === null) return (x === null) - (y === null) || (a.name < b.name ? -1 : 1);
    return x < y ? -way : x > y ? way : a.name < b.name ? -1 : 1;
  };
}

// The rows in sight at once, the rest in the pauses after: laying out 500 rows takes longer than a visitor should wait.
const soon = window.requestIdleCallback ?? ((work) => setTimeout(work, 30));
const few = 40;
let pending = 0;

function fill(bodies) {
  const number = ++pending;
  const left = [];
  for (const { place, title, rows: wanted } of bodies) {
    if (wanted.length <= few) { place.replaceChildren(...title, ...wanted); continue; }
    place.prepend(...title, ...wanted.slice(0, few / 2));
    left.push({ place, title, wanted, next: few / 2 });
  }
  (function more() {
    const body = left[0];
    if (body) soon(() => {
      if (number !== pending) return;
      body.place.append(...body.wanted.slice(body.next, body.next += few));
      if (body.next >= body.wanted.length) { settle(body); left.shift(); }
      more();
    });
  })();
}

function settle({ place, title, wanted }) {
  const kept = new Set([...title, ...wanted]);
  for (const tr of [...place.rows]) if (!kept.has(tr)) tr.remove();
}

function show(chosen) {
  const shown = rows.filter((row) => passes(row, chosen)).sort(compare(chosen));
  let left = Number(table.dataset.pages) > 1 ? 500 : Infinity;
  fill(Array.from(table.querySelectorAll("tbody[data-section]"), (body) => {
    const mine = shown.filter((row) => row.section === body.dataset.section).map((row) => row.tr);
    const kept = body.dataset.section === "reference" ? mine : mine.slice(0, left);
    if (body.dataset.section !== "reference") left -= kept.length;
    return { place: body, title: body.querySelectorAll("tr.section"), rows: kept };
  }));
  for (const th of heads()) th.removeAttribute("aria-sort");
  heads()[place(chosen.key)]?.setAttribute("aria-sort", chosen.falling ? "descending" : "ascending");
  const count = document.getElementById("count");
  const number = new Intl.NumberFormat(document.documentElement.lang);
  const systems = shown.filter((row) => !row.baseline).length;
  count.textContent = count.dataset.text.replace("{shown}", number.format(systems)).replace("{all}", number.format(document.getElementById("status").dataset.all));
}

// ---- an exported copy: the mean of chosen tasks, without a server -----------------------------------------------
function aggregate(chosen) {
  const own = chosen.tasks.length || chosen.weights.size;
  const counts = heads().map((th, at) => at >= first && (chosen.tasks.length ? chosen.tasks.includes(th.dataset.key) : !th.classList.contains("outside")));
  const format = new Intl.NumberFormat(document.documentElement.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  heads().forEach((th, at) => { if (at >= first) hideColumn(at, chosen.tasks.length > 0 && !counts[at]); });
  for (const row of rows) {
    const cells = row.tr.cells;
    if (!own) {
      cells[0].innerHTML = row.rank; cells[5].innerHTML = row.overall; row.values[5] = cells[5].dataset.v === undefined ? null : Number(cells[5].dataset.v);
      continue;
    }
    const terms = new Map();
    heads().forEach((th, at) => {
      if (!counts[at]) return;
      const value = cells[at].dataset.t ?? cells[at].dataset.v, weight = chosen.weights.get(th.dataset.key) ?? 1;
      const term = terms.get(th.dataset.term || at) ?? { sum: 0, weight: 0, n: 0, whole: true };
      if (value === undefined) term.whole = false; else term.sum += weight * Number(value);
      term.weight += weight; term.n += 1;
      terms.set(th.dataset.term || at, term);
    });
    const all = [...terms.values()], weight = all.reduce((sum, term) => sum + term.weight / term.n, 0);
    const known = all.every((term) => term.whole) && weight > 0;
    row.values[5] = known ? all.reduce((sum, term) => sum + (term.sum / term.n), 0) / weight : null;
    cells[0].textContent = "–";
    cells[5].textContent = known ? format.format(row.values[5] / 1000).replace("-", "−") : "–";
  }
}

function hideColumn(at, hidden) {
  for (const tr of [table.tHead.rows[0], ...rows.map((row) => row.tr)]) if (tr.cells[at]) tr.cells[at].hidden = hidden;
}

// ---- the server's answer ----------------------------------------------------------------------------------------
let asked = 0;

async function ask(address) {
  const number = ++asked;
  const response = await fetch(address);
  if (!response.ok || number !== asked) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (number !== asked) return;
  const fresh = page.getElementById("board"), focus = document.activeElement?.closest("th")?.dataset.key;
  const same = heads().map((th) => th.dataset.key).join() === Array.from(fresh.tHead.rows[0].cells, (th) => th.dataset.key).join();
  table.dataset.pages = fresh.dataset.pages;
  table.dataset.page = fresh.dataset.page;
  table.caption.replaceWith(fresh.caption);
  table.tHead.replaceWith(fresh.tHead);
  if (same && table.tBodies.length === fresh.tBodies.length) patch(readAll(fresh));
  else { table.replaceChildren(table.caption, table.tHead, ...fresh.tBodies); pending++; rows = readAll(table); }
  for (const part of ["#status", ".splits", ".files", ".pages", "main > .warning", "main > .note", ".languages", ".cite"]) {
    const old = document.querySelector(part), now = page.querySelector(part);
    if (old && now) old.innerHTML = now.innerHTML; else if (old) old.remove(); else if (now) document.querySelector(".files").before(now);
  }
  for (const name of ["split", "sort", "pin", "ci"]) {
    form.querySelector(`input[type=hidden][name=${name}]`)?.remove();
    const kept = page.querySelector(`#choices input[type=hidden][name=${name}]`);
    if (kept) form.prepend(kept);
  }
  history.replaceState(null, "", response.url);
  if (focus) table.querySelector(`th[data-key="${CSS.escape(focus)}"] a.sort`)?.focus();
  if (!same) await loadRest();
}

// The server's ranks, means and coverage, written into the rows that are there; nothing moves that need not.
function patch(fresh) {
  const old = new Map(rows.map((row) => [row.tr.cells[1].firstChild.href, row]));
  for (const row of fresh) {
    const mine = old.get(row.tr.cells[1].firstChild.href);
    if (!mine) { rows.push(row); continue; }
    for (const at of [0, 5, 6]) if (mine.tr.cells[at].innerHTML !== row.tr.cells[at].innerHTML) mine.tr.cells[at].replaceWith(row.tr.cells[at].cloneNode(true));
    Object.assign(mine, { section: row.section, values: row.values, rank: row.rank, overall: row.overall });
  }
  show(state(query()));
}

async function loadRest() {
  const pages = Number(table.dataset.pages);
  if (pages < 2 || exported) return;
  const here = new URL(location.href), now = Number(here.searchParams.get("page") || 1), number = asked;
  for (let page = 1; page <= pages; page++) {
    if (page === now) continue;
    here.searchParams.set("page", page);
    const text = await (await fetch(here)).text();
    if (number !== asked) return;
    const rest = new DOMParser().parseFromString(text, "text/html").getElementById("board");
    rows.push(...readAll(rest).filter((row) => row.section !== "reference"));
  }
}

// ---- what visitors do -------------------------------------------------------------------------------------------
function query() {
  const chosen = new URLSearchParams();
  const official = [...form.querySelectorAll("[name=tasks]")].every((box) => box.checked === box.defaultChecked) && !state(new URLSearchParams(location.search)).tasks.length;
  for (const [name, value] of new FormData(form)) {
    if (!value || (name === "agg" && value === "mean") || (name === "tasks" && official)) continue;
    chosen.append(name, value);
  }
  return chosen;
}

function changed() {
  const chosen = query();
  if (exported) aggregate(state(chosen));
  show(state(chosen));
  const address = `${form.getAttribute("action")}?${chosen}`;
  if (exported) history.replaceState(null, "", `${location.pathname}?${chosen}`);
  else { clearTimeout(changed.timer); changed.timer = setTimeout(() => ask(address), 200); }
}

function sorted(event) {
  const link = event.target.closest("a.sort");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  const th = link.closest("th"), key = th.dataset.key;
  const falling = th.hasAttribute("aria-sort") ? th.getAttribute("aria-sort") !== "descending" : !["name", "family"].includes(key);
  let kept = form.querySelector("input[type=hidden][name=sort]");
  if (!kept) { kept = document.createElement("input"); kept.type = "hidden"; kept.name = "sort"; form.prepend(kept); }
  kept.value = `${falling ? "-" : ""}${key}`;
  changed();
}

if (table && form) {
  rows = readAll(table);
  table.addEventListener("click", sorted);
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => { event.preventDefault(); changed(); });
  if (exported && location.search) {
    const given = new URLSearchParams(location.search);
    for (const box of form.querySelectorAll("input[type=checkbox]")) if (given.has(box.name)) box.checked = state(given)[{ fam: "families", tasks: "tasks", open: "open" }[box.name]]?.includes(box.value) ?? given.get(box.name) === box.value;
    for (const name of ["q", "pmin", "pmax"]) if (given.has(name)) form.elements[name].value = given.get(name);
    aggregate(state(given));
    show(state(given));
  }
  loadRest();
}
