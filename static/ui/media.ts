import { signal } from '@preact/signals'

/** True when a list and the details of one entry fit side by side. */
const query = matchMedia('(min-width: 68rem)')
export const wide = signal(query.matches)
query.addEventListener('change', () => {
  wide.value = query.matches
})
