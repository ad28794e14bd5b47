/**
 * The field `incident` of a dispatch and its settlement names what is sent, by ranges:
 *
 *     above 0               number of an incident: one of its deliveries
 *     -(2 ** 40) to -1      minus the id of a notice; the ledger keeps attempts of notices under this number too
 *     below -(2 ** 40)      -(2 ** 40) minus the id of a follow-up
 */
type DispatchKind = 'delivery' | 'notice' | 'follow-up'

const FOLLOW_UP_BASE = -(2 ** 40)

export function kindOf({ incident }: { readonly incident: number }): DispatchKind {
  if (incident >= 0) return 'delivery'
  return incident < FOLLOW_UP_BASE ? 'follow-up' : 'notice'
}

export const noticeNumber = (id: number) => -id
export const noticeId = (dispatchNumber: number) => -dispatchNumber
export const followUpNumber = (id: number) => FOLLOW_UP_BASE - id
export const followUpId = (dispatchNumber: number) => FOLLOW_UP_BASE - dispatchNumber
