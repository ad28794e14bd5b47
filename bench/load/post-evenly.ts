const TICK_MS = 50
/** Keeps a request below the limit of a body, also after a pause of this process. */
const MAX_ARRAY = 1_000

interface Evenly {
  readonly count: number
  readonly seconds: number
  payloadOf(nth: number): object
}

export interface Posted {
  readonly accepted: number
  /** Incidents that were answered 503. */
  readonly refused: number
  /** Seconds from the first post to the first that was refused; absent: none was. */
  readonly refusedAfterSeconds?: number
}

/**
 * Posts incidents evenly over a time, as one array in each twentieth of a second. Each is posted at its time, even if
 * earlier answers are late. Refused ones are not posted again.
 */
export async function postEvenly(serviceUrl: string, { count, seconds, payloadOf }: Evenly): Promise<Posted> {
  const began = performance.now()
  const posting: Promise<Posted>[] = []
  for (let next = 0; next < count; ) {
    const share = Math.min(1, (performance.now() - began + TICK_MS) / (seconds * 1_000))
    const due = Math.ceil(share * count)
    for (; next < due; next += MAX_ARRAY) {
      const length = Math.min(MAX_ARRAY, due - next)
      const alerts = Array.from({ length }, (_, at) => payloadOf(next + at))
      posting.push(postArray(serviceUrl, alerts, began))
    }
    next = due
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
  const answers = await Promise.all(posting)
  const refusals = answers.flatMap(({ refusedAfterSeconds }) => refusedAfterSeconds ?? [])
  return {
    accepted: answers.reduce((sum, { accepted }) => sum + accepted, 0),
    refused: answers.reduce((sum, { refused }) => sum + refused, 0),
    ...(refusals.length > 0 && { refusedAfterSeconds: Math.min(...refusals) }),
  }
}

async function postArray(serviceUrl: string, alerts: readonly object[], began: number): Promise<Posted> {
  const answer = await fetch(`${serviceUrl}/api/incidents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alerts),
  })
  const text = await answer.text()
  if (answer.status === 201) return { accepted: alerts.length, refused: 0 }
  if (answer.status === 503)
    return { accepted: 0, refused: alerts.length, refusedAfterSeconds: (performance.now() - began) / 1_000 }
  throw new Error(`${answer.status}: ${text}`)
}
