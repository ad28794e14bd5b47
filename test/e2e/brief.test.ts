import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Brief } from '../../src/api/brief.ts'
import { seriousViolations, visit } from './browser.ts'
import { signIn, startService } from './service.ts'

const service = await startService({ brief: { enable: true } })
await service.raise({ title: 'Card declines', ServiceName: 'payments', severity: 'critical' })

const at = '2026-11-03T10:00:00.000Z'
const MIN = 60_000
const HOSTILE = '<img src=x onerror=alert(1)>'

/** Sections that a new problem does not have. */
const MORE: Omit<Brief, 'at' | 'problem' | 'notes' | 'notified' | 'page'> = {
  before: {
    count: 5,
    days: 30,
    shortest_ms: 6 * MIN,
    median_ms: 12 * MIN,
    longest_ms: 41 * MIN,
    openings: [
      {
        id: 1,
        opened_at: at,
        ended_at: '2026-11-03T10:12:00.000Z',
        ended_by: 'sender',
        acked_by: 'Ada',
        incident: null,
      },
    ],
  },
  similar: [
    {
      problem: 7,
      title: HOSTILE,
      service: 'payments',
      score: 0.77,
      count: 2,
      median_ms: null,
      acked_by: null,
      opening: 9,
    },
  ],
  silences: [
    { id: 4, comment: 'patch night', state: 'begins', starts_at: at, ends_at: null },
    { id: 5, comment: '', state: 'would_hold', starts_at: at, ends_at: at },
  ],
  nearby: {
    openings: [{ problem: 9, title: 'Refunds are slow', service: 'payments', opened_at: at, ended_at: at }],
    services: [{ service: 'db', count: 3 }],
    digests: [{ number: 2, title: 'Digest 2' }],
  },
  logs: [{ pattern: 'p-71', at, text: `ERROR ${'bank-b.example.net/'.repeat(20)}`, count: 212 }],
  changes: [{ id: 88, at, service: 'payments', kind: 'deploy', summary: '4.12.0', link: 'https://ci.example.net/1' }],
  runbook: ['https://runbooks.example.net/card-declines', 'javascript:alert(1)'],
  late: ['logs'],
  unapplied: 2,
}

async function withMore(page: Page): Promise<void> {
  await page.route('**/api/admin/problems/1/brief', async (route) => {
    const brief = (await (await route.fetch()).json()) as Brief
    await route.fulfill({ json: { ...brief, ...MORE } })
  })
}

test('the brief is the first tab of a problem: its entries lead to where they come from', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, complaints, strayed } = await visit(t, service.url, {
      colorScheme,
      viewport: { width: 390, height: 844 },
    })
    await withMore(page)
    await signIn(page)
    await page.goto(`${service.url}/#/problems/1`)
    const brief = page.getByRole('region', { name: 'Brief' })
    await brief.getByText('5 times in 30 days, 6 min to 41 min, median 12 min').waitFor()
    assert.equal(await page.getByRole('tab').first().textContent(), 'Brief')
    for (const [name, path] of [
      [HOSTILE, '#/problems/7'],
      ['patch night', '#/silences/4'],
      ['silence 5', '#/silences/5'],
      ['Refunds are slow', '#/problems/9'],
      ['Digest 2', '#/digests/2'],
    ] as const)
      assert.equal(await brief.getByRole('link', { name }).getAttribute('href'), path)
    const runbook = brief.getByRole('link', { name: /runbooks/ })
    assert.match((await runbook.getAttribute('rel')) ?? '', /noreferrer/)
    await brief.getByText('at runbooks.example.net').waitFor()
    assert.equal(await brief.getByRole('link', { name: /javascript/ }).count(), 0)
    assert.deepEqual(await seriousViolations(page), [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    await page.unrouteAll({ behavior: 'wait' })
    assert.deepEqual([complaints, strayed], [[], []])
  }
})

test('a note is added and deleted on the page', async (t) => {
  const { page, complaints } = await visit(t, service.url)
  await signIn(page)
  await page.goto(`${service.url}/#/problems/1`)
  await page.getByLabel('Your name, for the record').fill('Ada')
  const notes = page.getByRole('region', { name: 'Notes' })
  await notes.getByLabel('New note').fill(`bank B was down ${HOSTILE}`)
  await notes.getByRole('button', { name: 'Add a note' }).click()
  await notes.getByText(`bank B was down ${HOSTILE}`).waitFor()
  await notes.getByText(/^Ada, /).waitFor()
  assert.equal(await notes.getByLabel('New note').inputValue(), '')
  await notes.getByRole('button', { name: /^Delete the note of Ada/ }).click()
  await notes.getByText('bank B was down').waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
})
