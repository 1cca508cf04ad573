// Draws the curves of a tariff, and lets the knots of a draft be dragged. A curve has no numbers of its own: the table named by
// data-curve has them, in fields of a draft, in cells else. The script knows no rule of a tariff: after each change it sends the
// form, which is saved and checked by billing, and marks what billing refuses.
(() => {
  'use strict';
  const form = document.querySelector('[data-tariff-editor]');
  const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const rounded = (value) => Number(Math.max(0, value).toPrecision(3));
  const samples = 12; // of each segment: a straight line is bent by the axis
  const step = 4; // pixels that an arrow key moves a knot, and that a pointer moves before a coordinate follows it
  const large = 5; // times as much with Shift

  const curve = (element) => {
    const table = document.getElementById(element.dataset.curve);
    const editable = 'editable' in element.dataset;
    let plot = null;
    let range = [[0, 1], [0, 1]];
    let handles = [];
    let dragged = false;

    const rows = () => [...table.querySelectorAll('[data-knot]')];
    const number = (row, name) => {
      const cell = row.querySelector('[data-' + name + ']');
      const text = editable ? cell.value.trim() : cell.dataset[name];
      return text === '' ? NaN : Number(text);
    };
    const knots = () => rows().map((row) => ({ row, at: number(row, 'at'), value: number(row, 'value') }));

    const line = () => {
      const known = knots().filter(({ at, value }) => Number.isFinite(at) && Number.isFinite(value)).sort((a, b) => a.at - b.at);
      const x = [], y = [];
      known.forEach(({ at, value }, i) => {
        const next = known[i + 1];
        for (let s = 0; s < (next ? samples : 1); s++) {
          const part = next ? s / samples : 0;
          x.push(at + (next ? (next.at - at) * part : 0));
          y.push(value + (next ? (next.value - value) * part : 0));
        }
      });
      return [x, y];
    };

    const fitRange = ([x, y]) => { range = [[0, Math.max(1e-3, ...x) * 1.1], [0, Math.max(1e-3, ...y) * 1.15]]; };

    const place = () => handles.forEach((handle, i) => {
      const { at, value } = knots()[i];
      handle.hidden = !Number.isFinite(at) || !Number.isFinite(value);
      if (handle.hidden) return;
      handle.style.left = plot.valToPos(at, 'x') + 'px';
      handle.style.top = plot.valToPos(value, 'y') + 'px';
      handle.setAttribute('aria-label', form.dataset.textKnot.replace('{0}', i + 1));
      handle.setAttribute('aria-valuenow', value);
      handle.setAttribute('aria-valuetext', form.dataset.textPoint.replace('{0}', at).replace('{1}', value));
      handle.classList.toggle('bad', Boolean(rows()[i].querySelector('[aria-invalid=true]')));
    });

    const redraw = () => {
      const data = line();
      if (!dragged) fitRange(data);
      plot.setData(data);
      if (editable && handles.length !== rows().length) makeHandles();
    };

    // A coordinate that nobody moved is left out, and keeps its digits.
    const write = (row, moved) => {
      for (const [name, value] of Object.entries(moved)) row.querySelector('[data-' + name + ']').value = value;
      redraw();
      changed();
    };

    const drag = (handle) => {
      const row = () => rows()[handles.indexOf(handle)];
      let from = { x: 0, y: 0 };
      let moved = {};
      handle.addEventListener('pointerdown', (event) => {
        handle.setPointerCapture(event.pointerId);
        dragged = true;
        from = { x: event.clientX, y: event.clientY };
        moved = {};
        event.preventDefault();
        handle.focus();
      });
      handle.addEventListener('pointermove', (event) => {
        if (!dragged || !handle.hasPointerCapture(event.pointerId)) return;
        const box = plot.over.getBoundingClientRect();
        if ('at' in moved || Math.abs(event.clientX - from.x) >= step) moved.at = rounded(plot.posToVal(event.clientX - box.left, 'x'));
        if ('value' in moved || Math.abs(event.clientY - from.y) >= step) moved.value = rounded(plot.posToVal(event.clientY - box.top, 'y'));
        write(row(), moved);
      });
      for (const end of ['pointerup', 'pointercancel']) {
        handle.addEventListener(end, () => { dragged = false; redraw(); });
      }
      handle.addEventListener('keydown', (event) => {
        const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
        const move = moves[event.key];
        if (move) {
          event.preventDefault();
          const pixels = step * (event.shiftKey ? large : 1);
          const at = number(row(), 'at'), value = number(row(), 'value');
          dragged = true; // the axes stay while keys move a knot
          write(row(), move[0]
            ? { at: rounded(plot.posToVal(plot.valToPos(at, 'x') + move[0] * pixels, 'x')) }
            : { value: rounded(plot.posToVal(plot.valToPos(value, 'y') + move[1] * pixels, 'y')) });
          dragged = false;
        } else if (event.key === 'Insert' || event.key === '+') {
          event.preventDefault();
          add(row());
        } else if (event.key === 'Delete') {
          event.preventDefault();
          const index = handles.indexOf(handle);
          remove(row());
          if (handles.length) handles[Math.min(index, handles.length - 1)].focus();
        }
      });
    };

    const makeHandles = () => {
      handles.forEach((handle) => handle.remove());
      handles = rows().map(() => {
        const handle = document.createElement('div');
        handle.tabIndex = 0;
        handle.className = 'knot';
        handle.setAttribute('role', 'slider');
        plot.over.append(handle);
        return handle;
      });
      handles.forEach(drag);
    };

    const renumber = () => rows().forEach((row, i) => {
      row.cells[0].textContent = i + 1;
      for (const [name, column] of [['at', 0], ['value', 1]]) {
        const field = row.querySelector('[data-' + name + ']');
        field.name = table.dataset.base + '/' + i + '/' + column;
        field.setAttribute('aria-label', field.getAttribute('aria-label').replace(/\d+/, i + 1));
      }
    });

    // A new knot lies on the line, so that adding it changes no price.
    const add = (row) => {
      const all = rows();
      const next = all[all.indexOf(row) + 1];
      const copy = row.cloneNode(true);
      const here = { at: number(row, 'at'), value: number(row, 'value') };
      const there = next ? { at: number(next, 'at'), value: number(next, 'value') } : { at: here.at * 2 || 1, value: here.value };
      copy.querySelectorAll('[aria-invalid]').forEach((field) => field.removeAttribute('aria-invalid'));
      row.after(copy);
      renumber();
      write(copy, { at: (here.at + there.at) / 2, value: (here.value + there.value) / 2 });
    };

    const remove = (row) => {
      row.remove();
      renumber();
      redraw();
      changed();
    };

    const draw = () => {
      if (plot) plot.destroy();
      handles = [];
      const data = line();
      fitRange(data);
      const look = { stroke: token('--ink-soft'), grid: { stroke: token('--line'), width: 1 }, ticks: { stroke: token('--line'), width: 1 }, font: '12px system-ui, sans-serif' };
      const plain = (u, splits) => splits.map((v) => (v === null || v < 0 ? '' : v === 0 ? '0' : viaduct.numbers.plain(v)));
      plot = new uPlot({
        width: element.clientWidth, height: element.clientHeight, legend: { show: false }, padding: [8, 12, 0, 0],
        cursor: { show: false, drag: { x: false, y: false } },
        scales: { x: { time: false, distr: 4, asinh: 1, range: () => range[0] }, y: { range: () => range[1] } },
        axes: [{ ...look, values: plain, space: 36 }, { ...look, size: 56, values: plain }],
        series: [{}, { stroke: token('--series-1'), width: 2, fill: token('--accent-soft'), points: { show: false } }],
        hooks: { draw: [() => place()] }, // only now the axes are known
      }, data, element);
      if (editable) makeHandles();
    };

    if (editable) {
      table.addEventListener('input', redraw);
      table.addEventListener('click', (event) => {
        const row = event.target.closest('[data-knot]');
        if (row && event.target.closest('[data-add]')) add(row);
        if (row && event.target.closest('[data-remove]')) remove(row);
      });
    }
    draw();
    new ResizeObserver(() => {
      if (plot.width === element.clientWidth) return;
      plot.setSize({ width: element.clientWidth, height: element.clientHeight });
    }).observe(element);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
    return { place };
  };

  // --- the check ---
  const wait = 400; // ms after the last change
  let timer = 0;
  let sending = false;
  let again = false;
  let stopped = false;
  let held = null; // a submit that waits for the check that runs
  let leaving = false;
  let curves = [];

  const status = form && document.querySelector('[data-testid=check]');
  const say = (text, look, detail = '', english = false) => {
    const line = status.querySelector('[data-check-text]');
    line.textContent = text;
    line.className = look;
    const words = status.querySelector('[data-check-detail]');
    words.textContent = detail;
    if (english) words.lang = 'en'; // billing's words
    else words.removeAttribute('lang');
  };

  const fieldOf = (placeName, knot) => {
    const at = form.querySelector(':is(input, select, fieldset)[data-place="' + CSS.escape(placeName) + '"]');
    if (!at || at.matches('input, select')) return at;
    const row = at.querySelectorAll('[data-knot]')[knot];
    return row ? row.querySelector('[data-value]') : at.querySelector('input');
  };

  const mark = ({ valid, place, knot, detail, english }) => {
    form.querySelectorAll('[aria-invalid]').forEach((field) => field.removeAttribute('aria-invalid'));
    const field = valid ? null : fieldOf(place, knot);
    if (field) {
      const row = field.closest('[data-knot]');
      (row ? row.querySelectorAll('input') : [field]).forEach((one) => one.setAttribute('aria-invalid', 'true'));
    }
    status.dataset.valid = valid;
    status.dataset.place = place;
    status.dataset.knot = knot < 0 ? '' : knot;
    status.querySelector('[data-check-show]').hidden = !field;
    say(valid ? form.dataset.textValid : form.dataset.textInvalid, valid ? 'good' : 'bad', valid ? '' : detail, english);
    curves.forEach((one) => one.place());
  };

  // Answers after which this window cannot save any more; sending it again would not help.
  const ends = { 403: 'textRefused', 404: 'textGone', 412: 'textChanged' };

  // A new application counts when its button is pressed, not while its name is typed.
  const fields = () => [...new FormData(form)].filter(([name]) => !/^application(\/|$)/.test(name));

  const send = async () => {
    if (sending) { again = true; return; }
    sending = true;
    try {
      const answer = await fetch(form.dataset.check, { method: 'POST', body: new URLSearchParams(fields()), headers: { Accept: 'application/json', 'HX-Request': 'true' } });
      if (ends[answer.status]) {
        stopped = true;
        say(form.dataset[ends[answer.status]], 'bad');
      } else if (answer.status === 401) {
        location.assign('/login?problem=ended');
      } else if (answer.ok || answer.status === 400 || answer.status === 422) {
        const checked = await answer.json();
        if (checked.tag) form.elements.tag.value = checked.tag;
        mark(checked);
      } else {
        throw new Error(String(answer.status));
      }
    } catch (e) {
      say(form.dataset.textAway, 'bad');
      timer = setTimeout(send, 10 * wait);
    } finally {
      sending = false;
      const { by } = held || {};
      held = null;
      if (by && !stopped) form.requestSubmit(by);
      else if (again && !stopped) send();
      again = false;
    }
  };

  // A check that runs gives the draft a new tag: a submit waits for it, or it would carry the old one.
  const submit = (event) => {
    clearTimeout(timer);
    if (sending) held = { by: event.submitter };
    if (sending || leaving) event.preventDefault();
    else leaving = true;
  };

  const changed = () => {
    if (stopped) return;
    leaving = false; // the visitor has stopped the submit
    clearTimeout(timer);
    say(form.dataset.textSaving, 'hint');
    timer = setTimeout(send, wait);
  };

  const addApplication = () => {
    const row = form.querySelector('[data-new-application]');
    const name = row.querySelector('[name=application]');
    const typed = name.value.trim();
    if (!typed) { name.focus(); return; }
    const there = form.elements['t/applications/' + typed + '/service-class'];
    if (there) { there.focus(); return; }
    const pattern = form.querySelector('template[data-application]').content.cloneNode(true);
    const named = (text) => text.replaceAll('{0}', typed);
    pattern.querySelector('legend').textContent = typed;
    pattern.querySelectorAll('[name], [id], [for]').forEach((part) => {
      for (const key of ['name', 'id', 'for', 'data-place']) if (part.hasAttribute(key)) part.setAttribute(key, named(part.getAttribute(key)));
      const like = part.name && row.querySelector('[name="application/' + part.name.split('/').pop() + '"]');
      if (like) part.value = like.value;
    });
    row.before(pattern);
    name.value = '';
    changed();
    form.elements['t/applications/' + typed + '/service-class'].focus();
  };

  const start = () => {
    curves = [...document.querySelectorAll('[data-curve]')].map(curve);
    if (!form) return;
    form.classList.add('scripted');
    form.addEventListener('input', changed);
    form.addEventListener('submit', submit);
    form.querySelector('[data-add-application]').addEventListener('click', addApplication);
    form.querySelector('[name=application]').addEventListener('keydown', (event) => {
      if (event.key === 'Enter') { event.preventDefault(); addApplication(); }
    });
    status.querySelector('[data-check-show]').addEventListener('click', () => {
      const field = fieldOf(status.dataset.place, Number(status.dataset.knot));
      if (!field) return;
      const folded = field.closest('details');
      if (folded) folded.open = true;
      field.focus();
    });
    if (status.dataset.valid === 'false') status.querySelector('[data-check-show]').hidden = !fieldOf(status.dataset.place, Number(status.dataset.knot));
  };
  // A page that comes back from the browser's cache has an old tag.
  addEventListener('pageshow', (event) => { if (form && event.persisted) location.reload(); });
  if (document.readyState === 'complete') start();
  else addEventListener('load', start, { once: true });
})();
