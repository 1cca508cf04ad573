// Draws the charts. A chart has no numbers of its own: <div data-chart="TABLE" data-chart-kind="bars|stack|lines"> reads the
// table with that id. Each column whose <th> has data-series is a series; the cells' data-value are its numbers, their text is
// what the pointer reads out. Bars and stacks stand over the rows' first cells; lines over the data-value of the first cell.
// data-chart-order="newest" says that the last row comes first in time. data-chart-rows selects some rows. data-unit of a <th> is the unit of the axis; data-dash
// of one draws its line so. A row with data-mark is a point on the first series, with that text beside it. data-chart-bend is the
// place from which the axis of a line chart goes on by powers instead of steps.
// A table that was swapped for a newer one is drawn again.
viaduct.chart = (() => {
  'use strict';
  const drawn = new Map();
  const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const palette = () => [1, 2, 3, 4, 5].map((i) => token('--series-' + i));

  const read = (element) => {
    const table = document.getElementById(element.dataset.chart);
    if (!table) return null;
    const heads = [...table.tHead.rows[0].cells];
    const columns = heads.map((head, index) => ({ head, index })).filter(({ head }) => 'series' in head.dataset);
    const rows = [...table.tBodies[0].rows].filter((row) => row.matches(element.dataset.chartRows || 'tr'));
    if (element.dataset.chartOrder === 'newest') rows.reverse();
    const value = (cell) => (cell && cell.dataset.value !== undefined && cell.dataset.value !== '' ? Number(cell.dataset.value) : null);
    return {
      labels: rows.map((row) => row.cells[0].textContent.trim()),
      x: rows.map((row) => value(row.cells[0])),
      unit: heads[0].dataset.unit || '',
      marks: rows.map((row, at) => ({ text: row.dataset.mark, at })).filter(({ text }) => text),
      series: columns.map(({ head, index }) => ({
        label: (head.querySelector('[data-name]') || head).textContent.trim(),
        unit: head.dataset.unit || '',
        dash: (head.dataset.dash || '').split(' ').filter(Boolean).map(Number),
        values: rows.map((row) => value(row.cells[index])),
        texts: rows.map((row) => (row.cells[index] ? row.cells[index].textContent.trim() : '')),
      })),
    };
  };

  // Stacked bars are drawn from the sum down: each is covered by those below it.
  const stacked = (series) => {
    const sums = new Array(series[0].values.length).fill(0);
    return series.map((one) => one.values.map((value, i) => (sums[i] += value || 0)));
  };

  // On an axis that goes on by powers: 0, and the powers of ten from the bend on; with 3 between them where they are few.
  const powers = (bend) => (u, axis, low, high) => {
    const first = Math.ceil(Math.log10(bend / 2));
    const tens = [];
    for (let ten = 10 ** first; ten <= high; ten *= 10) tens.push(ten, ...(high < 100 * 10 ** first && 3 * ten <= high ? [3 * ten] : []));
    return [0, ...tens];
  };

  // The year of a day is in the read-out and in the table; on the axis it would leave no room.
  const short = (label) => label.replace(/^\d{4}-(\d\d-\d\d)$/, '$1');

  const axes = (kind, data, bend) => {
    const look = { stroke: token('--ink-soft'), grid: { stroke: token('--line'), width: 1 }, ticks: { stroke: token('--line'), width: 1 }, font: '12px system-ui, sans-serif' };
    const { quantity } = viaduct.numbers;
    const unit = data.series[0].unit;
    const labels = (u, splits) => splits.map((i) => (Number.isInteger(i) ? short(data.labels[i] || '') : ''));
    const widest = Math.max(0, ...data.labels.map((label) => short(label).length));
    return [
      kind === 'lines' ? { ...look, space: 72, ...(bend ? { splits: powers(bend), filter: (u, splits) => splits } : {}), values: (u, splits) => splits.map((v) => (v === null ? '' : v === 0 ? '0' : quantity(v, data.unit))) }
        : { ...look, grid: { show: false }, values: labels, incrs: [1, 2, 3, 4, 6, 12, 24, 48, 96, 168], space: Math.max(48, 16 + 8 * widest) },
      { ...look, size: 92, values: (u, splits) => splits.map((v) => (v === 0 ? '0' : quantity(v, unit))) },
    ];
  };

  const bar = (kind, count, index) => uPlot.paths.bars(kind === 'stack' || count === 1 ? { size: [0.7, 40] } : { size: [0.7 / count, 20], align: index === 0 ? -1 : 1 });

  const readOut = (element, data) => (u) => {
    const out = element.querySelector('.chart-values');
    const at = u.cursor.idx;
    out.textContent = at === null || at === undefined ? '' : data.labels[at] + ': ' + data.series.map((one) => one.label + ' ' + one.texts[at]).join(', ');
  };

  // Dots with words on the first series.
  const marks = (data, colours) => (u) => {
    const { ctx } = u;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.font = 12 * ratio + 'px system-ui, sans-serif';
    data.marks.forEach(({ text, at }, i) => {
      const x = u.valToPos(data.x[at], 'x', true);
      const y = u.valToPos(data.series[0].values[at], 'y', true);
      const toLeft = x > u.bbox.left + u.bbox.width * 0.6;
      ctx.fillStyle = colours[(i + 1) % colours.length];
      ctx.beginPath();
      ctx.arc(x, y, 5 * ratio, 0, 2 * Math.PI);
      ctx.fill();
      ctx.fillStyle = token('--ink');
      ctx.textAlign = toLeft ? 'right' : 'left';
      const above = y > u.bbox.top + 24 * ratio ? -9 : 18;
      ctx.fillText(text, x + (toLeft ? -8 : 8) * ratio, y + (above + 14 * i * Math.sign(above)) * ratio);
    });
    ctx.restore();
  };

  const legend = (element, data, colours) => {
    const list = element.querySelector('.chart-legend');
    list.replaceChildren(...data.series.map((one, i) => {
      const item = document.createElement('li');
      item.style.setProperty('--colour', colours[i % colours.length]);
      item.textContent = one.label;
      return item;
    }));
  };

  const frame = (element) => {
    if (element.querySelector('.chart-plot')) return;
    for (const [tag, name] of [['div', 'chart-plot'], ['ul', 'chart-legend'], ['p', 'chart-values']]) {
      const part = document.createElement(tag);
      part.className = name;
      if (tag !== 'ul') part.setAttribute('aria-hidden', 'true'); // the table says it
      element.append(part);
    }
  };

  const draw = (element) => {
    const data = read(element);
    if (drawn.has(element)) drawn.get(element).destroy();
    drawn.delete(element);
    frame(element);
    const plot = element.querySelector('.chart-plot');
    if (!data || !data.series.length || !data.labels.length) return;
    const kind = element.dataset.chartKind;
    const colours = palette();
    const values = kind === 'stack' ? stacked(data.series) : data.series.map((one) => one.values);
    const order = values.map((_, i) => i);
    if (kind === 'stack') order.reverse();
    const x = kind === 'lines' ? data.x : data.labels.map((_, i) => i);
    const bend = Number(element.dataset.chartBend);
    const lineX = bend ? { time: false, distr: 4, asinh: bend } : { time: false };
    const options = {
      width: plot.clientWidth, height: plot.clientHeight, legend: { show: false }, padding: [8, 32, 0, 0],
      pxAlign: kind === 'lines' ? 0 : 1, // on whole pixels a smooth curve would have corners
      cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
      scales: { x: kind === 'lines' ? { ...lineX, range: (u, low, high) => [low, high] } : { time: false, range: (u, low, high) => [low - 0.6, high + 0.6] }, y: { range: (u, low, high) => (low === high ? [0, high || 1] : [Math.min(0, low), Math.max(0, high) * 1.05]) } },
      axes: axes(kind, data, bend),
      series: [{}, ...order.map((i) => ({ stroke: colours[i % colours.length], width: kind === 'lines' ? 2 : 0, dash: data.series[i].dash, fill: kind === 'lines' ? undefined : colours[i % colours.length], points: { show: false }, paths: kind === 'lines' ? undefined : bar(kind, values.length, i), spanGaps: false }))],
      hooks: { setCursor: [readOut(element, data)], draw: [marks(data, colours)] },
    };
    drawn.set(element, new uPlot(options, [x, ...order.map((i) => values[i])], plot));
    legend(element, { series: data.series.filter((one) => one.values.some((value) => value !== null)) }, colours);
  };

  const all = () => document.querySelectorAll('[data-chart]').forEach(draw);
  const fit = new ResizeObserver((entries) => entries.forEach(({ target }) => {
    const plot = drawn.get(target.parentElement);
    if (plot && plot.width !== target.clientWidth) plot.setSize({ width: target.clientWidth, height: target.clientHeight });
  }));

  const start = () => {
    all();
    document.querySelectorAll('.chart-plot').forEach((plot) => fit.observe(plot));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', all);
    document.addEventListener('viaduct:swapped', all);
  };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
  else start();
  return { draw };
})();
