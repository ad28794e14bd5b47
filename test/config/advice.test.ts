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
