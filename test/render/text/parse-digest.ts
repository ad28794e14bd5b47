/** Numbers of a digest as a reader sees them in its message. */
interface ReadDigest {
  readonly digest: number
  readonly revision: number
  readonly over: boolean
  readonly repeated: boolean
  readonly alerts: number
  readonly problems: number
  readonly added: number
  /** By word: `critical`, `resolved` and so on. */
  readonly counts: {
    readonly [word: string]: { readonly alerts: number; readonly singly: number; readonly waiting: number }
  }
}

const HEADLINE =
  /^(🌩 Digest|🌤 Storm over, digest) (\d+)·(\d+): ([\d,]+) alerts? of ([\d,]+) problems?( \(repeated\))?$/u
const COUNT = /^(\w+) ([\d,]+)(?: \(([^()]+)\))?$/

/** Reads the first three lines of a message, in any of the markups. Throws when they are no digest. */
export function parseDigest(text: string): ReadDigest {
  const [headline = '', since = '', counts = ''] = visible(text)
    .split('\n')
    .filter((line) => line !== '')
  const match = HEADLINE.exec(headline)
  if (match === null) throw new Error(`no digest: ${headline}`)
  const [, began, digest, revision, alerts, problems, repeated] = match
  return {
    digest: number(digest),
    revision: number(revision),
    over: began !== '🌩 Digest',
    repeated: repeated !== undefined,
    alerts: number(alerts),
    problems: number(problems),
    added: number(/\+([\d,]+) new$/.exec(since)?.[1]),
    counts: Object.fromEntries(
      counts.split(' · ').flatMap((part) => {
        const [, word, all, own = ''] = COUNT.exec(part) ?? []
        if (word === undefined) return []
        const share = (what: string) => {
          const found = own.split(', ').find((each) => each.endsWith(what))
          return found === undefined ? 0 : number(found === what ? all : found.slice(0, -what.length))
        }
        return [[word, { alerts: number(all), singly: share('sent separately'), waiting: share('being sent') }]]
      }),
    ),
  }
}

/** Removes tags and the marks of bold text, of which the first lines have no others. */
const visible = (text: string) => text.replace(/<[^<>]*>|\*+/g, '')
const number = (text = '0') => Number(text.replaceAll(',', ''))
