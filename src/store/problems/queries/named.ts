import { incidentNumberOf } from '../../../domain/incident-id.ts'
import type { StoreParts } from '../../parts.ts'
import type { NamedProblem, ProblemName } from '../../ports/problems.ts'

/** Opens the look-up of a problem by one of its names, as memory has it: with all incidents that are applied. */
export function openNamedProblem({ db, problems }: StoreParts) {
  const incident = db.query<{ problem: number }>('SELECT problem FROM incidents WHERE id = ?')

  function find(name: ProblemName) {
    if ('fingerprint' in name) return problems.find(name.fingerprint)
    if ('number' in name) return problems.numbered(name.number)
    // The number of a problem is that of its first incident, which retention may have deleted.
    const number = incident.get(name.incident)?.problem ?? incidentNumberOf(name.incident)
    return number === undefined ? undefined : problems.numbered(number)
  }

  return function named(name: ProblemName): NamedProblem | undefined {
    const found = find(name)
    if (found === undefined) return undefined
    const { id, fingerprint, state, title, service, severity, lastId } = found
    return { id, fingerprint, state, title, service, severity, lastId }
  }
}
