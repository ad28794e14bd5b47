import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adviceOn } from '../../src/config/checks/advice.ts'
import { load } from './setup.ts'

const CHATWS = 'enable: true, token: t, channel_id: C0'
const adviceFor = (yaml: string) => adviceOn(load(yaml).config)

test('where digests are on, more incidents are suggested than a storm leaves of the default', () => {
  const [advice, ...others] = adviceFor(`alert: { chatws: { ${CHATWS} } }`)
  assert.match(
    advice ?? '',
    /^storage\.file\.max_incidents: keeps 1,000 .* chatws may send digests.*: consider 100,000$/,
  )
  assert.deepEqual(others, [])
})

test('nothing is suggested where enough are kept, and where there are no digests', () => {
  for (const yaml of [
    `alert: { chatws: { ${CHATWS} } }\nstorage: { file: { max_incidents: 100000 } }`,
    `alert: { chatws: { ${CHATWS} } }\nnoise: { storm: { enable: false } }`,
    `alert: { chatws: { ${CHATWS}, storm: { enable: false } } }`,
    'alert: { console: { enable: true } }',
  ])
    assert.deepEqual(adviceFor(yaml), [])
})

test('a flow that may be of the standard template is told of, until a format is chosen', () => {
  const flow = 'https://prod-01.westeurope.logic.azure.com:443/workflows/0a/triggers/manual/paths/invoke?sig=s'
  const advice = (keys: string) =>
    adviceFor(`alert: { officechat: { enable: true, flow_url: "${flow}", storm: { enable: false }, ${keys} } }`)
  assert.match(advice('')[0] ?? '', /^alert\.officechat\.format: auto .* set adaptive_card for it, or message/)
  for (const format of ['adaptive_card', 'message']) assert.deepEqual(advice(`format: ${format}`), [])
})
