const SERVER_ID_DIGITS = 9
const NUMBER_DIGITS = 10

/** Ids that sort as text in the order of their numbers, and in the order of the lives they belong to. */
export class Ids {
  readonly serverId: string

  /** @param startedAt epoch milliseconds */
  constructor(startedAt: number) {
    this.serverId = startedAt.toString(36).padStart(SERVER_ID_DIGITS, '0')
  }

  of(number: number): string {
    return `${this.serverId}-${String(number).padStart(NUMBER_DIGITS, '0')}`
  }

  /** Undefined: not of this life. */
  numberOf(id: string): number | undefined {
    const [, life, number] = /^([0-9a-z]+)-(\d+)$/.exec(id) ?? []
    return life === this.serverId ? Number(number) : undefined
  }
}
