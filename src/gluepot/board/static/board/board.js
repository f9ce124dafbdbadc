// The quality table in the browser: sorts, searches and filters at once what is on the page, then asks the server for
// the same state, whose ranks and intervals are the true ones. In an exported copy there is no server to ask: what the
// browser can compute (order, filters, the overall number of chosen tasks) it shows, and leaves ranks out where they would change.

const table = document.getElementById("board");
const form = document.getElementById("choices");
const exported = document.documentElement.hasAttribute("data-exported");
const facts = { family: "f", parameters: "p", data: "g", coverage: "c" };   // what stands at a row rather than in a cell
const main = 3;                                           // the column of the number that ranks
const units = { "": 1, k: 1e3, m: 1e6, b: 1e9, g: 1e9, t: 1e12 };

// ---- what a row knows -------------------------------------------------------------------------------------------
let rows = [];                                            // all rows of all pages, each with its section's name

function read(tr, section) {
  const cells = tr.cells, link = cells[2].querySelector("a");
  const value = (cell) => (cell.dataset.v === undefined ? null : Number(cell.dataset.v));
  const fact = (name) => (tr.dataset[name] === undefined ? null : Number(tr.dataset[name]));
  return {
    tr, section, cells,
    name: link.textContent.toLowerCase(),
    text: `${link.textContent} ${tr.dataset.f || ""} ${tr.dataset.q || ""}`.toLowerCase(),
    facts: { family: tr.dataset.f ?? null, parameters: fact("p"), data: fact("g"), coverage: fact("c") },
    open: (tr.dataset.o || "").split(","), languages: (tr.dataset.l || "").split(","),
    slug: /\/s\/([^/?]+)/.exec(link.getAttribute("href"))?.[1],
    values: Array.from(cells, value),
    baseline: cells[2].querySelector(".badge:not(.ran)") !== null,
    home: section, rank: cells[1].innerHTML, overall: cells[main].innerHTML,
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
    tasks: list("tasks").filter((name) => place(name) > main), only: query.get("only") || "", picked: list("s"),
  };
}

const heads = (root = table) => Array.from(root.tHead.rows[root.tHead.rows.length - 1].cells);
const place = (key) => heads().findIndex((th) => th.dataset.key === key);
const isTask = (th) => th.dataset.metrics !== undefined;

// ---- showing a state --------------------------------------------------------------------------------------------
function passes(row, chosen) {
  if (chosen.pinned.includes(row.slug)) return true;
  if (chosen.picked.length && !chosen.picked.includes(row.slug)) return false;
  if (!chosen.words.every((word) => row.text.includes(word))) return false;
  if (row.section === "reference") return true;
  return !(row.section === "incomplete" && chosen.hide) && eligible(row, chosen);
}

function eligible(row, chosen) {
  if (chosen.families.length && !chosen.families.includes(row.facts.family)) return false;
  if (chosen.smallest !== null && !(row.facts.parameters >= chosen.smallest && row.facts.parameters !== null)) return false;
  if (chosen.largest !== null && !(row.facts.parameters <= chosen.largest && row.facts.parameters !== null)) return false;
  if (chosen.languages.length && !chosen.languages.some((code) => row.languages.includes(code))) return false;
  return chosen.open.every((what) => row.open.includes(what));
}

function compare(chosen) {
  const at = place(chosen.key), way = chosen.descending ? -1 : 1;
  const key = chosen.key === "name" ? (row) => row.name : chosen.key === "family" ? (row) => row.facts.family?.toLowerCase() ?? null : chosen.key in facts ? (row) => row.facts[chosen.key] : (row) => row.values[at];
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
  const [aside, ranked] = ["reference", "ranked"].map((name) => table.querySelector(`tbody[data-section=${name}]`));
  if (rows.some((row) => chosen.pinned.includes(row.slug))) ranked.before(aside); else if (aside.nextElementSibling === ranked) ranked.after(aside);   // what is pinned stands on top
  let left = Number(table.dataset.pages) > 1 ? 500 : Infinity;
  fill(Array.from(table.querySelectorAll("tbody[data-section]"), (body) => {
    const mine = shown.filter((row) => row.section === body.dataset.section).map((row) => row.tr);
    const kept = body.dataset.section === "reference" ? mine : mine.slice(0, left);
    if (body.dataset.section !== "reference") left -= kept.length;
    body.hidden = !kept.length;
    return { place: body, title: body.querySelectorAll("tr.section"), rows: kept };
  }));
  const way = chosen.descending ? "descending" : "ascending";
  for (const th of heads()) th.removeAttribute("aria-sort");
  for (const link of table.tHead.querySelectorAll("small a.sort")) { link.classList.remove("descending", "ascending"); if (link.dataset.key === chosen.key) link.classList.add(way); }
  heads()[place(chosen.key)]?.setAttribute("aria-sort", way);
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
  const counts = (th) => isTask(th) && (chosen.only ? chosen.only === th.dataset.key : chosen.tasks.length ? chosen.tasks.includes(th.dataset.key) : !th.classList.contains("outside"));
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
  const own = chosen.only || chosen.tasks.length > 0 || chosen.weights.size > 0 || chosen.aggregate !== "mean";
  heads().forEach((th, at) => { if (isTask(th)) hideColumn(at, chosen.tasks.length > 0 && !chosen.tasks.includes(th.dataset.key)); });
  document.getElementById("unranked").hidden = !own && !filtered;
  document.getElementById("headline").hidden = Boolean(own || filtered);
  document.getElementById("tied")?.toggleAttribute("hidden", Boolean(own || filtered));
  table.classList.toggle("unshaded", Boolean(own || filtered));
  const terms = makeTerms(chosen);
  for (const row of rows) {
    row.terms = terms.map((term) => ofTerm(row, term));
    row.covered = row.terms.filter((value) => value !== null).length;
    row.section = row.baseline || chosen.pinned.includes(row.slug) ? "reference" : !own ? row.home : row.covered === terms.length ? "ranked" : "incomplete";
    row.cells[1].innerHTML = own || filtered ? "–" : row.rank;
    if (own) continue;
    row.cells[main].innerHTML = row.overall;
    row.values[main] = row.cells[main].dataset.v === undefined ? null : Number(row.cells[main].dataset.v);
    row.facts.coverage = Number(row.tr.dataset.c);
  }
  if (!own) return;
  const competing = rows.filter((row) => !row.baseline && row.covered === terms.length && eligible(row, chosen));
  const used = terms.flatMap((term) => [...term.parts, ...(term.printed ? [term.printed] : [])]);
  for (const row of rows) {
    const known = row.covered === terms.length && terms.length > 0, told = used.some((part) => row.cells[part.at].querySelector("i"));
    row.values[main] = known ? aggregates[chosen.aggregate](row, terms, competing) : null;
    row.facts.coverage = row.covered;
    const text = !known ? `${row.covered}/${terms.length}` : relative ? written(Math.abs(row.values[main]) / 1e5, 2) : written(row.values[main] / 1e3, 1);
    row.cells[main].innerHTML = `<div><output>${known && told ? `<i>${text}ʳ</i>` : text}</output></div>`;
  }
}

function hideColumn(at, hidden) {
  for (const tr of [table.tHead.rows[table.tHead.rows.length - 1], ...rows.map((row) => row.tr)]) if (tr.cells[at]) tr.cells[at].hidden = hidden;
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
  const same = heads().map((th) => th.dataset.key).join() === heads(fresh).map((th) => th.dataset.key).join();
  for (const name of ["split", "only", "sort", "pin", "s", "ci"]) {
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
  for (const part of ["#status", "#headline", "#legend", ".splits", ".files", ".pages", ".empty", "main > .warning:not(.empty):not(.copy)", "main > .note", ".languages", ".cite", "#ticks", "#pick"]) {
    const old = document.querySelector(part), now = page.querySelector(part);
    if (old && now) old.innerHTML = now.innerHTML; else if (old) old.remove(); else if (now) document.querySelector(".files").before(now);
  }
  history.replaceState(null, "", response.url);
  if (focus) table.querySelector(`th[data-key="${CSS.escape(focus)}"] a.sort`)?.focus({ preventScroll: true });
  if (!same) await loadRest();
}

// The server's ranks, means and coverage, written into the rows that are there; nothing moves that need not.
function patch(fresh) {
  const old = new Map(rows.map((row) => [row.slug, row]));
  for (const row of fresh) {
    const mine = old.get(row.slug);
    if (!mine) { rows.push(row); continue; }
    for (let at = 1; at < row.cells.length; at++) if (at !== 2 && mine.cells[at].outerHTML !== row.cells[at].outerHTML) mine.cells[at].replaceWith(row.cells[at].cloneNode(true));
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

// The page with intervals, of another split or in another language is another file of the copy: the choice goes along in its address.
function carry(chosen) {
  for (const link of document.querySelectorAll("#intervals, .splits a, .languages a")) link.search = chosen;
}

function remember(chosen) {
  carry(chosen);
  try { history.replaceState(null, "", `${location.pathname}${chosen.size ? `?${chosen}` : ""}`); } catch { /* a copy on a disk has one address */ }
}

// An exported page that was opened with a state in its address: the form shows it, then the table.
function restore(given) {
  const chosen = state(given), lists = { fam: chosen.families, tasks: chosen.tasks, open: chosen.open, lang: chosen.languages, miss: chosen.hide ? ["hide"] : [] };
  for (const box of form.querySelectorAll("input[type=checkbox]")) if (given.has(box.name)) box.checked = lists[box.name].includes(box.value);
  for (const name of ["q", "pmin", "pmax", "agg"]) if (given.has(name)) form.elements[name].value = given.get(name);
  for (const [task, weight] of chosen.weights) if (form.elements[`w-${task}`]) form.elements[`w-${task}`].value = weight;
  for (const name of ["sort", "pin", "only", "s"]) if (given.has(name)) keep(name, given.getAll(name).join());
  changed();
}

function keep(name, value) {
  let kept = form.querySelector(`input[type=hidden][name=${name}]`);
  if (!kept) { kept = document.createElement("input"); kept.type = "hidden"; kept.name = name; form.prepend(kept); }
  kept.value = value;
}

function sorted(event) {
  const link = event.target.closest("a.sort");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || (!exported && isTask(link.closest("th")))) return;   // the server ranks
  event.preventDefault();
  const th = link.closest("th"), key = link.dataset.key ?? th.dataset.key;
  if (isTask(th)) { keep("only", key); keep("sort", ""); return changed(); }
  const now = link.dataset.key ? ["descending", "ascending"].find((way) => link.classList.contains(way)) : th.getAttribute("aria-sort");
  const descending = now ? now !== "descending" : !["name", "family"].includes(key);
  keep("sort", `${descending ? "-" : ""}${key}`);
  changed();
}

if (table && form) {
  rows = readAll(table);
  table.addEventListener("click", sorted);
  form.addEventListener("input", (event) => { if (event.target.matches(":invalid")) event.target.reportValidity?.(); else changed(); });
  form.addEventListener("submit", (event) => { event.preventDefault(); changed(); });
  document.documentElement.dataset.alive = "";
  document.getElementById("only")?.addEventListener("change", (event) => { if (exported) { keep("only", event.target.value); keep("sort", ""); changed(); } else event.target.form.requestSubmit(); });
  document.addEventListener("click", (event) => { for (const chip of form.querySelectorAll("details[open]")) if (!chip.contains(event.target)) chip.open = false; });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") for (const chip of form.querySelectorAll("details[open]")) chip.open = false; });
  if (exported && location.search) restore(new URLSearchParams(location.search));
  loadRest();
}
