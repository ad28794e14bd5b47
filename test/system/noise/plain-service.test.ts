import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { requestsOfPlainService } from './plain-service.ts'

test('without options about noise, providers receive what they received before there were any', async (t) => {
  // Recorded with the last commit before routes, storms, silences, fallbacks, problems and heartbeats.
  const recorded = readFileSync(new URL('./fixtures/plain-service.txt', import.meta.url), 'utf8')
  assert.equal(await requestsOfPlainService(t), recorded)
})

test('with `noise.repeats.mode: each` they receive the same', async (t) => {
  const recorded = readFileSync(new URL('./fixtures/plain-service.txt', import.meta.url), 'utf8')
  assert.equal(await requestsOfPlainService(t, { noise: { repeats: { mode: 'each', remind: '1h' } } }), recorded)
})

test('with `noise.flapping.enable: false` they receive the same', async (t) => {
  const recorded = readFileSync(new URL('./fixtures/plain-service.txt', import.meta.url), 'utf8')
  assert.equal(await requestsOfPlainService(t, { noise: { flapping: { enable: false } } }), recorded)
})
