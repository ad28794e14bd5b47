import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { configFile, folder } from '../harness/config-file.ts'
import { SECRET } from '../harness/net/requests.ts'
import { startTestSystem } from '../harness/system.ts'

export const HOUR = 3_600_000

export interface Alert {
  readonly labels: { readonly alertname: string }
  readonly fingerprint: string
  readonly status: { readonly state: string; readonly silencedBy: string[]; readonly inhibitedBy: string[] }
}

export interface Group {
  readonly labels: object
  readonly receiver: { readonly name: string }
  readonly alerts: readonly Alert[]
}

export interface Silence {
  readonly id: string
  readonly status: { readonly state: string }
  readonly matchers: readonly object[]
  readonly startsAt: string
  readonly endsAt: string
  readonly annotations?: object
}

/** Starts a system with the door. */
export async function start(t: TestContext, more: object = {}) {
  const system = await startTestSystem(t, configFile(folder(), { alert: { console: { enable: true } }, ...more }))
  const send = (method: string, path: string, json?: unknown, authorization = `Bearer ${SECRET}`) =>
    fetch(system.url + path, {
      method,
      headers: {
        ...(authorization && { authorization }),
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
  const get = async <T>(path: string): Promise<T> => {
    const response = await send('GET', path)
    assert.equal(response.status, 200, path)
    return (await response.json()) as T
  }
  const fire = async (...alerts: readonly object[]) => {
    const endsAt = new Date(Date.now() + HOUR).toISOString()
    const answer = await send(
      'POST',
      '/api/v2/alerts',
      alerts.map((labels) => ({ labels, endsAt })),
    )
    assert.equal(answer.status, 200)
  }
  return { system, send, get, fire }
}

/** Returns a silence as clients post it. */
export const silence = (change: object = {}) => ({
  matchers: [{ name: 'alertname', value: 'A', isRegex: false, isEqual: true }],
  startsAt: new Date().toISOString(),
  endsAt: new Date(Date.now() + HOUR).toISOString(),
  createdBy: 'anna',
  comment: 'disks',
  ...change,
})
