const AT_ONCE = 8
const DEADLINE_MS = 3_000

/**
 * Returns what sends replies to the people who pressed: 8 at once, for 3 s, once each. One more, and one that fails, is
 * dropped: what was pressed is stored, and the message shows it.
 */
export function openReplies(dropped: () => void) {
  let underWay = 0
  return (send: (signal: AbortSignal) => Promise<unknown>): void => {
    if (underWay >= AT_ONCE) return dropped()
    underWay++
    send(AbortSignal.timeout(DEADLINE_MS))
      .catch(dropped)
      .finally(() => underWay--)
  }
}
