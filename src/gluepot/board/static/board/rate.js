// Keys for the rating pages: press the button that carries data-key. Without this the buttons do the same.
const keys = document.querySelector("#keys");
document.documentElement.classList.add("has-keys");
if (keys) {
  keys.checked = sessionStorage.getItem("keys") !== "off";
  keys.addEventListener("change", () => sessionStorage.setItem("keys", keys.checked ? "on" : "off"));
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || keys?.checked === false) return;
  if (event.target.matches("textarea, select, input:not([type=checkbox])")) return;
  document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`)?.click();
});
