// What pages do besides htmx: dropped files, copied commands, streams of progress, points that are dragged.
"use strict";

const token = () => JSON.parse(document.body.getAttribute("hx-headers"))["x-statlearn-token"];

function copy(event) {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  navigator.clipboard.writeText(button.parentElement.querySelector("pre").textContent).then(() => {
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

function send(place, file) {
  const status = place.querySelector(".progress"), request = new XMLHttpRequest();
  request.open("POST", "/upload?name=" + encodeURIComponent(file.name));
  request.setRequestHeader("x-statlearn-token", token());
  request.upload.onprogress = event => {
    status.textContent = file.name + ": " + Math.round(100 * event.loaded / (event.total || 1)) + " %";
  };
  request.onerror = () => { status.textContent = "The file could not be sent."; };
  request.onload = () => {
    let answer = {};
    try { answer = JSON.parse(request.responseText); } catch (error) { answer = {problem: "The file was refused."}; }
    if (answer.data) location.href = "/look?data=" + encodeURIComponent(answer.data);
    else status.textContent = answer.problem;
  };
  request.send(file);
}

function drops() {
  const place = document.querySelector("[data-drop]");
  if (!place) return;
  place.querySelector("input[type=file]").addEventListener("change", event => {
    if (event.target.files.length) send(place, event.target.files[0]);
  });
  document.addEventListener("dragover", event => { event.preventDefault(); place.classList.add("over"); });
  document.addEventListener("dragleave", () => place.classList.remove("over"));
  document.addEventListener("drop", event => {
    event.preventDefault();
    place.classList.remove("over");
    if (event.dataTransfer.files.length) send(place, event.dataTransfer.files[0]);
  });
}

// An element with data-stream shows what the server sends; the browser connects again by itself after a break.
function streams() {
  document.querySelectorAll("[data-stream]").forEach(place => {
    const source = new EventSource(place.dataset.stream);
    source.addEventListener("part", event => { place.innerHTML = event.data; });
    source.addEventListener("end", () => { source.close(); location.reload(); });
    addEventListener("pagehide", () => source.close());
  });
}

// In a figure with data-drag, a point follows the pointer; its place goes to the fields of the form and to the server.
function drags(event) {
  const figure = event.target.closest("[data-drag]");
  if (!figure) return;
  const form = document.getElementById(figure.dataset.drag), svg = figure.querySelector("svg.fig"),
    range = figure.dataset.range.split(" ").map(Number), box = figure.dataset.box.split(" ").map(Number);
  event.preventDefault();
  const move = event => {
    const frame = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / frame.width,
      across = ((event.clientX - frame.left) * scale - box[0]) / (box[2] - box[0]),
      up = ((event.clientY - frame.top) * scale - box[3]) / (box[1] - box[3]),
      clip = value => Math.min(Math.max(value, 0), 1);
    form.elements.px.value = (range[0] + clip(across) * (range[2] - range[0])).toFixed(3);
    form.elements.py.value = (range[1] + clip(up) * (range[3] - range[1])).toFixed(3);
    form.elements.px.dispatchEvent(new Event("input", {bubbles: true}));
  };
  const stop = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", stop);
    removeEventListener("pointercancel", stop);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", stop);
  addEventListener("pointercancel", stop);
  move(event);
}

function shows(event) {
  const dial = event.target.closest("input[type=range]");
  if (!dial) return;
  const shown = dial.form && dial.form.querySelector("output[for='" + dial.id + "']");
  if (shown) shown.textContent = dial.dataset.values ? dial.dataset.values.split(" ")[dial.value] : dial.value;
}

// A button with data-insert puts its value into a field of the form, or takes it out again.
function insert(event) {
  const button = event.target.closest("[data-insert]");
  if (!button) return;
  const field = button.form.elements[button.dataset.insert];
  const parts = field.value.split(",").map(part => part.trim()).filter(Boolean);
  const rest = parts.filter(part => part !== button.value);
  field.value = (rest.length === parts.length ? [...parts, button.value] : rest).join(", ");
  field.dispatchEvent(new Event("change", {bubbles: true}));
}

// The curve follows the column that was changed last; what is slow follows the answer.
function cell(event) {
  const column = event.target.dataset && event.target.dataset.column;
  if (column) document.getElementById("column").value = column;
}

document.addEventListener("input", cell, true);
document.addEventListener("focusin", cell, true);
document.addEventListener("htmx:afterSettle", event => {
  const why = document.querySelector("details.more[open][hx-get='/whatif/reasons']");
  if (why && event.target.id === "answer") document.body.dispatchEvent(new Event("answered"));
});
document.addEventListener("click", copy);
document.addEventListener("click", insert);
document.addEventListener("change", event => { if (event.target.matches("[data-submit]")) event.target.form.submit(); });
document.addEventListener("pointerdown", drags);
document.addEventListener("input", shows);
drops();
streams();
