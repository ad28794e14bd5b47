import { signal } from '@preact/signals'

/** Room for a list and what is chosen of it side by side. */
const query = matchMedia('(min-width: 68rem)')
export const wide = signal(query.matches)
query.addEventListener('change', () => {
  wide.value = query.matches
})
