import { meaningOf } from './elements.js';

/** The token of this tab: the demo's, or the visitor's own, which the tab forgets when it is closed. */
const key = 'goalpost.token';
const field = document.getElementById('token');

let own = '';
try {
  own = sessionStorage.getItem(key) ?? '';
} catch {
  // The browser allows no storage: the token is gone with the page.
}

export const tokenOf = (settings) => settings.token ?? own;

function keep(token) {
  own = token;
  try {
    if (token) sessionStorage.setItem(key, token);
    else sessionStorage.removeItem(key);
  } catch {
    // As above.
  }
}

/** What the token is good for, beside its field. */
function say(...parts) {
  document.getElementById('token-outcome').replaceChildren(...parts);
}

const isSendable = (token) => /^[\x21-\x7e]*$/.test(token);

/** Why a token is of no use here. */
function refusalOf({ code, message }) {
  if (code !== 'UNAUTHENTICATED') return [message, ...(code ? [' ', meaningOf(code)] : [])];
  return ['This is not a valid token of this gateway: it is mistyped, expired or revoked. ', meaningOf(code)];
}

/**
 * Tries the token that the tab has, and half a second after the visitor has entered another that one. `forget` is called
 * as soon as the token before no longer counts; `learn` gets the new one, and returns what to say of it, or throws an
 * error with the `code` of its refusal.
 */
export function onOwnToken({ forget, learn }) {
  if (!field) return;
  let waiting;
  let turn = 0;
  const attempt = async () => {
    if (!own) return;
    turn += 1;
    const mine = turn;
    const outcome = await (isSendable(own) ? learn(own) : Promise.reject({ code: 'UNAUTHENTICATED' })).then(
      (found) => () => say(...found()),
      (error) => () => say(...refusalOf(error)),
    );
    // The visitor may have entered another meanwhile.
    if (mine === turn) outcome();
  };
  field.value = own;
  field.addEventListener('input', () => {
    keep(field.value.trim());
    turn += 1;
    say();
    forget();
    clearTimeout(waiting);
    waiting = setTimeout(attempt, 500);
  });
  attempt();
}
