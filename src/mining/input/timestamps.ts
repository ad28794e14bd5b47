/** Returns epoch milliseconds of the time within the first 160 characters of a line; undefined when there is none. */
export type TimeOf = (line: string) => number | undefined

interface TimestampFormat {
  readonly pattern: RegExp
  read(groups: { readonly [name: string]: string | undefined }): number
}

const MAX_OFFSET = 160
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const CLOCK = String.raw`(?<h>\d\d):(?<min>\d\d):(?<s>\d\d)(?:[.,:](?<frac>\d{1,9}))?`
const ZONE = String.raw`(?: ?(?<zone>Z|[+-]\d\d:?\d\d))?`

const format = (source: string, read: TimestampFormat['read']): TimestampFormat => ({
  pattern: new RegExp(source, 'i'),
  read,
})

/**
 * Formats in the order they are tried. Times without a zone are taken as UTC and dates without a year as 2024, because
 * only the time between lines matters.
 */
const FORMATS: readonly TimestampFormat[] = [
  format(String.raw`(?<y>\d{4})[-/.](?<mon>\d\d)[-/.](?<d>\d\d)[T _-]${CLOCK}${ZONE}`, dated),
  format(String.raw`(?<d>\d{1,2})/(?<name>[a-z]{3})/(?<y>\d{4}):${CLOCK}${ZONE}`, dated),
  format(String.raw`(?<name>[a-z]{3}) +(?<d>\d{1,2}) ${CLOCK} (?<y>\d{4})`, dated),
  format(String.raw`^\W?(?<y>\d{4})(?<mon>\d\d)(?<d>\d\d)[- ]${CLOCK}`, dated),
  format(String.raw`^\W?(?<y>\d\d)/(?<mon>\d\d)/(?<d>\d\d) ${CLOCK}`, dated),
  format(String.raw`^(?<y>\d\d)(?<mon>\d\d)(?<d>\d\d) (?<h>\d\d)(?<min>\d\d)(?<s>\d\d)\b`, dated),
  format(String.raw`^(?:<\d{1,3}>)?(?<name>[a-z]{3}) +(?<d>\d{1,2}) ${CLOCK}`, dated),
  format(String.raw`^\W?(?<mon>\d\d)[-./](?<d>\d\d) ${CLOCK}`, dated),
  format(String.raw`(?<![\d.])(?<epoch>1\d{9}|1\d{12})(?:\.(?<frac>\d{1,9}))?(?![\d.])`, epoch),
]

/** Creates a parser that tries the format that matched last first, because most lines of a log have one format. */
export function createTimeOf(): TimeOf {
  let last: TimestampFormat | undefined
  return (line) => {
    const near = line.length > MAX_OFFSET ? line.slice(0, MAX_OFFSET) : line
    const known = last && timeIn(near, last)
    if (known !== undefined) return known
    for (const each of FORMATS) {
      const at = each === last ? undefined : timeIn(near, each)
      if (at === undefined) continue
      last = each
      return at
    }
    return undefined
  }
}

function timeIn(text: string, { pattern, read }: TimestampFormat): number | undefined {
  const groups = pattern.exec(text)?.groups
  const at = groups ? read(groups) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

function dated({
  y = '2024',
  mon,
  name = '',
  d,
  h,
  min,
  s,
  frac = '0',
  zone = 'Z',
}: {
  [name: string]: string | undefined
}): number {
  const month = mon === undefined ? MONTHS.indexOf(name.toLowerCase()) : Number(mon) - 1
  const year = y.length === 2 ? 2000 + Number(y) : Number(y)
  if (month < 0 || month > 11) return Number.NaN
  return (
    Date.UTC(year, month, Number(d), Number(h), Number(min), Number(s), Math.floor(Number(`0.${frac}`) * 1_000)) -
    offsetMs(zone)
  )
}

function offsetMs(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000
}

function epoch({ epoch = '', frac = '0' }: { [name: string]: string | undefined }): number {
  return epoch.length === 13 ? Number(epoch) : Number(epoch) * 1_000 + Math.floor(Number(`0.${frac}`) * 1_000)
}
