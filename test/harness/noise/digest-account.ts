/** The numbers in the text of one revision of a digest. */
interface Revision {
  readonly digest: number
  readonly revision: number
  readonly over: boolean
  readonly repeated: boolean
  /** All alerts of the storm, those with a message of their own included. */
  readonly alerts: number
  readonly problems: number
  /** Alerts that were told by a message of their own. */
  readonly singly: number
  /** Alerts whose own message is being sent. */
  readonly waiting: number
}

const HEADLINE = /digest (\d+)·(\d+): ([\d,]+) alerts? of ([\d,]+) problems?( \(repeated\))?/i
const COUNT = /\b(?:critical|high|warning|info|debug|resolved) ([\d,]+)(?: \(([^()]*)\))?/g
const MARK = /\bn(\d+)e\b/

/** Returns the numbers of a digest; undefined for another message. */
export function revisionIn(text: string): Revision | undefined {
  const [headline, digest, revision, alerts = '', problems = '', repeated] = HEADLINE.exec(text) ?? []
  if (headline === undefined) return undefined
  const counts = [...lineOfCounts(text).matchAll(COUNT)]
  const ofTheirOwn = (what: string) =>
    counts.reduce((sum, [, all = '', own = '']) => sum + shareOf(own, what, parsed(all)), 0)
  return {
    digest: Number(digest),
    revision: Number(revision),
    over: /storm over/i.test(text),
    repeated: repeated !== undefined,
    alerts: parsed(alerts),
    problems: parsed(problems),
    singly: ofTheirOwn('sent separately'),
    waiting: ofTheirOwn('being sent'),
  }
}

/** Returns the number in `6 sent separately, 10 being sent`; all of them for the words alone. */
function shareOf(own: string, what: string, all: number): number {
  const part = own.split(', ').find((each) => each.endsWith(what))
  if (part === undefined) return 0
  return part === what ? all : parsed(part.slice(0, -what.length))
}

/** Titles come after the line of counts. */
function lineOfCounts(text: string): string {
  return /^.*\b(?:critical|high|warning|info|debug|resolved) [\d,]+(?: \(| ·|\s*$).*$/m.exec(text)?.[0] ?? ''
}

const parsed = (number: string) => Number(number.replaceAll(',', ''))

/**
 * Counts incidents by the texts that a provider received alone: one for each message with a mark `n<number>e`, and those
 * that the latest revision of each digest tells of.
 */
export class DigestAccount {
  /** Numbers of the incidents that have a message of their own. */
  readonly singles = new Set<number>()
  /** The latest revision of each digest. */
  readonly digests = new Map<number, Revision>()
  /** Breaches of what every sequence of revisions must keep. */
  readonly faults: string[] = []

  add(text: string): void {
    const revision = revisionIn(text)
    const mark = revision ? undefined : MARK.exec(text)?.[1]
    if (mark !== undefined) this.singles.add(Number(mark))
    if (revision) this.#addRevision(revision)
  }

  /** Incidents that the digests tell of. */
  get folded(): number {
    return [...this.digests.values()].reduce((sum, { alerts, singly, waiting }) => sum + alerts - singly - waiting, 0)
  }

  /** Incidents that are told. */
  get told(): number {
    return this.singles.size + this.folded
  }

  /** The summary of every digest has arrived, and there is at least one. */
  get over(): boolean {
    return this.digests.size > 0 && [...this.digests.values()].every(({ over }) => over)
  }

  #addRevision(next: Revision): void {
    const before = this.digests.get(next.digest)
    if (before && next.revision < before.revision) this.faults.push(`${name(next)} came after ${name(before)}`)
    if (before && next.alerts < before.alerts)
      this.faults.push(`${name(next)} counts ${next.alerts}, ${name(before)} counted ${before.alerts}`)
    if (before && next.singly < before.singly)
      this.faults.push(`${name(next)} tells ${next.singly} singly, ${name(before)} told ${before.singly}`)
    if (!before || next.alerts >= before.alerts) this.digests.set(next.digest, next)
  }
}

const name = ({ digest, revision }: Revision) => `digest ${digest}·${revision}`
