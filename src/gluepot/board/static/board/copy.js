// In an exported copy there is no server to answer a form: the page that it asks for is a file, if the copy has it.
// The file's name is made of the form's fields, as export/naming.py makes it.
document.documentElement.dataset.alive = "";

function fileOf(form) {
  const given = new FormData(form), states = form.dataset.states.split(" ");
  if (given.get("a") > given.get("b")) { const a = given.get("a"); given.set("a", given.get("b")); given.set("b", a); }
  const named = states.filter((name) => given.get(name) && !(name === "split" && given.get(name) === form.dataset.usual));
  const parts = named.map((name) => `${name}-${given.get(name)}`.replace(/[^A-Za-z0-9_.-]/g, "_"));
  return new URL([...parts, "index.html"].join("/"), form.action);
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.dataset.states === undefined || event.defaultPrevented) return;
  event.preventDefault();
  const file = fileOf(form), answer = await fetch(file, { method: "HEAD" }).catch(() => null);  // a copy on a disk cannot be asked
  if (answer === null || answer.ok) location.assign(file); else document.getElementById("absent").hidden = false;
});
