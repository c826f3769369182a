// What holds the page together: loading, the filter, jumps to messages.
(function () {
  'use strict';
  const $ = id => document.getElementById(id);
  const data = JSON.parse($('data').textContent);
  const state = { ready: false, rows: 0, error: '' };
  window.dplayReport = state; // for those who look from outside

  let wanted = 0; // message to go to once it is there
  const cache = new Map(); // lists of fields that were unpacked last
  const list = new dplayList.List(data, $('list'), $('space'), $('window'), show);

  // fields gives all fields of the message in a row.
  async function fields(i) {
    const chunk = Math.floor(i / data.together);
    if (!cache.has(chunk)) {
      if (cache.size >= 8) cache.delete(cache.keys().next().value);
      cache.set(chunk, dplayList.unpack(document.querySelectorAll('script.fields')[chunk]));
    }
    return (await cache.get(chunk))[i % data.together];
  }

  async function show(row, i) {
    const text = await fields(i);
    if (list.picked === i) list.detail($('detail'), row, text);
  }

  function count() {
    const shown = list.length().toLocaleString('en'), all = list.rows.length.toLocaleString('en');
    let text = list.view ? shown + ' of ' + all + ' messages' : all + ' messages';
    if (!state.ready) text += ', loading ' + Math.floor(100 * list.rows.length / Math.max(1, data.rows)) + '%';
    $('count').textContent = state.error || text;
  }

  function filter() {
    list.filter($('q').value, $('lane').value, $('command').value, $('marked').checked);
    count();
  }

  // go shows a message in the list, or remembers to when it is not there yet.
  function go(n) {
    const i = list.find(n);
    wanted = i < 0 && !state.ready ? n : 0;
    if (i < 0) {
      if (state.ready) $('count').textContent = 'Message ' + n + ' is not in this list.';
      $('messages').scrollIntoView({ block: 'start' });
      return;
    }
    if (list.place(i) < 0) {
      $('filter').reset();
      filter();
    }
    $('messages').scrollIntoView({ block: 'start' });
    list.pick(i, true);
    $('list').focus({ preventScroll: true });
  }

  function fromHash() {
    const m = /^#m(\d+)$/.exec(location.hash);
    if (m) go(Number(m[1]));
  }

  function choices(select, names) {
    names.map((name, i) => [name, i]).sort((a, b) => a[0] < b[0] ? -1 : 1).forEach(([name, i]) => {
      const o = dplayList.element('option', '', name);
      o.value = i;
      select.append(o);
    });
  }

  // load unpacks the list, one piece after the other: between them the page stays alive.
  async function load() {
    for (const e of document.querySelectorAll('script.rows')) {
      list.take(await dplayList.unpack(e));
      e.remove();
      state.rows = list.rows.length;
      count();
      if (wanted) go(wanted);
      await new Promise(done => setTimeout(done, 0));
    }
    state.ready = true;
    count();
    if (wanted) go(wanted);
  }

  choices($('lane'), data.lanes.map(l => l.label));
  choices($('command'), data.commands);
  let timer = 0;
  $('q').addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(filter, 120); });
  for (const id of ['lane', 'command', 'marked']) $(id).addEventListener('change', filter);
  $('filter').addEventListener('submit', e => { e.preventDefault(); filter(); });
  $('filter').addEventListener('reset', () => setTimeout(filter, 0));
  document.addEventListener('click', e => {
    const to = e.target.closest('[data-n]');
    if (!to || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    history.replaceState(null, '', '#m' + to.dataset.n);
    go(Number(to.dataset.n));
  });
  addEventListener('hashchange', fromHash);

  if (typeof DecompressionStream === 'undefined') {
    state.error = 'This browser is too old to unpack the list of messages.';
    count();
  } else {
    load().catch(e => { state.error = 'The list of messages cannot be read: ' + e.message; count(); });
    fromHash();
  }
  dplayPlots.draw(data);
})();
