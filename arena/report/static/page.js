"use strict";

const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

/** An element with attributes and children; text is only ever set as text. */
function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "g", "rect", "circle", "text", "title"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// Theme: follows the system until the reader chooses.
$("#theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("arena-theme", root.dataset.theme); } catch { /* not kept, and no harm done */ }
});

// Sorting: the header cells hold buttons, so that it works from the keyboard as well.
for (const table of $$("table.sortable")) {
  const headers = $$("thead th", table);
  headers.forEach((header, column) => {
    const button = $("button", header);
    if (!button) return;
    button.addEventListener("click", () => {
      const now = header.getAttribute("aria-sort");
      const first = header.dataset.first || "descending";
      const other = first === "descending" ? "ascending" : "descending";
      const direction = now === first ? other : first;
      headers.forEach((one) => one.removeAttribute("aria-sort"));
      header.setAttribute("aria-sort", direction);
      sortRows(table.tBodies[0], column, direction === "descending" ? -1 : 1);
    });
  });
}

function sortRows(body, column, sign) {
  const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
  const compare = (a, b) => {
    const [x, y] = [key(a), key(b)];
    const numeric = x !== "" && y !== "" && !isNaN(x) && !isNaN(y);
    return sign * (numeric ? x - y : x.localeCompare(y)) || a.dataset.place - b.dataset.place;
  };
  body.append(...[...body.rows].sort(compare));
}

// Copying a command.
for (const button of $$("button.copy")) {
  button.addEventListener("click", async () => {
    const command = button.parentElement.querySelector("code");
    try {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(command);
      button.textContent = "selected";
    }
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  });
}

// Moving ratings: a name in the legend brings its line to the front.
for (const name of $$("#legend button")) {
  const line = $(`#line-${name.dataset.place}`);
  const light = (on) => {
    line.parentElement.classList.toggle("dimmed", on);
    line.classList.toggle("lit", on);
    if (on) line.parentElement.append(line);
  };
  for (const event of ["pointerenter", "focus"]) name.addEventListener(event, () => light(true));
  for (const event of ["pointerleave", "blur"]) name.addEventListener(event, () => light(false));
}
