// Keeps a page alive: an element with data-live names a server-sent event stream; each "update" event carries
// elements whose content replaces that of the elements with the same id on the page. Text says how it goes.
(() => {
  'use strict';
  const page = document.querySelector('[data-live]');
  const state = document.querySelector('[data-live-state]');
  if (!page || !state) return;
  const waitMaxMs = 30000;
  let waitMs = 1000;
  // Logging out ends the stream before the browser has followed the redirect, which may lead to the provider.
  let leaving = false;
  addEventListener('submit', (event) => { leaving ||= !event.defaultPrevented; });

  const show = (name) => {
    if (state.dataset.liveState === name) return;
    state.dataset.liveState = name;
    state.textContent = state.dataset['text' + name[0].toUpperCase() + name.slice(1)];
  };

  const swap = (html) => {
    const parts = document.createElement('template');
    parts.innerHTML = html;
    let swapped = false;
    for (const part of parts.content.children) {
      const target = document.getElementById(part.id);
      if (!target) continue;
      // What the visitor has opened stays open.
      const folds = part.querySelectorAll('details');
      target.querySelectorAll('details').forEach((fold, i) => { if (folds[i]) folds[i].open = fold.open; });
      // Unchanged parts stay, so a screen reader is not told the same balance again.
      if (target.innerHTML !== part.innerHTML) {
        htmx.swap(target, part.innerHTML, { swapStyle: 'innerHTML' });
        swapped = true;
      }
    }
    if (swapped) document.dispatchEvent(new Event('viaduct:swapped'));
  };

  const connect = () => {
    const source = new EventSource(page.dataset.live);
    source.onopen = () => { waitMs = 1000; show('on'); };
    source.addEventListener('update', (event) => swap(event.data));
    source.addEventListener('ended', () => {
      source.close();
      if (!leaving) location.assign('/login?problem=ended');
    });
    source.addEventListener('paused', () => {
      source.close();
      show('paused');
      document.addEventListener('visibilitychange', connect, { once: true });
    });
    source.onerror = () => {
      show('off');
      // CLOSED: the answer was a refusal and the browser gave up; otherwise it tries again by itself.
      if (source.readyState === EventSource.CLOSED) {
        setTimeout(connect, waitMs);
        waitMs = Math.min(waitMs * 2, waitMaxMs);
      }
    };
    addEventListener('pagehide', () => source.close(), { once: true });
  };

  show('connecting');
  connect();
  // A page that comes back from the browser's cache has a closed stream and old numbers.
  addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
})();
