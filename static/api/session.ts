import { computed, signal } from '@preact/signals'

const KEY = 'tocsin.secret'

const storedSecret = signal(sessionStorage.getItem(KEY) ?? '')

/** Why the user has to sign in; shown on the sign-in page. */
export const signOutReason = signal('')
export const signedIn = computed(() => storedSecret.value !== '')
export const secret = () => storedSecret.peek()

/** Keeps an accepted secret until the tab is closed. */
export function signIn(given: string): void {
  sessionStorage.setItem(KEY, given)
  signOutReason.value = ''
  storedSecret.value = given
}

export function signOut(why = ''): void {
  sessionStorage.removeItem(KEY)
  signOutReason.value = why
  storedSecret.value = ''
}
