"use strict";
// A line is chosen in all panes at once: lines that come from the same line of the user's have the same `data-at`.
(() => {
  const lines = [...document.querySelectorAll("[data-at]")];

  function show(pane) {
    const first = pane.querySelector(".chosen");
    const box = pane.querySelector(".lines");
    if (first !== null) {
      const above = first.getBoundingClientRect().top - box.getBoundingClientRect().top;
      box.scrollTop += above - box.clientHeight / 3;
    }
  }

  function choose(at, clicked) {
    for (const line of lines) line.classList.toggle("chosen", line.dataset.at === at);
    for (const pane of document.querySelectorAll(".pane")) {
      if (clicked === null || !pane.contains(clicked)) show(pane);
    }
    // Not in a page without an address of its own, as a notebook shows it.
    if (location.protocol !== "about:") history.replaceState(null, "", "#" + encodeURIComponent(at));
  }

  document.addEventListener("click", (event) => {
    const line = event.target.closest("[data-at]");
    if (line !== null) choose(line.dataset.at, line);
  });
  document.addEventListener("keydown", (event) => {
    const line = event.target.closest("[data-at]");
    if (line !== null && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      choose(line.dataset.at, line);
    }
  });
  for (const choice of document.querySelectorAll("input[data-pane]")) {
    const pane = document.getElementById(choice.dataset.pane);
    const update = () => { pane.hidden = !choice.checked; if (choice.checked) show(pane); };
    choice.addEventListener("change", update);
    update();
  }
  if (location.hash.length > 1) choose(decodeURIComponent(location.hash.slice(1)), null);
})();
