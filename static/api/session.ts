import { computed, signal } from '@preact/signals'

const KEY = 'tocsin.secret'

const storedSecret = signal(sessionStorage.getItem(KEY) ?? '')

/** Shown on the sign-in page: why the person is there. */
export const signOutReason = signal('')
export const signedIn = computed(() => storedSecret.value !== '')
export const secret = () => storedSecret.peek()

/** Keeps a secret that the service has taken, for as long as the tab lives. */
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
