import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { requestsOfPlainService } from './plain-service.ts'

// Recorded with the last commit before routes, storms, silences, fallbacks, problems and heartbeats. Since then follow-ups by
// mail have got a Message-ID of their own each, and a problem has one page, so its end is one request to the provider.
const recorded = readFileSync(new URL('./fixtures/plain-service.txt', import.meta.url), 'utf8').split('\n')

test('without options about noise, providers receive what they received before there were any', async (t) => {
  const received = (await requestsOfPlainService(t)).split('\n')
  const differs = recorded.findIndex((line, nth) => line !== received[nth])
  assert.equal(received[differs], recorded[differs])
  assert.equal(received.length, recorded.length)
})
