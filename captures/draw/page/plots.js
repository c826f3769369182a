// The plots, drawn by uPlot.
var dplayPlots = (function () {
  'use strict';
  const HEIGHT = 240;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const colors = {
    light: ['#1864ab', '#c2410c', '#2b8a3e', '#862e9c', '#0b7285', '#a61e4d', '#5f3dc4', '#666600', '#364fc7', '#087f5b', '#8a5a00', '#495057'],
    dark: ['#74c0fc', '#ffa94d', '#8ce99a', '#e599f7', '#66d9e8', '#faa2c1', '#b197fc', '#d8d866', '#91a7ff', '#63e6be', '#ffe066', '#ced4da'],
  };

  const color = i => { const c = colors[dark.matches ? 'dark' : 'light']; return c[i % c.length]; };
  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function options(width, series, unit) {
    const axis = { stroke: style('--fg'), grid: { stroke: style('--line'), width: 1 }, ticks: { stroke: style('--line'), width: 1 }, font: '12px system-ui, sans-serif' };
    return {
      width: width, height: HEIGHT,
      cursor: { sync: { key: 'dplay' }, points: { size: 7 } },
      scales: { x: { time: false }, y: { range: (u, low, high) => [0, high > 0 ? high * 1.08 : 1] } },
      axes: [Object.assign({ values: (u, list) => list.map(v => v + ' s') }, axis), Object.assign({ size: 64 }, axis)],
      series: [{ label: 'time', value: (u, v) => v == null ? '-' : v.toFixed(3) + ' s' }].concat(series.map((label, i) => ({
        label: label, stroke: color(i), width: 1.5, dash: i >= 12 ? [6, 3] : undefined, spanGaps: true,
        value: (u, v) => v == null ? '-' : Number(v.toPrecision(4)).toLocaleString('en') + ' ' + unit,
      }))),
    };
  }

  // handy lets a keyboard do what a click on the legend does, and says what is drawn to who does not see it.
  function handy(u, box) {
    const title = box.parentElement.querySelector('figcaption').textContent;
    const drawn = u.root.querySelector('.u-wrap');
    drawn.setAttribute('role', 'img');
    drawn.setAttribute('aria-label', 'plot: ' + title + '; its numbers stand in the table below');
    const labels = [...u.root.querySelectorAll('.u-legend .u-label')].slice(1); // the first is the time's
    labels.forEach((label, i) => {
      label.tabIndex = 0;
      label.setAttribute('role', 'button');
      label.setAttribute('aria-pressed', String(u.series[i + 1].show));
      label.addEventListener('keydown', e => {
        if (e.key !== 'Enter' && e.key !== ' ') return;
        e.preventDefault();
        label.click();
      });
    });
    return () => labels.forEach((label, i) => label.setAttribute('aria-pressed', String(u.series[i + 1].show)));
  }

  // Plot draws into a box, and anew when the scheme changes.
  function Plot(box, series, values, unit) {
    this.box = box;
    this.make = () => {
      if (this.u) this.u.destroy();
      const opt = options(Math.max(box.clientWidth, 200), series, unit);
      let shown = () => {};
      opt.hooks = { setSeries: [() => shown()] };
      this.u = new uPlot(opt, values, box);
      shown = handy(this.u, box);
    };
    this.make();
    dark.addEventListener('change', this.make);
    new ResizeObserver(() => {
      const width = Math.max(box.clientWidth, 200);
      if (width !== this.u.width) this.u.setSize({ width: width, height: HEIGHT });
    }).observe(box);
  }

  function empty(box, text) {
    const p = document.createElement('p');
    p.className = 'empty';
    p.textContent = text;
    box.append(p);
  }

  // trips puts the lines of all pairs on one scale of time.
  function trips(lines, end) {
    return uPlot.join(lines.map((l, i) => {
      const t = [], ms = [];
      if (i === 0 && l.t[0] > 0) { t.push(0); ms.push(null); } // from the start, as in the other plots
      l.t.forEach((v, k) => { // one value a time
        if (t.length && t[t.length - 1] === v) ms[ms.length - 1] = Math.max(ms[ms.length - 1], l.ms[k]);
        else { t.push(v); ms.push(l.ms[k]); }
      });
      if (i === 0 && t[t.length - 1] < end) { t.push(end); ms.push(null); }
      return [t, ms];
    }));
  }

  // shortNames gives the lanes names that a legend has place for: who plays there, or else the address.
  function shortNames(lanes) {
    const most = 16;
    const names = lanes.map(l => l.who === 'no player' ? l.where : l.who.length > most ? l.who.slice(0, most - 1) + '…' : l.who);
    return names.map((n, i) => names.indexOf(n) === names.lastIndexOf(n) ? n : lanes[i].where);
  }

  function draw(data) {
    const short = shortNames(data.lanes), label = i => short[i];
    const boxes = ['plot-messages', 'plot-octets', 'plot-trips'].map(id => document.getElementById(id));
    const made = [];
    if (data.rates.x.length < 2) {
      empty(boxes[0], 'All messages fall into one moment.');
      empty(boxes[1], 'All messages fall into one moment.');
    } else {
      const names = data.rates.lanes.map(label);
      made.push(new Plot(boxes[0], names, [data.rates.x].concat(data.rates.messages), '/s'));
      made.push(new Plot(boxes[1], names, [data.rates.x].concat(data.rates.octets), '/s'));
    }
    if (data.trips.length === 0) empty(boxes[2], 'Nothing was answered.');
    else {
      if (data.every > 1) document.getElementById('c3').append('; a point is the longest of up to ' + data.every);
      made.push(new Plot(boxes[2], data.trips.map(l => label(l.from) + ' → ' + label(l.to)), trips(data.trips, data.rates.x.length * data.rates.step), 'ms'));
    }
    return made;
  }

  return { draw: draw };
})();
