// Runs before the page is drawn, so that a chosen theme does not flash.
try {
  const chosen = localStorage.getItem("arena-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch { /* a browser that keeps nothing for files: the system's theme is used */ }
document.documentElement.classList.add("scripted");
