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

/** Calls back for the token that the tab has, and half a second after the visitor has entered another. */
export function onOwnToken(callBack) {
  if (!field) return;
  let waiting;
  field.value = own;
  field.addEventListener('input', () => {
    keep(field.value.trim());
    clearTimeout(waiting);
    waiting = setTimeout(callBack, 500);
  });
  if (own) callBack();
}
