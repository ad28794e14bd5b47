const TICK_MS = 50

interface Pace {
  /** Incidents, several in a request. */
  readonly perSecond: number
  readonly severity: string
}

/** Posts evenly until it is stopped; tells how many were accepted. */
export function startPacer(url: string, { perSecond, severity }: Pace): { stop(): Promise<number> } {
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
