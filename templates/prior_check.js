// The page with sliders of a prior check: one front end for a browser and for a notebook. It loads nothing.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 1000, HEIGHT = 100;
const STEPS = 1000;

// -- small helpers ----------------------------------------------------------------------------------
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function shape(name) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("class", name);
  return path;
}

function shown(value) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-3 ? value.toExponential(1).replace("e+", "e") : String(Number(value.toPrecision(3)));
  return text.replace("-", "−");
}

function percent(share) {
  if (share === 0) return "0 %";
  return share < 0.01 ? "< 1 %" : share > 0.99 && share < 1 ? "> 99 %" : `${Math.round(100 * share)} %`;
}

function niceStep(width) {
  const power = 10 ** Math.floor(Math.log10(width));
  const rest = width / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

function ticks(low, high, wanted) {
  const step = niceStep((high - low) / wanted);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k += 1) found.push(k * step);
  return found;
}

// -- a slider ---------------------------------------------------------------------------------------
class Slider {
  constructor(constant, value, moved, settled) {
    Object.assign(this, { constant, low: constant.low, high: constant.high });
    const own = constant.name.slice(constant.name.startsWith(`${constant.variable}.`) ? constant.variable.length + 1 : 0);
    const id = `constant-${Math.random().toString(36).slice(2)}`;
    const also = constant.also.length ? ` (also of ${constant.also.join(", ")})` : "";
    this.range = make("input", { type: "range", min: 0, max: STEPS, step: 1, id, "data-constant": constant.name });
    this.box = make("input", { type: "number", step: "any", "aria-label": constant.name, "data-box": constant.name });
    const label = make("label", { htmlFor: id, title: `${constant.name}${also}; double-click: as written (${constant.value})` }, own);
    this.element = make("div", { class: "constant" }, label, this.box, this.range);
    this.range.addEventListener("input", () => { this.take(this.fromPlace(Number(this.range.value))); moved(); });
    this.range.addEventListener("change", settled);
    this.box.addEventListener("input", () => {
      if (this.box.value.trim() === "" || !Number.isFinite(Number(this.box.value))) return;
      this.take(Number(this.box.value), true);
      moved();
    });
    this.box.addEventListener("change", () => { this.take(this.value); settled(); });
    label.addEventListener("dblclick", () => { this.take(constant.value); moved(); settled(); });
    this.take(value);
  }

  fromPlace(place) {
    const { log, integer } = this.constant;
    const share = place / STEPS;
    if (log) return Number((this.low * (this.high / this.low) ** share).toPrecision(share === 0 || share === 1 ? 12 : 2 + (this.high / this.low < 1e3)));
    const step = integer ? 1 : niceStep((this.high - this.low) / 400);
    const value = Number((Math.round((this.low + share * (this.high - this.low)) / step) * step).toPrecision(12));
    return Math.min(this.high, Math.max(this.low, value));
  }

  toPlace(value) {
    const share = this.constant.log ? Math.log(value / this.low) / Math.log(this.high / this.low) : (value - this.low) / (this.high - this.low);
    return Math.round(STEPS * Math.min(1, Math.max(0, share)));
  }

  take(value, typing = false) {
    this.value = value;
    if (!this.constant.log || value > 0) {  // a number that was typed takes the slider along
      this.low = Math.min(this.low, value);
      this.high = Math.max(this.high, value);
      this.range.value = this.toPlace(value);
    }
    if (!typing) this.box.value = value;
    this.element.classList.toggle("changed", value !== this.constant.value);
  }
}

// -- a histogram ------------------------------------------------------------------------------------
class Panel {
  constructor(told, changed) {
    this.view = told.view;
    this.element = make("section", { class: "card panel", "data-panel": told.name });
    this.note = make("span");
    const top = make("div", { class: "top" }, make("b", {}, told.name), this.note);
    if (told.views.length > 1) {
      const select = make("select", { title: "What is counted: every value, one number of each simulated data set, or the probability behind an outcome", "aria-label": `what is shown of ${told.name}` },
        ...told.views.map(view => make("option", { value: view }, view)));
      select.addEventListener("change", () => { this.view = select.value; this.axis = null; changed(); });
      top.append(select);
    }
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    this.svg = svg;
    this.paths = Object.fromEntries(["now", "seen", "start", "ticks", "base"].map(name => [name, shape(name)]));
    svg.append(...Object.values(this.paths));
    this.paths.base.setAttribute("d", `M0 ${HEIGHT}H${WIDTH}`);
    this.labels = make("div", { class: "labels" });
    this.numbers = make("div", { class: "numbers" });
    svg.addEventListener("pointermove", event => this.hover(event));
    svg.addEventListener("pointerleave", () => this.describe());
    this.element.append(top, make("div", { class: "plot" }, svg, this.labels), this.numbers);
    this.draw(told);
  }

  draw(told) {
    this.told = told;
    this.axis = told.axis;
    const [low, high] = told.axis;
    const share = counts => { const total = counts.total; return counts.list.map(c => c / total); };
    const now = share({ list: told.counts, total: told.total });
    const start = share({ list: told.start, total: told.total });
    const top = 1.08 * Math.max(...now, ...start, 1e-12);
    this.paths.now.setAttribute("d", this.steps(now, top));
    this.paths.start.setAttribute("d", this.same(now, start) ? "" : this.steps(start, top, false));
    const data = told.data;
    const few = data !== null && data.ticks.length > 0;
    this.paths.seen.setAttribute("d", data === null || few ? "" : this.steps(share({ list: data.counts, total: data.total }), top));
    const at = value => (WIDTH * (value - low)) / (high - low);
    const rise = data !== null && data.ticks.length === 1 ? 0 : HEIGHT * 0.84;
    this.paths.ticks.setAttribute("d", few ? data.ticks.map(value => `M${at(value).toFixed(2)} ${HEIGHT}V${rise}`).join("") : "");
    this.labels.replaceChildren(...ticks(low, high, 5).map(value => {
      const label = make("span", {}, shown(Number(value.toPrecision(8))));
      label.style.left = `${(100 * (value - low)) / (high - low)}%`;
      return label;
    }));
    this.describe();
    this.svg.setAttribute("aria-label", `${told.name}: ${this.numbers.textContent}`);
  }

  same(one, other) { return one.every((value, k) => value === other[k]); }

  steps(heights, top, closed = true) {
    const each = WIDTH / heights.length;
    const y = height => (HEIGHT * (1 - Math.min(1, height / top))).toFixed(2);
    const line = heights.map((height, k) => `${k ? "L" : closed ? "L" : "M"}${(k * each).toFixed(2)} ${y(height)}H${((k + 1) * each).toFixed(2)}`).join("");
    return closed ? `M0 ${HEIGHT}${line}V${HEIGHT}Z` : line;
  }

  describe() {
    const { told } = this;
    const words = told.role !== "observed" ? told.role : told.view === "probability" ? "probability" : "prior predictive";
    const beyond = told.below + told.above;
    this.note.textContent = (told.elements > 1 ? `${told.elements} × ` : "") + words + (beyond >= 0.005 ? ` · ${percent(beyond)} beyond the axis` : "");
    const line = spread => `${shown(spread.middle)}, 90 % from ${shown(spread.low)} to ${shown(spread.high)}`;
    const parts = [make("span", { class: "drawn" }, `median ${line(told.spread)}`)];
    if (told.data !== null) {
      const seen = told.data.total === 1 ? shown(told.data.spread.middle) : line(told.data.spread);
      parts.push(" · ", make("span", { class: "of-data" }, `data ${seen}`));
      if (told.outside !== null) parts.push(` · ${percent(told.outside)} far from the data`);
    }
    this.numbers.replaceChildren(...parts);
  }

  hover(event) {
    const box = this.svg.getBoundingClientRect();
    const bins = this.told.counts.length, [low, high] = this.told.axis;
    const k = Math.min(bins - 1, Math.max(0, Math.floor((bins * (event.clientX - box.left)) / box.width)));
    const from = low + (k * (high - low)) / bins, to = low + ((k + 1) * (high - low)) / bins;
    const where = this.told.discrete && to - from === 1 ? shown(Math.round((from + to) / 2)) : `${shown(from)} to ${shown(to)}`;
    const share = count => `${((100 * count)).toFixed(1)} %`;
    let text = `${where}: ${share(this.told.counts[k] / this.told.total)} of the draws, ${share(this.told.start[k] / this.told.total)} as written`;
    if (this.told.data !== null && this.told.data.total > 1) text += `, ${share(this.told.data.counts[k] / this.told.data.total)} of the data`;
    this.numbers.textContent = text;
  }
}

// -- the page ---------------------------------------------------------------------------------------
class Priors {
  constructor(root, ask, models) {
    Object.assign(this, { ask, models, model: models[0], asking: false, waiting: null });
    this.root = root;
    root.classList.add("scistan-prior");
  }

  async open() {
    let told;
    try { told = await this.ask({ model: this.model, open: true }); } catch (error) { return this.lost(); }
    this.told = told;
    const moved = () => this.move({});
    const settled = () => this.move({ findings: true, settle: true });
    this.sliders = told.constants.map(c => new Slider(c, told.values[c.name] ?? c.value, moved, settled));
    this.panels = new Map();
    this.findings = make("section", { class: "card findings" });
    this.error = make("section", { class: "card error", role: "alert", hidden: true });
    this.code = make("pre", { hidden: true });
    this.copy = make("button", { type: "button", onclick: () => this.copyLines(), hidden: true }, "Copy");
    this.quiet = make("p", { class: "quiet" }, "Move a slider: the line of Python to write appears here.");
    this.grids = { observed: make("div", { class: "panels observed" }), latent: make("div", { class: "panels" }) };
    const groups = new Map();
    for (const slider of this.sliders) {
      const { variable } = slider.constant;
      if (!groups.has(variable)) groups.set(variable, make("div", { class: "group" }, make("b", {}, variable), make("span", {}, ` ~ ${slider.constant.family}`)));
      groups.get(variable).append(slider.element);
    }
    const key = make("div", { class: "key" }, make("span", {}, make("i", { class: "k-now" }), "draws with these constants"),
      make("span", {}, make("i", { class: "k-start" }), "as written"), make("span", {}, make("i", { class: "k-data" }), "data"));
    this.facts = make("span", { class: "facts" });
    this.root.replaceChildren(
      make("header", {}, this.title(), this.facts,
        make("button", { type: "button", "data-act": "fit", onclick: () => this.fit() }, "Fit axes"),
        make("button", { type: "button", "data-act": "reset", onclick: () => this.reset() }, "As written")),
      make("div", { class: "body" },
        make("aside", {}, make("section", { class: "card" }, make("h2", {}, "Constants of the priors"), ...groups.values()),
          make("section", { class: "card lines" }, make("h2", {}, "In your script"), this.code, this.copy, this.quiet)),
        make("main", {}, this.error, key, this.grids.observed, this.findings, this.grids.latent)));
    this.take(told.answer);
    this.tell();
    this.root.dataset.ready = "yes";
  }

  title() {
    if (this.models.length < 2) return make("h1", {}, this.told.model);
    const select = make("select", { "aria-label": "model" }, ...this.models.map(name => make("option", { value: name, selected: name === this.model }, name)));
    select.addEventListener("change", () => { this.model = select.value; this.open(); });
    return make("h1", {}, select);
  }

  tell(milliseconds) {
    const time = milliseconds === undefined ? "" : ` · redrawn in ${Math.max(1, Math.round(milliseconds))} ms`;
    let out = this.told.left_out ? ` · ${this.told.left_out} more variables are not shown` : "";
    if (this.told.without_slider) out += ` · ${this.told.without_slider} more constants have no slider`;
    this.facts.textContent = `${this.told.draws} prior draws, seed ${this.told.seed}${out}${time}`;
  }

  get values() {
    return Object.fromEntries(this.sliders.filter(s => s.value !== s.constant.value).map(s => [s.constant.name, s.value]));
  }

  // One question at a time; of what is moved meanwhile, the last counts.
  async move(wish) {
    this.waiting = { ...this.waiting, ...wish };
    if (this.asking) return;
    this.asking = true;
    this.root.dataset.asking = "yes";
    while (this.waiting !== null) {
      const { settle, fit, ...question } = this.waiting;
      this.waiting = null;
      const axes = {}, views = {};
      for (const [name, panel] of this.panels) {
        views[name] = panel.view;
        if (!fit && panel.axis) axes[name] = panel.axis;
      }
      let answer;
      try { answer = await this.ask({ model: this.model, values: this.values, axes, views, ...question }); }
      catch (error) { this.lost(); break; }
      this.take(answer);
      // Axes hold still while a slider moves, so that one sees the change; then those that no longer serve are fitted.
      if (settle && !answer.error && this.waiting === null) {
        const poor = [...this.panels.values()].filter(panel => !panel.told.fits);
        for (const panel of poor) panel.axis = null;
        if (poor.length) this.waiting = { all: true };
      }
    }
    this.asking = false;
    this.root.dataset.asking = "no";
  }

  take(answer) {
    this.error.hidden = !answer.error;
    for (const slider of this.sliders) slider.element.classList.toggle("wrong", Boolean(answer.error) && slider.element.classList.contains("changed"));
    if (answer.error) { this.error.textContent = answer.error.replaceAll("`", ""); return; }
    const fresh = new Set();
    for (const told of answer.panels) {
      fresh.add(told.name);
      if (this.panels.has(told.name)) this.panels.get(told.name).draw(told);
      else {
        const panel = new Panel(told, () => this.move({ all: true }));
        this.panels.set(told.name, panel);
        this.grids[told.role === "observed" ? "observed" : "latent"].append(panel.element);
      }
    }
    if (answer.milliseconds !== undefined) {
      for (const [name, panel] of this.panels) panel.element.classList.toggle("touched", fresh.has(name) && fresh.size < this.panels.size);
      this.tell(answer.milliseconds);
    }
    this.code.textContent = answer.lines.join("\n");
    this.code.hidden = this.copy.hidden = !answer.lines.length;
    this.quiet.hidden = Boolean(answer.lines.length);
    if (answer.findings) this.showFindings(answer.findings);
  }

  showFindings(findings) {
    this.findings.className = `card findings ${findings.length ? "some" : "none"}`;
    const plain = text => text.replaceAll("`", "");
    this.findings.replaceChildren(
      make("h2", {}, findings.length ? `${findings.length} finding${findings.length > 1 ? "s" : ""}` : "The checks find nothing"),
      ...findings.map(f => make("p", {}, plain(f.fact), make("br"), make("span", { class: "try" }, `Try: ${plain(f.suggestion)}`))));
  }

  fit() { this.move({ fit: true, all: true }); }

  reset() {
    for (const slider of this.sliders) slider.take(slider.constant.value);
    this.move({ findings: true, fit: true, all: true });
  }

  async copyLines() {
    try {
      await navigator.clipboard.writeText(this.code.textContent);
      this.copy.textContent = "Copied";
      setTimeout(() => { this.copy.textContent = "Copy"; }, 1500);
    } catch (error) {  // no leave to write: the lines are marked, and Ctrl-C does it
      getSelection().selectAllChildren(this.code);
    }
  }

  lost() {
    const words = "Python no longer answers: this page shows the last draws. Start it again to go on.";
    if (this.error) { this.error.hidden = false; this.error.textContent = words; } else this.root.textContent = words;
  }
}

// -- who answers: a server, or the kernel of a notebook -----------------------------------------------
function openPage(root, models) {
  const ask = async question => {
    const response = await fetch("ask", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
    if (!response.ok) throw new Error(response.statusText);
    return response.json();
  };
  document.title = `Priors of ${models.join(", ")}`;
  return new Priors(root, ask, models).open();
}

function render({ model, el }) {
  const waiting = new Map();
  let number = 0;
  const heard = message => {
    const answered = waiting.get(message.number);
    waiting.delete(message.number);
    if (answered) answered(message.answer);
  };
  model.on("msg:custom", heard);
  const ask = question => new Promise(answered => {
    number += 1;
    waiting.set(number, answered);
    model.send({ ...question, number });
  });
  const root = document.createElement("div");
  el.append(root);
  new Priors(root, ask, [""]).open();
  return () => model.off("msg:custom", heard);
}

export default { render };
