// Excerpts of the pages that a search found. Their texts are in PAGES, in this file: a browser that reads the site from
// files refuses to request the pages themselves.
'use strict';
addEventListener('DOMContentLoaded', () => {
  const list = document.getElementById('search-results'), before = 80, length = 240;
  const asked = (new URLSearchParams(location.search).get('q') || '').toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(word => word);
  function excerpt(name) {
    const text = PAGES[name] || '', lower = text.toLowerCase();
    const found = asked.map(word => lower.indexOf(word)).filter(at => at >= 0);
    const from = Math.max(0, (found.length ? Math.min(...found) : 0) - before);
    const begin = from && text.indexOf(' ', from) + 1;
    return text && (begin ? '... ' : '') + text.slice(begin, begin + length).replace(/ \S*$/, '') + ' ...';
  }
  function add(item) {
    const link = item.querySelector && item.querySelector('a');
    if (!link || item.tagName !== 'LI') return;
    const base = new URL('.', location.href).pathname;
    const text = excerpt(decodeURI(link.pathname.slice(base.length)).replace(/\.html$/, ''));
    if (!text) return;
    const shown = item.appendChild(document.createElement('p'));
    shown.className = 'context';
    shown.textContent = text;
  }
  new MutationObserver(changes => changes.forEach(change => change.addedNodes.forEach(add))).observe(list, { childList: true, subtree: true });
});
