import { CodedError } from '../../domain/errors.ts'
import type { MaintenancePort } from '../ports/maintenance.ts'
import type { Write } from '../ports/transaction.ts'
import type { Quarantine } from './quarantine.ts'

/**
 * Opens `retryQuarantined`. When the disk has no room, all entries that are left stay in quarantine until the next
 * opening.
 */
export function openRetryQuarantined(
  quarantine: Pick<Quarantine, 'requeue' | 'hasCandidates' | 'dropCandidates'>,
  write: Write,
): MaintenancePort['retryQuarantined'] {
  const requeue = () => {
    try {
      return write(() => quarantine.requeue())
    } catch (error) {
      if (error instanceof CodedError) return false
      throw error
    }
  }
  return () => {
    if (!quarantine.hasCandidates) return false
    const requeued = requeue()
    if (!requeued) quarantine.dropCandidates()
    return requeued
  }
}
