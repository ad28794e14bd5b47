import type { DigestNotice, DigestProblem } from '../src/domain/delivery/notice.ts'

const BEGAN = Date.UTC(2026, 2, 9, 3, 12, 4)

const POOL: DigestProblem = {
  title: 'Connection pool exhausted',
  service: 'orders-db',
  level: 'critical',
  status: 'firing',
  incidentId: '0195c1a2-07d3',
  alerts: 1,
  singly: 1,
  waiting: 0,
  added: 0,
  isNew: false,
}

const CARD: DigestProblem = {
  title: 'Card declines above 5 %',
  service: 'payments',
  level: 'high',
  status: 'firing',
  incidentId: '0195c1a2-1b40',
  alerts: 375,
  singly: 1,
  waiting: 0,
  added: 374,
  isNew: true,
}

const FIRST: DigestNotice = {
  kind: 'digest',
  digest: 17,
  revision: 1,
  phase: 'open',
  mayRepeat: false,
  firstAt: BEGAN,
  lastAt: BEGAN + 5_000,
  counts: [
    { word: 'critical', alerts: 2, singly: 1, waiting: 1 },
    { word: 'high', alerts: 521, singly: 6, waiting: 3 },
    { word: 'warning', alerts: 305, singly: 3, waiting: 0 },
  ],
  added: 814,
  problems: 23,
  firing: 23,
  shown: [
    POOL,
    { ...POOL, title: 'Checkout is down', service: 'web', incidentId: '0195c1a2-0a11', singly: 0, waiting: 1 },
    CARD,
    { ...CARD, title: 'p99 above 2 s', service: 'web', incidentId: '0195c1a2-22f7', alerts: 88, singly: 0, added: 88 },
    {
      ...CARD,
      title: 'Consumer lag of <orders> & <refunds>',
      service: 'queue',
      level: 'warning',
      incidentId: '0195c1a2-3c02',
      alerts: 61,
      singly: 0,
      added: 61,
    },
  ],
  others: {
    problems: 18,
    services: 6,
    top: [
      { service: 'orders-db', alerts: 170 },
      { service: 'web', alerts: 88 },
      { service: 'search', alerts: 31 },
    ],
  },
}

const LATER: DigestNotice = {
  ...FIRST,
  revision: 3,
  mayRepeat: true,
  lastAt: BEGAN + 25_000,
  counts: [
    { word: 'critical', alerts: 5, singly: 2, waiting: 0 },
    { word: 'high', alerts: 806, singly: 9, waiting: 0 },
    { word: 'warning', alerts: 309, singly: 3, waiting: 0 },
    { word: 'resolved', alerts: 120, singly: 0, waiting: 0 },
  ],
  added: 412,
  problems: 31,
  firing: 27,
  shown: [
    { ...POOL, title: 'Replica lost', incidentId: '0195c1a2-9d55', alerts: 3, singly: 0, added: 3, isNew: true },
    POOL,
    { ...CARD, alerts: 412, added: 37, isNew: false },
    ...FIRST.shown
      .slice(3, 4)
      .map((shown): DigestProblem => ({ ...shown, status: 'resolved', added: 0, isNew: false })),
  ],
  others: { ...FIRST.others, problems: 27, services: 9 },
}

const OVER: DigestNotice = {
  ...LATER,
  revision: 9,
  phase: 'over',
  mayRepeat: false,
  lastAt: BEGAN + 70_000,
  counts: [
    { word: 'critical', alerts: 5, singly: 2, waiting: 0 },
    { word: 'high', alerts: 8_240, singly: 11, waiting: 0 },
    { word: 'warning', alerts: 1_635, singly: 5, waiting: 0 },
    { word: 'resolved', alerts: 120, singly: 0, waiting: 0 },
  ],
  added: 0,
  problems: 55,
  firing: 48,
  shown: LATER.shown.map((shown) => ({ ...shown, added: 0, isNew: false })),
  others: { ...FIRST.others, problems: 51, services: 12 },
}

/** Digests of a storm that never happened. */
export const DIGESTS: { readonly [name: string]: DigestNotice } = {
  'Digest of a storm: the first message': FIRST,
  'Digest of a storm: a later message, which may arrive twice': LATER,
  'Digest of a storm: the last message': OVER,
}
