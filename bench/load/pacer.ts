const TICK_MS = 50

interface Pace {
  /** Incidents, posted as arrays. */
  readonly perSecond: number
  readonly severity: string
}

/** Posts incidents at a fixed rate until `stop`, which resolves with the number that was accepted. */
export function startPacer(serviceUrl: string, { perSecond, severity }: Pace): { stop(): Promise<number> } {
  const url = `${serviceUrl}/api/incidents`
  const alert = { ServiceName: 'ledger', severity, title: 'cannot write entry 4711' }
  const body = JSON.stringify(Array.from({ length: (perSecond * TICK_MS) / 1_000 }, () => alert))
  const pending = new Set<Promise<void>>()
  let accepted = 0
  const post = async () => {
    const answer = await fetch(url, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } })
    const { count = 0 } = (await answer.json()) as { count?: number }
    accepted += count
  }
  const timer = setInterval(() => {
    const posting = post().finally(() => pending.delete(posting))
    pending.add(posting)
  }, TICK_MS)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
      return accepted
    },
  }
}
