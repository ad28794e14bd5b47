import type { MessageDispatch } from '../../src/domain/delivery/dispatch.ts'
import type { Draft } from '../../src/domain/incident.ts'

let ids = 0

/** An incident as ingest submits it. */
function draft(createdAt: number): Draft {
  return {
    id: `00000000-0000-7000-8000-${String(++ids).padStart(12, '0')}`,
    source: 'webhook',
    createdAt,
    content: new TextEncoder().encode('{"ServiceName":"ledger"}'),
    sender: 'custom',
    title: 'ledger',
    service: 'ledger',
    severity: '',
    status: 'firing',
    fingerprint: 'f',
  }
}

export function dispatch(incident: number, target?: string): MessageDispatch {
  const now = 1_700_000_000_000
  return {
    ...draft(now),
    kind: 'delivery',
    destination: 'chatws',
    code: 0,
    rank: 2,
    incident,
    number: 0,
    attempt: 1,
    mayDuplicate: false,
    committedAt: now,
    dispatchedAt: now,
    ...(target === undefined ? {} : { target }),
  }
}
