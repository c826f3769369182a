// What holds the page together: loading, the filter, jumps to messages.
(function () {
  'use strict';
  const $ = id => document.getElementById(id);
  const data = JSON.parse($('data').textContent);
  const state = { ready: false, rows: 0, error: '' };
  window.dplayReport = state; // for those who look from outside

  let wanted = 0; // message to go to once it is there
  let back = null; // goes to the row of the picture that the message was opened from, by the keyboard
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

  // open shows the message that an element names.
  function open(e) {
    history.replaceState(null, '', '#m' + e.dataset.n);
    go(Number(e.dataset.n));
  }

  function fromHash() {
    const m = /^#m(\d+)$/.exec(location.hash);
    if (m) go(Number(m[1]));
  }

  // choices fills a list with names and what they stand for.
  function choices(select, names) {
    names.sort((a, b) => a[0] < b[0] ? -1 : 1).forEach(([name, value]) => {
      const o = dplayList.element('option', '', name);
      o.value = value;
      select.append(o);
    });
  }

  // machines are the lanes, and those machines that share one.
  function machines() {
    const all = data.lanes.map((l, i) => [i === data.others ? 'others, all of them' : l.label, i]);
    data.sockets.forEach((name, i) => {
      if (i > 0 && data.ends[i] === data.others && data.machines[i] === i) all.push([name, 'm' + i]);
    });
    return all;
  }

  // walk lets a keyboard move among the rows of the picture. One of them is reached with Tab, the others from there.
  function walk(picture) {
    const steps = [...picture.querySelectorAll('.go')];
    if (!steps.length) return;
    const heads = picture.querySelector('.heads');
    let current = steps[0];
    const choose = to => {
      current.setAttribute('tabindex', '-1');
      current = to;
      current.setAttribute('tabindex', '0');
    };
    choose(current);
    const move = to => {
      choose(to);
      current.focus({ preventScroll: true });
      const row = current.querySelector('.hit').getBoundingClientRect(), box = picture.getBoundingClientRect();
      const top = box.top + heads.offsetHeight; // the heads stay over the rows
      if (row.top < top) picture.scrollTop -= top - row.top;
      else if (row.bottom > box.bottom - 16) picture.scrollTop += row.bottom - box.bottom + 16;
    };
    picture.addEventListener('keydown', e => {
      const jumps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
      const on = e.target.closest('.go');
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      if (on && (e.key === 'Enter' || e.key === ' ')) {
        e.preventDefault();
        choose(on);
        back = () => move(on);
        open(on);
      } else if (e.key in jumps && (on || e.key === 'ArrowDown')) {
        e.preventDefault();
        const i = on ? steps.indexOf(on) + jumps[e.key] : steps.indexOf(current);
        move(steps[Math.min(steps.length - 1, Math.max(0, i))]);
      }
    });
    picture.addEventListener('click', e => {
      const on = e.target.closest('.go');
      if (on) choose(on);
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

  choices($('lane'), machines());
  choices($('command'), data.commands.map((name, i) => [name, i]));
  let timer = 0;
  $('q').addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(filter, 120); });
  for (const id of ['lane', 'command', 'marked']) $(id).addEventListener('change', filter);
  $('filter').addEventListener('submit', e => { e.preventDefault(); filter(); });
  $('filter').addEventListener('reset', () => setTimeout(filter, 0));
  document.addEventListener('click', e => {
    const to = e.target.closest('[data-n]');
    if (!to || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    back = null;
    open(to);
  });
  $('messages').addEventListener('keydown', e => {
    if (e.key !== 'Escape' || !back || e.target.matches('input, select')) return;
    e.preventDefault();
    $('diagram').scrollIntoView({ block: 'start' });
    back();
    back = null;
  });
  walk($('picture'));
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
