/** States kept before the first sweep: more than a configuration names. */
const SWEEP_FROM = 1_000

/**
 * Keeps one state for each destination. With `accept_ids` clients name the destinations, so it deletes the idle ones:
 * when 1,000 are kept, and then each time that the number left by the last sweep has doubled. An LRU cache would bound
 * the number too, but it could evict a state that still counts.
 * @param isIdle a new state serves as well as this one
 */
export function createDestinationStates<State>(create: () => State, isIdle: (state: State) => boolean) {
  const states = new Map<string, State>()
  let sweepAt = SWEEP_FROM

  function sweep(): void {
    for (const [destination, state] of states) if (isIdle(state)) states.delete(destination)
    sweepAt = Math.max(SWEEP_FROM, 2 * states.size)
  }

  return {
    /** Returns the state of the destination, a new one when there is none. */
    of(destination: string): State {
      let state = states.get(destination)
      if (state === undefined) {
        if (states.size >= sweepAt) sweep()
        state = create()
        states.set(destination, state)
      }
      return state
    },
    get: (destination: string) => states.get(destination),
    delete: (destination: string) => states.delete(destination),
    entries: () => [...states],
  }
}
