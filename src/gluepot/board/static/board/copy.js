// In an exported copy there is no server to answer a form: the page that it asks for is a file, if the copy has it.
// The file's name is made of the form's fields, as export/naming.py makes it.
document.documentElement.dataset.alive = "";

function fileOf(form) {
  const given = new FormData(form), pair = [given.get("a"), given.get("b")];
  if (pair[0] > pair[1]) { given.set("a", pair[1]); given.set("b", pair[0]); }
  for (const name of new Set(given.keys())) {
    const boxes = [...form.querySelectorAll(`[type=checkbox][name=${CSS.escape(name)}]`)];
    if (boxes.length && boxes.every((box) => box.checked === box.defaultChecked)) given.delete(name);
  }
  if (given.get("split") === form.dataset.usual) given.delete("split");
  const named = form.dataset.states.split(" ").filter((name) => given.get(name));
  const parts = named.map((name) => `${name}-${given.getAll(name)}`.replace(/[^A-Za-z0-9_.-]/g, "_"));
  return new URL([...parts, "index.html"].join("/"), form.action);
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.dataset.states === undefined || event.defaultPrevented) return;
  event.preventDefault();
  const file = fileOf(form), answer = await fetch(file, { method: "HEAD" }).catch(() => null);  // a copy on a disk cannot be asked
  if (answer === null || answer.ok) location.assign(file); else document.getElementById("absent").hidden = false;
});
