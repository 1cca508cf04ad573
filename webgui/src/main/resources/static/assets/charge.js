// One charge: computes it again from billing's explanation, draws it on its utility curves, and says what it would have cost.
// A difference to the bill is shown, never hidden.
(() => {
  'use strict';
  const card = document.getElementById('curves');
  if (!card) return;
  const { rate, price, place } = viaduct.rating;
  const numbers = viaduct.numbers;
  const texts = card.dataset;
  const explained = JSON.parse(texts.explanation);
  const minuteMs = 60000;

  const fill = (text, ...values) => values.reduce((filled, value, i) => filled.replaceAll('{' + i + '}', value), text);

  // Only if every line of the bill is the same integer, and the posted net amount too.
  const verify = () => {
    const note = document.getElementById('recomputed');
    let again;
    try {
      again = rate(explained).bill;
    } catch (e) {
      again = null;
    }
    let same = again !== null && again.net === BigInt(texts.posted);
    for (const row of document.querySelectorAll('#bill-lines tr')) {
      const said = BigInt(explained.bill[row.dataset.line + 'Microdenarii']);
      const here = again === null ? null : again[row.dataset.line];
      row.cells[1].textContent = numbers.exact(said);
      row.cells[2].textContent = here === null ? '–' : numbers.exact(here);
      row.classList.toggle('bad', here !== said);
      same = same && here === said;
    }
    note.dataset.recomputed = same ? 'same' : 'different';
    note.classList.add(same ? 'good' : 'bad');
    note.textContent = same ? fill(texts.textSame, again.net) : fill(texts.textDifferent, again === null ? '–' : again.net, texts.posted);
    if (!same) note.closest('.card').querySelector('details').open = true;
    return again;
  };

  const cell = (name, text, value) => {
    const td = document.createElement(name);
    td.textContent = text;
    if (value !== undefined) td.dataset.value = value;
    if (name === 'td') td.className = 'n';
    return td;
  };

  const row = (x, unit, values, mark) => {
    const tr = document.createElement('tr');
    if (mark) tr.dataset.mark = mark;
    const head = cell('th', numbers.quantity(x, unit), x);
    head.scope = 'row';
    tr.append(head, ...values.map((value) => (value === null ? cell('td', '') : cell('td', numbers.quantity(value, 'den/s'), value))));
    return tr;
  };

  // Where an axis bends: linear before it, by powers after it, so that 20 Mbit/s and a reference of 10 kbit/s fit on one line.
  const places = (max, bend, count) => {
    const end = bend ? Math.asinh(max / bend) : max;
    return Array.from({ length: count + 1 }, (_, i) => (bend ? bend * Math.sinh(end * i / count) : end * i / count));
  };

  const draw = (id, unit, scale, rows, bend) => {
    const chart = card.querySelector('[data-chart="' + id + '"]');
    if (bend) chart.dataset.chartBend = bend * scale;
    else delete chart.dataset.chartBend;
    const sorted = rows.sort((a, b) => a.x - b.x);
    document.getElementById(id).tBodies[0].replaceChildren(...sorted.map(({ x, values, mark }) => row(x * scale, unit, values, mark)));
    viaduct.chart.draw(chart);
  };

  const near = (x, at, max, bend) => (bend ? x >= at / 4 && x <= at * 4 : Math.abs(x - at) <= max / 4);

  const curves = (whatIf) => {
    const { curve, inputs } = explained;
    const was = rate(explained);
    const now = whatIf ? rate(whatIf) : null;
    const loss = inputs.loss;
    const xRef = curve['reference-throughput'];
    const most = Math.max(was.at.offered, was.at.served, now ? now.at.offered : 0);
    const xMax = Math.max(2 * xRef, most * 1.2);
    const bend = xMax > 60 * xRef ? xRef : 0;
    const utility = (x) => price(curve, x, inputs.delayMs, loss).utility;
    const tangentX = (x) => was.here.utility + was.here.byThroughput * (x - was.at.offered);
    const whatIfX = (x) => (now ? price(whatIf.curve, x, whatIf.inputs.delayMs, loss).utility : null);
    const valuesX = (x) => {
      const tangent = near(x, was.at.offered, xMax, bend) ? tangentX(x) : null;
      return [utility(x), tangent !== null && tangent >= 0 && tangent <= 1.3 * curve.weight ? tangent : null, whatIfX(x)];
    };
    const rows = places(xMax, bend, 96).map((x) => ({ x, values: valuesX(x) }));
    const apart = bend ? was.at.offered > 1.2 * was.at.served : was.at.offered - was.at.served > xMax / 50;
    if (apart) rows.push({ x: was.at.served, values: valuesX(was.at.served), mark: texts.textMeasured });
    rows.push({ x: was.at.offered, values: valuesX(was.at.offered), mark: apart ? texts.textOffered : texts.textCharged });
    draw('curve-throughput', 'bit/s', 1000, rows, bend);

    const dMax = Math.max(2.5 * curve['reference-delay'], inputs.delayMs * 1.2, whatIf ? whatIf.inputs.delayMs : 0);
    const tangentD = (d) => was.here.utility + was.here.byDelay * (d - inputs.delayMs);
    const valuesD = (d) => [price(curve, was.at.offered, d, loss).utility, near(d, inputs.delayMs, dMax, 0) ? Math.max(0, tangentD(d)) : null,
      now ? price(whatIf.curve, now.at.offered, d, loss).utility : null];
    const rowsD = places(dMax, 0, 96).map((d) => ({ x: d, values: valuesD(d) }));
    rowsD.push({ x: inputs.delayMs, values: valuesD(inputs.delayMs), mark: texts.textCharged });
    draw('curve-delay', 's', 0.001, rowsD, 0);
  };

  // Sliders go by powers from 0.1 kbit/s to 100 Mbit/s; their ends and their first place are exact.
  const least = 0.1;
  const span = 1e6;
  const toRate = (at) => least * span ** (at / 300);
  const toSlider = (kbit) => Math.round(300 * Math.log(Math.max(kbit, least) / least) / Math.log(span));

  const whatIf = (again) => {
    const form = document.getElementById('whatif');
    const slider = (name) => document.getElementById('whatif-' + name);
    const { inputs, curve } = explained;
    const at = place(explained);
    const own = explained.together.find((flow) => flow.flow === explained.flow) || { busy: null, spareKbitPerSecond: null };
    const first = { carried: at.throughput, delay: inputs.delayMs, busy: own.busy ?? 1, spare: own.spareKbitPerSecond ?? 0 };
    const dMax = Math.max(4 * curve['reference-delay'], inputs.delayMs * 1.5);
    const value = { ...first };
    const from = { carried: toRate, delay: (place) => dMax * place / 300, busy: (place) => place / 100, spare: (place) => (place === 0 ? 0 : toRate(place)) };
    const to = { carried: toSlider, delay: (ms) => Math.round(300 * ms / dMax), busy: (busy) => Math.round(busy * 100), spare: (kbit) => (kbit === 0 ? 0 : toSlider(kbit)) };
    const shown = { carried: (x) => numbers.bitRate(x * 1000), delay: (ms) => numbers.quantity(ms / 1000, 's'), busy: (x) => numbers.plain(x * 100) + '\u00a0%', spare: (x) => numbers.bitRate(x * 1000) };

    const changed = () => {
      const other = structuredClone(explained);
      const ms = explained.point === 'MEASURED' ? inputs.durationMs : inputs.intervalMs;
      const times = value.carried === first.carried ? null : value.carried / first.carried;
      const scaled = (bytes) => (times === null ? bytes : String(Math.round(Number(bytes) * times)));
      if (times !== null) other.inputs.preBytes = String(Math.round(value.carried * ms / 8));
      other.inputs.postBytes = scaled(inputs.postBytes);
      other.rules.reportPreBytes[other.rules.flowIndex] = other.inputs.preBytes;
      other.inputs.delayMs = value.delay;
      if (value.delay !== first.delay) other.inputs.delaySource = 'MEASURED';
      const demand = value.busy !== first.busy || value.spare !== first.spare
        ? { busy: value.busy, spareKbitPerSecond: value.spare }
        : {};
      Object.assign(other.inputs, demand); // of the promise
      for (const flow of other.together) {
        if (flow.flow === explained.flow) Object.assign(flow, { preBytes: other.inputs.preBytes }, demand);
      }
      return other;
    };

    const show = () => {
      const other = changed();
      let rated;
      try {
        rated = rate(other);
      } catch (e) {
        return; // more than any amount of this system: the last result stays
      }
      const { net } = rated.bill;
      const difference = net - again.net;
      const out = document.getElementById('whatif-net');
      out.value = String(net);
      out.dataset.microdenarii = String(net);
      out.title = numbers.exact(net);
      out.textContent = numbers.money(net);
      document.getElementById('whatif-change').textContent = difference === 0n ? '' : (difference > 0n ? '+' : '') + numbers.money(difference);
      document.getElementById('whatif-perminute').textContent = numbers.quantity(Number(net) / 1e6 * minuteMs / inputs.durationMs, 'den/min');
      document.getElementById('whatif-permegabyte').textContent = Number(other.inputs.preBytes) > 0 ? numbers.quantity(Number(net) / Number(other.inputs.preBytes), 'den/MB') : '–';
      document.getElementById('whatif-price').textContent = numbers.quantity(rated.here.perUnit, 'den/vu');
      for (const name of Object.keys(first)) {
        const input = slider(name);
        if (!input) continue;
        const text = shown[name](value[name]);
        input.nextElementSibling.textContent = text;
        input.setAttribute('aria-valuetext', text);
      }
      curves(Object.keys(first).every((name) => value[name] === first[name]) ? null : other);
    };

    const reset = () => {
      for (const name of Object.keys(first)) {
        value[name] = first[name];
        const input = slider(name);
        if (input) input.value = to[name](first[name]);
      }
      show();
    };
    for (const name of Object.keys(first)) {
      const input = slider(name);
      if (input) input.addEventListener('input', () => { value[name] = from[name](Number(input.value)); show(); });
    }
    form.addEventListener('reset', (event) => { event.preventDefault(); reset(); });
    form.addEventListener('submit', (event) => event.preventDefault());
    reset();
  };

  const again = verify();
  if (again !== null) whatIf(again);
})();
