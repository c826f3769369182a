// The list of messages: unpacking, searching, and showing the rows that are in sight.
var dplayList = (function () {
  'use strict';
  // What stands where in a row, as rows.go writes it.
  const N = 0, AT = 1, FROM = 2, TO = 3, COMMAND = 4, CLASS = 5, UDP = 6, SIZE = 7, CONVERSATION = 8, FIRST = 9, LAST = 10, TEXT = 11, FINDINGS = 12, NOTED = 13;
  const HEIGHT = 24; // of a row, in pixels, as the style has it

  // unpack gives the JSON in a script element that holds it compressed.
  async function unpack(element) {
    const binary = atob(element.textContent);
    const octets = new Uint8Array(binary.length);
    for (let i = 0; i < octets.length; i++) octets[i] = binary.charCodeAt(i);
    const stream = new Blob([octets]).stream().pipeThrough(new DecompressionStream('gzip'));
    return JSON.parse(await new Response(stream).text());
  }

  function element(tag, name, text) {
    const e = document.createElement(tag);
    if (name) e.className = name;
    if (text !== undefined) e.textContent = text;
    return e;
  }

  // flush moves a text to the left as far as its lines have spaces there.
  function flush(text) {
    const least = Math.min(...text.split('\n').filter(l => l.trim()).map(l => l.search(/\S/)));
    return least > 0 && least < Infinity ? text.replace(new RegExp('^ {' + least + '}', 'gm'), '') : text;
  }

  function List(data, box, space, pane, onPick) {
    this.data = data;
    this.box = box;
    this.space = space;
    this.pane = pane;
    this.onPick = onPick;
    this.rows = [];
    this.hay = []; // what is searched, a text a row
    this.view = null; // indices of the rows that match; null: all
    this.picked = -1;
    this.test = null;
    this.drawn = false;
    box.addEventListener('scroll', () => this.later());
    box.addEventListener('keydown', e => this.key(e));
    pane.addEventListener('click', e => {
      const row = e.target.closest('.row');
      if (row) this.pick(Number(row.dataset.i), false);
    });
    new ResizeObserver(() => this.later()).observe(box);
  }

  // where names the machine of an endpoint: by its lane, unless it shares that with others.
  List.prototype.where = function (end) {
    const lane = this.data.ends[end];
    return this.data.lanes[lane] && lane !== this.data.others ? this.data.lanes[lane].label : this.data.sockets[end];
  };

  // take adds rows that were unpacked.
  List.prototype.take = function (rows) {
    for (const r of rows) {
      const i = this.rows.length;
      this.rows.push(r);
      let text = r[N] + ' ' + this.data.commands[r[COMMAND]] + ' ' + this.where(r[FROM]) + ' ' + this.where(r[TO]) + ' ' + (r[UDP] ? 'udp' : 'tcp') + ' ' + r[TEXT];
      for (const f of r[FINDINGS] || []) text += ' ' + this.data.findings[f].code + ' ' + this.data.findings[f].text;
      for (const t of r[NOTED] || []) text += ' ' + t;
      this.hay.push(text.toLowerCase());
      if (this.view && this.test(i)) this.view.push(i);
    }
    this.later();
  };

  // filter shows the rows that have all the words and are of a machine and a command. The machine is a lane, or, behind
  // an m, the endpoint that stands for it.
  List.prototype.filter = function (words, lane, command, marked) {
    const all = words.toLowerCase().split(/\s+/).filter(Boolean);
    const one = lane[0] === 'm', ends = one ? this.data.machines : this.data.ends;
    const machine = Number(one ? lane.slice(1) : lane);
    if (!all.length && lane === '' && command === '' && !marked) {
      this.view = this.test = null;
    } else {
      this.test = i => {
        const r = this.rows[i], text = this.hay[i];
        return (command === '' || r[COMMAND] === Number(command)) &&
          (lane === '' || ends[r[FROM]] === machine || ends[r[TO]] === machine) &&
          (!marked || Boolean(r[FINDINGS])) && all.every(w => text.includes(w));
      };
      this.view = [];
      for (let i = 0; i < this.rows.length; i++) if (this.test(i)) this.view.push(i);
    }
    this.box.scrollTop = 0;
    if (this.picked >= 0) this.reveal(this.picked);
    this.later();
  };

  List.prototype.length = function () { return this.view ? this.view.length : this.rows.length; };
  List.prototype.at = function (place) { return this.view ? this.view[place] : place; };

  // place gives where a row stands in what is shown, or -1.
  List.prototype.place = function (i) {
    if (!this.view) return i;
    let low = 0, high = this.view.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.view[mid] < i) low = mid + 1; else high = mid;
    }
    return this.view[low] === i ? low : -1;
  };

  // find gives the row of a message, or -1 if it is not there (yet).
  List.prototype.find = function (n) {
    let low = 0, high = this.rows.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.rows[mid][N] < n) low = mid + 1; else high = mid;
    }
    return low < this.rows.length && this.rows[low][N] === n ? low : -1;
  };

  List.prototype.reveal = function (i) {
    const place = this.place(i);
    if (place < 0) return;
    const top = place * HEIGHT, box = this.box;
    if (top < box.scrollTop || top + HEIGHT > box.scrollTop + box.clientHeight) {
      box.scrollTop = Math.max(0, top - (box.clientHeight - HEIGHT) / 2);
    }
  };

  // pick chooses a row.
  List.prototype.pick = function (i, reveal) {
    this.picked = i;
    if (reveal) {
      this.size();
      this.reveal(i);
    }
    this.later();
    this.onPick(this.rows[i], i);
  };

  List.prototype.key = function (e) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / HEIGHT) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (!(e.key in steps) || !this.length()) return;
    e.preventDefault();
    const place = this.picked >= 0 ? this.place(this.picked) : -1;
    const next = Math.min(this.length() - 1, Math.max(0, place + steps[e.key]));
    this.pick(this.at(next), true);
  };

  List.prototype.later = function () {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  };

  List.prototype.size = function () { this.space.style.height = this.length() * HEIGHT + 'px'; };

  // draw shows the rows that are in sight, and a few around them.
  List.prototype.draw = function () {
    this.size();
    const from = Math.max(0, Math.floor(this.box.scrollTop / HEIGHT) - 10);
    const to = Math.min(this.length(), from + Math.ceil(this.box.clientHeight / HEIGHT) + 20);
    const rows = [];
    for (let place = from; place < to; place++) rows.push(this.row(this.at(place)));
    this.pane.style.top = from * HEIGHT + 'px';
    this.pane.replaceChildren(...rows);
    this.box.setAttribute('aria-activedescendant', this.picked >= 0 ? 'row' + this.picked : '');
    this.drawn = true;
  };

  List.prototype.row = function (i) {
    const r = this.rows[i];
    const row = element('div', 'row ' + this.data.classes[r[CLASS]]);
    row.id = 'row' + i;
    row.dataset.i = i;
    row.setAttribute('role', 'option');
    row.setAttribute('aria-selected', String(i === this.picked));
    row.setAttribute('aria-setsize', this.length()); // few of them are in the page
    row.setAttribute('aria-posinset', this.place(i) + 1);
    if (i === this.picked) row.classList.add('pick');
    if (r[NOTED] && r[NOTED].length) row.classList.add('noted');
    const worst = this.worst(r);
    if (worst) row.classList.add('m-' + worst);
    row.append(
      element('span', 'n', r[N]), element('span', 't', (r[AT] / 1e6).toFixed(6)),
      element('span', 'w', this.data.sockets[r[FROM]] + ' → ' + this.data.sockets[r[TO]]), element('span', 'x', r[UDP] ? 'UDP' : 'TCP'),
      element('span', 'k', this.data.commands[r[COMMAND]]), element('span', 'd', r[TEXT]));
    return row;
  };

  List.prototype.worst = function (r) {
    let worst = '';
    for (const f of r[FINDINGS] || []) {
      const s = this.data.findings[f].severity;
      if (s === 'failure' || worst === '' || (s === 'warning' && worst === 'note')) worst = s;
    }
    return worst;
  };

  // detail fills a box with what is known of a message.
  List.prototype.detail = function (box, r, fields) {
    const d = this.data;
    const table = element('table'), body = element('tbody');
    const line = (name, value) => {
      const row = element('tr');
      row.append(element('td', '', name), element('td', '', value));
      body.append(row);
    };
    line('time', (r[AT] / 1e6).toFixed(6) + ' s, ' + new Date(Date.parse(d.start) + r[AT] / 1e3).toISOString());
    line('from', this.where(r[FROM]));
    line('to', this.where(r[TO]));
    line('by', (r[UDP] ? 'UDP, ' : 'TCP, ') + r[SIZE].toLocaleString('en') + ' octets');
    line('frames', r[FIRST] === r[LAST] ? String(r[FIRST]) : r[FIRST] + ' to ' + r[LAST]);
    line('conversation', String(r[CONVERSATION]));
    for (const t of r[NOTED] || []) line('note', t);
    table.append(body);
    const parts = [element('h3', '', 'Message ' + r[N] + ': ' + d.commands[r[COMMAND]])];
    for (const f of r[FINDINGS] || []) {
      const p = element('p', d.findings[f].severity);
      const sev = element('a', 'sev', '▲' + (f + 1) + ' ' + d.findings[f].severity);
      sev.href = '#finding' + (f + 1);
      p.append(sev, ' ' + d.findings[f].text);
      parts.push(p);
    }
    parts.push(table, element('pre', '', flush(fields)));
    box.replaceChildren(...parts);
    box.scrollTop = 0;
  };

  return { List: List, unpack: unpack, element: element };
})();
