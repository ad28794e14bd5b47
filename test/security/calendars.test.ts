import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OncallOverview } from '../../src/api/oncall/schedules.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { admin } from '../harness/net/requests.ts'
import { startTestSystem } from '../harness/system.ts'

const PEOPLE = { ada: {}, ben: {} }
const LAYERS = [{ start: '2026-01-05', every: '1 week', members: ['ada', 'ben'] }]
const sections = (feeds: object) => ({ people: PEOPLE, oncall: { schedules: { primary: { layers: LAYERS } }, feeds } })

async function addressOf(url: string): Promise<string> {
  const { people } = await admin<OncallOverview>(url, '/api/admin/oncall')
  return people[0]?.feed ?? ''
}

test('a calendar opens by its own address alone, whatever else is asked', async (t) => {
  const { url } = await startTestSystem(t, configFile(folder(), sections({})))
  const address = await addressOf(url)
  assert.equal((await fetch(url + address)).status, 200)
  const sig = new URLSearchParams(address.split('?')[1]).get('sig') ?? ''
  const others = [
    address.split('?')[0],
    `${address.slice(0, -1)}${address.endsWith('0') ? '1' : '0'}`,
    `/api/oncall/person/ben.ics?sig=${sig}`,
    `/api/oncall/schedule/ada.ics?sig=${sig}`,
    `/api/oncall/schedule/primary.ics?sig=${sig}`,
    `/api/oncall/person/ada.ics?sig=${sig}&sig=${sig}`,
    `/api/oncall/person/nobody.ics?sig=${sig}`,
    `/api/ack/ada?exp=99999999999&sig=${sig}`,
  ]
  for (const path of others) assert.ok([403, 404].includes((await fetch(url + path)).status), path)
})

test('another revision ends the addresses of all calendars, and so does switching them off', async (t) => {
  const dir = folder()
  const system = await startTestSystem(t, configFile(dir, sections({})))
  const address = await addressOf(system.url)
  await system.reloadFrom(configFile(dir, sections({ revision: 2 })))
  assert.equal((await fetch(system.url + address)).status, 404)
  const next = await addressOf(system.url)
  assert.equal((await fetch(system.url + next)).status, 200)
  await system.reloadFrom(configFile(dir, sections({ enable: false })))
  assert.equal((await fetch(system.url + next)).status, 404)
  assert.equal(await addressOf(system.url), '')
})
