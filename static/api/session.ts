import { computed, signal } from '@preact/signals'

const KEY = 'tocsin.secret'

const kept = signal(sessionStorage.getItem(KEY) ?? '')

/** Shown on the sign-in page: why the person is there. */
export const farewell = signal('')
export const signedIn = computed(() => kept.value !== '')
export const secret = () => kept.peek()

/** Keeps a secret that the service has taken, for as long as the tab lives. */
export function signIn(given: string): void {
  sessionStorage.setItem(KEY, given)
  farewell.value = ''
  kept.value = given
}

export function signOut(why = ''): void {
  sessionStorage.removeItem(KEY)
  farewell.value = why
  kept.value = ''
}
