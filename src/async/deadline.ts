/**
 * Runs `work` with a signal that aborts after `ms`, or when `closing` does. Leaves nothing behind at `closing`, which
 * may live long: `AbortSignal.any` would keep a trace of each signal that it ever made from it, and a timeout signal
 * lives until its time.
 */
export async function withDeadline<T>(
  ms: number,
  closing: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const close = () => deadline.abort(closing.reason)
  const timer = setTimeout(() => deadline.abort(new DOMException('the read took too long', 'TimeoutError')), ms)
  closing.addEventListener('abort', close, { once: true })
  try {
    if (closing.aborted) close()
    return await work(deadline.signal)
  } finally {
    clearTimeout(timer)
    closing.removeEventListener('abort', close)
  }
}
