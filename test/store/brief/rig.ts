import type { Brief } from '../../../src/api/brief.ts'
import type { Draft } from '../../../src/domain/incident.ts'
import { labelsOf } from '../../../src/intake/recognise.ts'
import type { BriefRules } from '../../../src/store/brief/openings.ts'
import { briefPart } from '../../../src/store/brief/part.ts'
import type { Store } from '../../../src/store/store.ts'
import { StoreRig } from '../support.ts'

/** Options of a store that keeps the history of problems. */
export const briefRules = (changes: Partial<BriefRules> = {}) => ({
  ...{ openings: 1_000, labelsOf, part: briefPart },
  ...changes,
})

/** Reads all sections of a brief. */
export async function sectionsOf(store: Store, problem: number, opening?: number): Promise<Partial<Brief> | undefined> {
  const found = store.brief?.sections(problem, opening)
  if (found === undefined) return undefined
  let brief: Partial<Brief> = found.head
  for (const { read } of found.sections) brief = { ...brief, ...(await read(async () => {})) }
  return brief
}

/** A store whose clock goes on by a minute before each incident. */
export class BriefRig extends StoreRig {
  constructor(t: { after(clean: () => void): void }, openings = 1_000) {
    super(t, { brief: briefRules({ openings }), channels: [] })
  }

  /** Commits an incident, and writes its problem. */
  arrive(changes: Partial<Draft>): string {
    this.now += 60_000
    const id = this.spill({ sender: 'grouped_alerts', service: 'pay', ...changes })
    this.now += 1_000
    this.turn({})
    return id
  }
}
