const SERVER_ID_DIGITS = 9
const NUMBER_DIGITS = 10

/** Ids of events: the start time of the process and the event's number. They sort as text in the order of events. */
export class Ids {
  readonly serverId: string

  /** @param startedAt epoch milliseconds */
  constructor(startedAt: number) {
    this.serverId = startedAt.toString(36).padStart(SERVER_ID_DIGITS, '0')
  }

  of(number: number): string {
    return `${this.serverId}-${String(number).padStart(NUMBER_DIGITS, '0')}`
  }

  /** Returns undefined for the id of another run of the process. */
  numberOf(id: string): number | undefined {
    const [, serverId, number] = /^([0-9a-z]+)-(\d+)$/.exec(id) ?? []
    return serverId === this.serverId ? Number(number) : undefined
  }
}
