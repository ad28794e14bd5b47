import { randomInt } from 'node:crypto'

const START_DIGITS = 9
const RANDOM_DIGITS = 5
const NUMBER_DIGITS = 10
const base36 = (value: number, digits: number) => value.toString(36).padStart(digits, '0')

/**
 * Ids of events: the start time of the process, random digits, because replicas may start in one millisecond, and the
 * event's number. They sort as text in the order of events.
 */
export class Ids {
  readonly serverId: string

  /** @param startedAt epoch milliseconds */
  constructor(startedAt: number) {
    this.serverId = base36(startedAt, START_DIGITS) + base36(randomInt(36 ** RANDOM_DIGITS), RANDOM_DIGITS)
  }

  of(number: number): string {
    return `${this.serverId}-${String(number).padStart(NUMBER_DIGITS, '0')}`
  }

  /** Returns undefined for the id of another run of the process, or of another replica. */
  numberOf(id: string): number | undefined {
    const [, serverId, number] = /^([0-9a-z]+)-(\d+)$/.exec(id) ?? []
    return serverId === this.serverId ? Number(number) : undefined
  }
}
