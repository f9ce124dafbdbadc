// The quality table in the browser: sorts, searches and filters at once what is on the page, then asks the server for
// the same state, whose ranks and intervals are the true ones. In an exported copy there is no server to ask: what the
// browser can compute (order, filters, the overall number of chosen tasks) it shows, and leaves ranks out where they would change.

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
    text: `${cells[1].querySelector("a").textContent} ${cells[2].textContent} ${tr.dataset.q || ""}`.toLowerCase(),
    family: cells[2].textContent === "–" ? null : cells[2].textContent,
    parameters: value(cells[3]),
    open: (tr.dataset.o || "").split(","), languages: (tr.dataset.l || "").split(","),
    slug: /\/s\/([^/?]+)/.exec(cells[1].querySelector("a").getAttribute("href"))?.[1],
    values: Array.from(cells, value),
    baseline: cells[1].querySelector(".badge") !== null,
    home: section, rank: cells[0].innerHTML, overall: cells[5].innerHTML, coverage: cells[6].innerHTML,
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
  for (const [name, weight] of weights) if (!(weight >= 0 && weight <= 1000) || weight === 1) weights.delete(name);
  return {
    words: (query.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean),
    families: list("fam"), smallest: size(query.get("pmin")), largest: size(query.get("pmax")), open: list("open"), languages: list("lang"),
    pinned: list("pin"), aggregate: query.get("agg") in aggregates ? query.get("agg") : "mean",
    hide: query.get("miss") === "hide", key: sort.replace(/^-/, ""), descending: sort.startsWith("-"), weights,
    tasks: list("tasks").filter((name) => place(name) >= first),
  };
}

const heads = () => Array.from(table.tHead.rows[0].cells);
const place = (key) => column[key] ?? heads().findIndex((th) => th.dataset.key === key);

// ---- showing a state --------------------------------------------------------------------------------------------
function passes(row, chosen) {
  if (chosen.pinned.includes(row.slug)) return true;
  if (!chosen.words.every((word) => row.text.includes(word))) return false;
  if (row.section === "reference") return true;
  return !(row.section === "incomplete" && chosen.hide) && eligible(row, chosen);
}

function eligible(row, chosen) {
  if (chosen.families.length && !chosen.families.includes(row.family)) return false;
  if (chosen.smallest !== null && !(row.parameters >= chosen.smallest && row.parameters !== null)) return false;
  if (chosen.largest !== null && !(row.parameters <= chosen.largest && row.parameters !== null)) return false;
  if (chosen.languages.length && !chosen.languages.some((code) => row.languages.includes(code))) return false;
  return chosen.open.every((what) => row.open.includes(what));
}

function compare(chosen) {
  const at = place(chosen.key), way = chosen.descending ? -1 : 1;
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
    body.hidden = !kept.length;
    return { place: body, title: body.querySelectorAll("tr.section"), rows: kept };
  }));
  if (exported) embolden(shown);
  for (const th of heads()) th.removeAttribute("aria-sort");
  heads()[place(chosen.key)]?.setAttribute("aria-sort", chosen.descending ? "descending" : "ascending");
  const count = document.getElementById("count");
  const number = new Intl.NumberFormat(document.documentElement.lang);
  const systems = shown.filter((row) => !row.baseline).length;
  count.textContent = count.dataset.text.replace("{shown}", number.format(systems)).replace("{all}", number.format(document.getElementById("status").dataset.all));
}

// ---- an exported copy: the overall number of chosen tasks, without a server --------------------------------------
const language = document.documentElement.lang;
const written = (number, digits) => number.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");

// What the overall number is made of, as standings/terms.py has it: tasks of one official term stay together, and what was
// printed for them together stands in where one of them is missing.
function makeTerms(chosen) {
  const counts = (th, at) => at >= first && (chosen.tasks.length ? chosen.tasks.includes(th.dataset.key) : !th.classList.contains("outside"));
  const used = heads().map((th, at) => ({ th, at })).filter(({ th, at }) => counts(th, at));
  const zeros = used.every(({ th }) => chosen.weights.get(th.dataset.key) === 0), terms = new Map();
  for (const { th, at } of used) {
    const weight = zeros ? 1 : chosen.weights.get(th.dataset.key) ?? 1, key = th.dataset.term ?? th.dataset.key;
    if (!terms.has(key)) terms.set(key, { parts: [], printed: null });
    if ("printed" in th.dataset) terms.get(key).printed = { at, weight }; else terms.get(key).parts.push({ at, weight });
  }
  for (const term of terms.values()) {
    term.sum = term.parts.reduce((sum, part) => sum + part.weight, 0);
    term.weight = term.parts.length ? term.sum / term.parts.length : term.printed.weight;
  }
  return [...terms.values()].filter((term) => term.weight > 0);
}

function counted(row, at) {
  const value = row.tr.cells[at].dataset.t ?? row.tr.cells[at].dataset.v;
  return value === undefined || value === "" ? null : Number(value);
}

function ofTerm(row, term) {
  const values = term.parts.map((part) => counted(row, part.at));
  if (values.length && !values.includes(null)) return term.parts.reduce((sum, part, at) => sum + part.weight * values[at], 0) / term.sum;
  return term.printed ? counted(row, term.printed.at) : null;
}

const aggregates = {
  mean: (row, terms) => terms.reduce((sum, term, at) => sum + term.weight * row.terms[at], 0) / terms.reduce((sum, term) => sum + term.weight, 0),
  min: (row) => Math.min(...row.terms),
  rank: (row, terms, competing) => -1e5 * (1 + terms.reduce((sum, _, at) => sum + competing.filter((other) => other.terms[at] > row.terms[at]).length, 0) / terms.length),
  copeland: (row, terms, competing) => 1e5 * competing.reduce((sum, other) => sum + Math.sign(terms.reduce((wins, _, at) => wins + Math.sign(row.terms[at] - other.terms[at]), 0)), 0) / Math.max(competing.length - 1, 1),
};

function aggregate(chosen) {
  const filtered = chosen.families.length || chosen.languages.length || chosen.open.length || chosen.smallest !== null || chosen.largest !== null;
  const relative = chosen.aggregate === "rank" || chosen.aggregate === "copeland";
  const own = chosen.tasks.length > 0 || chosen.weights.size > 0 || chosen.aggregate !== "mean";
  heads().forEach((th, at) => { if (at >= first) hideColumn(at, chosen.tasks.length > 0 && !chosen.tasks.includes(th.dataset.key)); });
  document.getElementById("unranked").hidden = !own && !filtered;
  document.getElementById("tied")?.toggleAttribute("hidden", Boolean(own || filtered));
  const terms = makeTerms(chosen);
  for (const row of rows) {
    const cells = row.tr.cells;
    row.terms = terms.map((term) => ofTerm(row, term));
    row.covered = row.terms.filter((value) => value !== null).length;
    row.section = row.baseline || chosen.pinned.includes(row.slug) ? "reference" : !own ? row.home : row.covered === terms.length ? "ranked" : "incomplete";
    cells[0].innerHTML = own || filtered ? "–" : row.rank;
    if (own) continue;
    cells[5].innerHTML = row.overall; cells[6].innerHTML = row.coverage;
    row.values[5] = cells[5].dataset.v === undefined ? null : Number(cells[5].dataset.v);
    row.values[6] = Number(cells[6].dataset.v);
  }
  if (!own) return;
  const competing = rows.filter((row) => !row.baseline && row.covered === terms.length && eligible(row, chosen));
  const used = terms.flatMap((term) => [...term.parts, ...(term.printed ? [term.printed] : [])]);
  for (const row of rows) {
    const known = row.covered === terms.length && terms.length > 0, cells = row.tr.cells;
    row.values[5] = known ? aggregates[chosen.aggregate](row, terms, competing) : null;
    row.values[6] = row.covered;
    cells[5].textContent = !known ? "–" : relative ? written(Math.abs(row.values[5]) / 1e5, 2) : written(row.values[5] / 1e3, 1);
    cells[6].textContent = `${row.covered}/${terms.length}`;
    const told = used.map((part) => cells[part.at].querySelector(":scope > i")).find(Boolean);
    if (known && told) cells[5].append(told.cloneNode(true));
  }
}

// Bold is the best that is shown, of all columns.
function embolden(shown) {
  const systems = shown.filter((row) => !row.baseline);
  heads().forEach((th, at) => {
    if (at !== 5 && at < first) return;
    const best = Math.max(...systems.filter((row) => row.values[at] !== null && (at !== 5 || row.section === "ranked")).map((row) => row.values[at]));
    for (const { tr, values, baseline } of shown) {
      const start = tr.cells[at].firstChild, bold = start?.nodeName === "B", wanted = !baseline && values[at] === best;
      if (wanted && !bold) { const mark = document.createElement("b"); start.before(mark); mark.append(start); }
      if (!wanted && bold) start.replaceWith(...start.childNodes);
    }
  });
}

function hideColumn(at, hidden) {
  for (const tr of [table.tHead.rows[0], ...rows.map((row) => row.tr)]) if (tr.cells[at]) tr.cells[at].hidden = hidden;
}

// ---- the server's answer ----------------------------------------------------------------------------------------
let asked = 0, loading = 0;

async function ask(address) {
  const number = ++asked;
  const response = await fetch(address);
  if (!response.ok || number !== asked) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (number !== asked) return;
  const fresh = page.getElementById("board"), focus = document.activeElement?.closest("th")?.dataset.key;
  const same = heads().map((th) => th.dataset.key).join() === Array.from(fresh.tHead.rows[0].cells, (th) => th.dataset.key).join();
  for (const name of ["split", "sort", "pin", "ci"]) {
    form.querySelector(`input[type=hidden][name=${name}]`)?.remove();
    const kept = page.querySelector(`#choices input[type=hidden][name=${name}]`);
    if (kept) form.prepend(kept);
  }
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
  const number = ++loading;
  for (const { href } of document.querySelectorAll(".pages a:not([aria-current])")) {
    const response = await fetch(href).catch(() => null);              // a copy on a disk cannot be asked
    if (!response?.ok || number !== loading) return;
    const rest = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("board");
    if (number !== loading) return;
    for (const link of rest.querySelectorAll("a[href]")) link.href = new URL(link.getAttribute("href"), href).href;
    rows.push(...readAll(rest).filter((row) => row.section !== "reference"));
  }
  if (exported && location.search) changed();
}

// ---- what visitors do -------------------------------------------------------------------------------------------
function query() {
  const chosen = new URLSearchParams();
  const official = [...form.querySelectorAll("[name=tasks]")].every((box) => box.checked === box.defaultChecked) && (exported || !state(new URLSearchParams(location.search)).tasks.length);
  for (const [name, value] of new FormData(form)) {
    if (!value || (name === "agg" && value === "mean") || (name === "tasks" && official) || (exported && (name === "split" || name === "ci"))) continue;
    chosen.append(name, value);
  }
  return chosen;
}

function changed() {
  const chosen = query(), boxes = [...form.querySelectorAll("[name=tasks]")], counted = document.getElementById("counted");
  const number = boxes.filter((box) => box.checked).length || boxes.filter((box) => box.defaultChecked).length;
  counted.textContent = counted.dataset.text.replace("{chosen}", number).replace("{all}", boxes.length);
  asked++;                                                // what was asked before is out of date
  if (exported) aggregate(state(chosen));
  show(state(chosen));
  const address = `${form.getAttribute("action")}?${chosen}`;
  if (exported) remember(chosen);
  else { clearTimeout(changed.timer); changed.timer = setTimeout(() => ask(address), 200); }
}

function remember(chosen) {
  try { history.replaceState(null, "", `${location.pathname}${chosen.size ? `?${chosen}` : ""}`); } catch { /* a copy on a disk has one address */ }
}

// An exported page that was opened with a state in its address: the form shows it, then the table.
function restore(given) {
  const chosen = state(given), lists = { fam: chosen.families, tasks: chosen.tasks, open: chosen.open, lang: chosen.languages, miss: chosen.hide ? ["hide"] : [] };
  for (const box of form.querySelectorAll("input[type=checkbox]")) if (given.has(box.name)) box.checked = lists[box.name].includes(box.value);
  for (const name of ["q", "pmin", "pmax", "agg"]) if (given.has(name)) form.elements[name].value = given.get(name);
  for (const [task, weight] of chosen.weights) if (form.elements[`w-${task}`]) form.elements[`w-${task}`].value = weight;
  for (const name of ["sort", "pin"]) if (given.has(name)) keep(name, given.getAll(name).join());
  for (const fold of form.querySelectorAll("details")) if ([...fold.querySelectorAll("input")].some((input) => input.checked !== input.defaultChecked || input.value !== input.defaultValue)) fold.open = true;
  changed();
}

function keep(name, value) {
  let kept = form.querySelector(`input[type=hidden][name=${name}]`);
  if (!kept) { kept = document.createElement("input"); kept.type = "hidden"; kept.name = name; form.prepend(kept); }
  kept.value = value;
}

function sorted(event) {
  const link = event.target.closest("a.sort");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  const th = link.closest("th"), key = th.dataset.key;
  const descending = th.hasAttribute("aria-sort") ? th.getAttribute("aria-sort") !== "descending" : !["name", "family"].includes(key);
  keep("sort", `${descending ? "-" : ""}${key}`);
  changed();
}

if (table && form) {
  rows = readAll(table);
  table.addEventListener("click", sorted);
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => { event.preventDefault(); changed(); });
  document.documentElement.dataset.alive = "";
  if (exported && location.search) restore(new URLSearchParams(location.search));
  loadRest();
}
