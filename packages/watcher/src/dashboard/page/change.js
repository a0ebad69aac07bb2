// @ts-nocheck
/**
 * Pausing and resuming, with a token that is kept in this tab and also lets `details.js` read
 * names.
 * Messages show what the watcher answered; profiles change only when the watcher reports it.
 */
import { comparison, mistakeIn, replacedText } from './replaces.js';
import { element, holderOf, isolated, PLACE, reasonOf, visible } from './text.js';

const KEY = 'fleet-token';
/** The name that was last used for a change in this browser. */
const NAME = 'fleet-name';
const byId = (id) => document.getElementById(id);
const tokenOf = () => sessionStorage.getItem(KEY) ?? '';

/** Headers with the token, if there is one. */
export function authorization() {
  const token = tokenOf();
  // A header cannot carry all characters: let the watcher reject the token.
  return token === '' ? {} : { Authorization: `Bearer ${token.replace(/[^\x21-\x7e]/g, '?')}` };
}

/**
 * `holdsOf(name)`: the holds that bind it now; name null: the whole fleet. `changed`: called with
 * whether changes are possible.
 */
export function changes(holdsOf, changed) {
  const [dialog, tokenDialog] = [byId('change'), byId('token')];
  let profile = null;
  let listed = '';
  /** The replacement that is shown, until the request changes; null: none. */
  let shown = null;

  for (const button of document.querySelectorAll('dialog .close')) {
    button.addEventListener('click', () => button.closest('dialog').close());
  }

  async function ask(method, path, body) {
    try {
      const answer = await fetch(path, {
        method,
        headers: {
          ...authorization(),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(15_000),
      });
      const said = await answer.json();
      if (answer.ok) return said;
      return { refused: `${visible(said.message)} — ${visible(said.hint)}` };
    } catch {
      // The change may have been made all the same.
      return { refused: 'No answer. Check the profiles before trying again.' };
    }
  }

  async function lift(button, hold) {
    if (nameOf() === '') return askName();
    button.disabled = true;
    const as = encodeURIComponent(nameOf());
    const said = await ask('DELETE', `/v1/holds/${encodeURIComponent(hold.id)}?as=${as}`);
    button.disabled = false;
    const rest = said.remaining?.length ?? 0;
    const done =
      rest === 0 ? 'Lifted. Nothing else holds it.' : `Lifted. Still held ${rest} times.`;
    say(said.refused ?? [done, ...said.warnings.map(visible)].join(' '));
  }

  const nameOf = () => byId('change-holder').value.trim();

  function askName() {
    say('Enter your name first: the journal should say who did it.');
    byId('change-holder').focus();
  }

  function show(would) {
    shown = would;
    byId('change-replaces').replaceChildren(...(would === null ? [] : comparison(would)));
    byId('change-pause').textContent = would === null ? 'Pause' : 'Replace it';
  }

  const say = (text) => {
    byId('change-said').textContent = text;
  };

  function list() {
    const holds = holdsOf(profile);
    const text = JSON.stringify(holds);
    if (text === listed) return;
    listed = text;
    byId('change-holds').replaceChildren(
      ...holds.map((hold) => {
        const item = element('li');
        const about = `${holderOf(hold)}: ${reasonOf(hold)} (${PLACE[hold.scope]})`;
        const button = element('button', 'Resume');
        button.type = 'button';
        button.setAttribute('aria-label', `Resume: lift the hold of ${about}`);
        button.addEventListener('click', () => lift(button, hold));
        item.append(isolated(about), button);
        return item;
      }),
    );
  }

  const wanted = () => {
    const ttl = byId('change-ttl').value.trim();
    return {
      ...(profile === null ? { root: true } : { profile }),
      holder: nameOf(),
      reason: byId('change-reason').value.trim(),
      ...(ttl === '' ? {} : { ttl }),
    };
  };

  /** Replaces exactly what was shown, or nothing. */
  const fenceOf = ({ comparable, generation }) => (comparable ? { if_generation: generation } : {});

  async function pause() {
    const body = wanted();
    const would = shown ?? (await ask('POST', '/v1/holds', { ...body, dry_run: true }));
    if (would.refused !== undefined) return say(would.refused);
    // The answer is about another profile or an earlier input.
    if (JSON.stringify(wanted()) !== JSON.stringify(body)) {
      return say('Nothing was changed: the request has changed meanwhile. Press again.');
    }
    if (shown === null && would.replaced_hold !== null) {
      show(would);
      return say('Nothing was changed yet.');
    }
    show(null);
    const said = await ask('POST', '/v1/holds', { ...body, ...fenceOf(would) });
    if (said.refused !== undefined) return say(said.refused);
    localStorage.setItem(NAME, body.holder);
    const before = said.replaced_hold;
    const done = ['The hold stands on disk.', ...(before === null ? [] : [replacedText(before)])];
    say([...done, ...said.warnings.map(visible)].join(' '));
  }

  byId('change-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const mistake = mistakeIn(byId('change-ttl').value.trim());
    if (mistake !== '') {
      say(mistake);
      byId('change-ttl').focus();
      return;
    }
    byId('change-pause').disabled = true;
    await pause();
    byId('change-pause').disabled = false;
  });
  // The request is no longer the one that was shown or answered.
  byId('change-form').addEventListener('input', () => {
    show(null);
    say('');
  });

  byId('token-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const token = byId('token-text').value.trim();
    byId('token-text').value = '';
    if (token === '') sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
    tokenDialog.close();
    changed(token !== '');
  });
  byId('token-open').addEventListener('click', () => tokenDialog.showModal());

  return {
    mayChange: () => tokenOf() !== '',
    open(name) {
      profile = name;
      listed = '';
      // Messages and input of another profile do not apply here.
      for (const id of ['change-reason', 'change-ttl']) byId(id).value = '';
      byId('change-title').textContent = name === null ? 'The whole fleet' : visible(name);
      say('');
      show(null);
      if (nameOf() === '') byId('change-holder').value = localStorage.getItem(NAME) ?? '';
      list();
      dialog.showModal();
      byId('change-reason').focus();
    },
    /** The state has changed, and so may the list of holds that can be lifted. */
    refresh() {
      if (dialog.open) list();
    },
    writing(how) {
      byId('token-said').textContent =
        how === 'off' ? 'Writing is off: the watcher has no token file.' : '';
    },
  };
}
