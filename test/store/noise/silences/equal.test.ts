import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '../../../../src/domain/incident.ts'
import { recognise } from '../../../../src/intake/recognise.ts'
import { START } from '../../support.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from './rig.ts'

const DAY = 24 * HOUR
const label = (name: string, value: string) => ({ field: `labels.${name}`, values: [value], where: '' })
/** Holds warnings of a host while a critical problem of the same host and job fires. */
const SAME_HOST = silenceOf({
  conditions: [label('severity', 'warning')],
  while: [label('severity', 'critical')],
  equal: ['host', 'job'],
  startsAt: 0,
  endsAt: START + 300 * DAY,
})
const CAUSED = { limit: 10 }

type Labels = Readonly<Record<string, string>>

/** An alert as the door of Alertmanager writes it. */
function alertOf(
  labels: Labels,
  status: 'firing' | 'resolved' = 'firing',
  alerts: readonly Labels[] = [labels],
): Partial<Draft> {
  const payload = {
    version: '4',
    status,
    groupLabels: {},
    commonLabels: alerts.length > 1 ? {} : labels,
    commonAnnotations: {},
    alerts: alerts.map((each) => ({ labels: each, annotations: {}, status })),
  }
  const content = Buffer.from(JSON.stringify(payload))
  const fingerprint = Object.values(labels).join(' ')
  return {
    ...recognise(payload),
    fingerprint,
    title: status === 'firing' ? fingerprint : `${fingerprint} over`,
    content,
  }
}

class EqualRig extends SilenceRig {
  fire = (labels: Labels, alerts?: readonly Labels[]) => this.alert(labels, 'firing', alerts)
  end = (labels: Labels) => this.alert(labels, 'resolved')
  alert(labels: Labels, status: 'firing' | 'resolved', alerts?: readonly Labels[]): string {
    const id = this.incident(Object.values(labels).join(' '), alertOf(labels, status, alerts))
    this.deliver()
    return id
  }
  get template() {
    const [found] = this.store.silences.list(CAUSED).silences
    assert.ok(found !== undefined)
    return found
  }
  words(): string[] {
    return this.takeTold().map((each) => each.replace('chatws: ', ''))
  }
}

test('a cause holds what has its values of the labels, and nothing else; absent equals absent', (t) => {
  const rig = new EqualRig(t, [SAME_HOST])
  rig.fire({ severity: 'critical', host: 'a', job: 'db' })
  rig.fire({ severity: 'warning', host: 'a', job: 'db' })
  rig.fire({ severity: 'warning', host: 'a' })
  rig.fire({ severity: 'warning', host: 'b', job: 'db' })
  assert.deepEqual(rig.words(), ['critical a db', 'warning a', 'warning b db'])
  rig.fire({ severity: 'critical', host: 'c' })
  rig.fire({ severity: 'warning', host: 'c', n: '2' })
  assert.deepEqual(rig.words(), ['critical c'])
  assert.deepEqual([rig.template.state, rig.template.children, rig.template.held?.alerts], ['active', 2, 2])
})

test('a child ends with its causes and tells what still fires, without an account', (t) => {
  const rig = new EqualRig(t, [SAME_HOST])
  rig.fire({ severity: 'critical', host: 'a', n: '1' })
  rig.fire({ severity: 'critical', host: 'a', n: '2' })
  rig.fire({ severity: 'critical', host: 'b' })
  rig.fire({ severity: 'warning', host: 'a', n: '3' })
  rig.fire({ severity: 'warning', host: 'a', n: '4' })
  rig.fire({ severity: 'warning', host: 'b' })
  rig.takeTold()
  rig.end({ severity: 'warning', host: 'a', n: '4' })
  rig.end({ severity: 'critical', host: 'a', n: '1' })
  assert.deepEqual([rig.words(), rig.template.children], [['critical a 1 over'], 2])
  rig.end({ severity: 'critical', host: 'a', n: '2' })
  assert.deepEqual([rig.words().toSorted(), rig.template.children], [['critical a 2 over', 'warning a 3'], 1])
  rig.at(30 * MINUTE)
  assert.deepEqual(rig.words(), [])
  assert.equal(rig.template.held_total, 4)
})

test('a restart finds the same children, and their causes', (t) => {
  const rig = new EqualRig(t, [SAME_HOST])
  rig.fire({ severity: 'critical', host: 'a' })
  rig.fire({ severity: 'critical', host: 'b' })
  rig.fire({ severity: 'warning', host: 'a' })
  rig.takeTold()
  rig.reopen()
  rig.deliver()
  assert.deepEqual([rig.words(), rig.template.children], [[], 2])
  rig.fire({ severity: 'warning', host: 'b' })
  assert.deepEqual(rig.words(), [])
  rig.end({ severity: 'critical', host: 'a' })
  assert.deepEqual([rig.words().toSorted(), rig.template.children], [['critical a over', 'warning a'], 1])
})

test('causes that fired before the silence count, and end with the silence', (t) => {
  const rig = new EqualRig(t)
  rig.fire({ severity: 'critical', host: 'a' })
  rig.configure([SAME_HOST])
  rig.fire({ severity: 'warning', host: 'a' })
  assert.deepEqual([rig.words(), rig.template.children], [['critical a'], 1])
  rig.configure([])
  rig.deliver()
  assert.deepEqual([rig.words(), rig.store.silences.list({ ...CAUSED, state: 'active' }).silences], [['warning a'], []])
})

test('changed conditions go on holding in new children', (t) => {
  const rig = new EqualRig(t, [SAME_HOST])
  rig.fire({ severity: 'critical', host: 'a' })
  rig.fire({ severity: 'warning', host: 'a' })
  rig.takeTold()
  rig.configure([{ ...SAME_HOST, equal: ['host'] }])
  rig.deliver()
  assert.deepEqual([rig.words(), rig.template.children], [[], 1])
  rig.end({ severity: 'critical', host: 'a' })
  assert.deepEqual(rig.words().toSorted(), ['critical a over', 'warning a'])
})

test('a person, and quiet, end a cause of a child', (t) => {
  const rig = new EqualRig(t, [SAME_HOST])
  const core = rig.fire({ severity: 'critical', host: 'a' })
  rig.fire({ severity: 'warning', host: 'a' })
  rig.takeTold()
  rig.store.operator.resolve(core, 'Bea')
  rig.deliver()
  assert.deepEqual([rig.words(), rig.template.children], [['warning a'], 0])
})

test('a group causes for each of its firing alerts, and is held when all of them have the values of one child', (t) => {
  const rig = new EqualRig(t, [SAME_HOST])
  const of = (severity: string, ...hosts: string[]) => hosts.map((host) => ({ severity, host }))
  rig.fire({ group: 'critical' }, of('critical', 'a', 'b'))
  assert.equal(rig.template.children, 2)
  rig.takeTold()
  rig.fire({ group: 'one' }, [...of('warning', 'a'), { severity: 'warning', host: 'a', n: '2' }])
  rig.fire({ group: 'two' }, of('warning', 'a', 'b'))
  assert.deepEqual(rig.words(), ['two'])
  rig.fire({ group: 'critical' }, [...of('critical', 'b'), { severity: 'critical', host: 'b', n: '2' }])
  assert.deepEqual([rig.words().toSorted(), rig.template.children], [['critical', 'one'], 1])
})

test('values stand for themselves', (t) => {
  const rig = new EqualRig(t, [SAME_HOST])
  for (const host of ['db-*', '!a', '/x', '/.*/', '?', '"', '\\E.*', 'ä\n'.repeat(3)]) {
    rig.fire({ severity: 'critical', host })
    rig.fire({ severity: 'warning', host })
    assert.deepEqual(rig.words(), [`critical ${host}`], host)
  }
  rig.fire({ severity: 'warning', host: 'db-1' })
  assert.deepEqual(rig.words(), ['warning db-1'])
})

test('there are at most 1,000 children: what would need one more is told', (t) => {
  const rig = new EqualRig(t, [SAME_HOST])
  const hosts = Array.from({ length: 1_002 }, (_, nth) => ({ severity: 'critical', host: `h${nth}` }))
  rig.fire({ group: 'all' }, hosts.slice(0, 900))
  rig.fire({ group: 'more' }, hosts.slice(900))
  assert.deepEqual([rig.template.children, rig.store.silences.state().children], [1_000, 1_000])
  rig.takeTold()
  for (const nth of [0, 999, 1_000, 1_001]) rig.fire({ severity: 'warning', host: `h${nth}` })
  assert.deepEqual(rig.words(), ['warning h1000', 'warning h1001'])
  const [own] = rig.store.silences.list(CAUSED).silences
  assert.equal(own?.children, 1_000)
})

test('the preview counts what would have had the values of a cause', (t) => {
  const rig = new EqualRig(t)
  rig.fire({ severity: 'critical', host: 'a' })
  rig.fire({ severity: 'warning', host: 'a' })
  rig.fire({ severity: 'warning', host: 'b' })
  const { incidents, causes } = rig.store.silences.preview(SAME_HOST)
  assert.deepEqual([incidents, causes], [1, 1])
})
