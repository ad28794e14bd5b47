import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frontSettings } from '../../../actors/main/front-settings.ts'
import { ackKeyOf } from '../../../actors/send/ack-key.ts'
import { pageLinksOf } from '../../../actors/send/pager-cell.ts'
import { bootOf, type SendBoot, sameStoreBoot, storeBoot } from '../../../actors/wiring/boot.ts'
import { storeOptions } from '../../../actors/wiring/store-options.ts'
import { targetsOf } from '../../../src/channels/index.ts'
import { load } from '../../config/setup.ts'
import { folder } from '../../harness/config-file.ts'

const CHANNELS = `
alert:
  chatws: { enable: true, token: t, channel_id: C0, other_channel_ids: { room: C1 } }
  ntfy: { enable: true, topic: all }
people:
  ada: { ways: [{ chatws: U0ADA00001 }, { ntfy: adas-topic, after: 1m }, { gateway: phone, to: "441", after: 2m }] }
`
const PROVIDER = 'provider: pagerduty, pagerduty: { routing_key: main, other_routing_keys: { boss: boss } }'
const GATEWAY = 'gateways: { phone: { url: "https://calls.example.com", secret: long-secret } }'
const ESCALATION = 'escalation: office, escalations: { office: { steps: [{ after: 1m, notify: [person:ada] }] } }'

const settingsOf = (...oncall: string[]) => load(`${CHANNELS}oncall: { ${oncall.join(', ')} }`).config
const running = (...oncall: string[]) => ({ settings: settingsOf(...oncall), secrets: [] })
const sendOf = (...oncall: string[]) => bootOf('send', running(...oncall)) as SendBoot
const clock = { now: () => 0, elapsed: () => 0 }

test('without escalations no thread gets rules, people or gateways, whatever else of them is configured', async () => {
  const [plain, other] = [running('enable: true', PROVIDER), running('enable: true', PROVIDER, GATEWAY)]
  assert.equal(sameStoreBoot(plain, other), true)
  for (const config of [plain, other]) {
    assert.equal('escalations' in storeBoot(config), false)
    assert.equal('escalate' in storeBoot(config).policy, false)
    assert.equal('escalations' in (await storeOptions(storeBoot(config), clock)), false)
    assert.equal('escalations' in bootOf('send', config), false)
  }
  assert.deepEqual(sendOf('enable: true', PROVIDER, GATEWAY).channels, sendOf('enable: true', PROVIDER).channels)
})

test('the store gets the rules, and a change of them restarts it', async () => {
  const config = running('enable: true', GATEWAY, ESCALATION)
  assert.equal((await storeOptions(storeBoot(config), clock)).escalations, config.settings.oncallRules)
  assert.deepEqual(storeBoot(config).policy.escalate, {
    enable: true,
    escalation: 'office',
    waits: new Map([['office', 60_000]]),
  })
  assert.equal(storeBoot(config).oncall, undefined)
  assert.equal(sameStoreBoot(config, running('enable: true', GATEWAY, ESCALATION.replace('1m', '2m'))), false)
})

test('senders reach people by destinations that no request can choose', () => {
  const config = running('enable: true', GATEWAY, ESCALATION)
  const others = sendOf('enable: true', GATEWAY, ESCALATION).channels.map(({ name, options }) => [
    name,
    [...(options as { others: ReadonlyMap<string, string> }).others],
  ])
  assert.deepEqual(others, [
    [
      'chatws',
      [
        ['room', 'C1'],
        ['person:ada:1', 'U0ADA00001'],
      ],
    ],
    ['ntfy', [['person:ada:2', 'adas-topic']]],
  ])
  assert.deepEqual(targetsOf(config.settings.alert.channels.chatws)?.names, ['room'])
  const { targets, pager } = frontSettings(config.settings).parameters
  assert.doesNotMatch(JSON.stringify(targets), /person|U0ADA|adas/)
  assert.equal(pager, 'escalations')
  const { escalations } = sendOf('enable: true', GATEWAY, ESCALATION)
  assert.equal(escalations?.gateways.get('phone')?.secret, 'long-secret')
  assert.equal(escalations.people.get('ada')?.name, 'ada')
})

test('messages carry links to acknowledge without a provider', async () => {
  assert.equal(sendOf('enable: true', GATEWAY, ESCALATION).acknowledgeLinks, true)
  assert.equal(sendOf('enable: false', PROVIDER).acknowledgeLinks, false)
  const boot = { ...sendOf('enable: true', GATEWAY, ESCALATION), publicHost: 'https://x.example', dataDir: folder() }
  const links = pageLinksOf(boot, await ackKeyOf(boot))
  const incident = { id: '01930000-0000-7000-8000-000000000001', createdAt: 0, status: 'firing', problem: 1 } as const
  assert.match(links.ack(incident) ?? '', /^https:\/\/x\.example\/api\/ack\//)
})

test('the key of a person is another destination of the chosen provider, for its sender alone', () => {
  const ways = `people: { ben: { ways: [{ provider: pagerduty, routing_key: bens }] } }
oncall: { enable: true, ${PROVIDER}, ${ESCALATION.replace('person:ada', 'person:ben')} }`
  const { config: settings } = load(ways)
  const { oncall } = bootOf('send', { settings, secrets: [] }) as SendBoot
  assert.deepEqual(
    [...(oncall?.pagerduty.otherRoutingKeys ?? [])],
    [
      ['boss', 'boss'],
      ['person:ben:1', 'bens'],
    ],
  )
  assert.deepEqual([...settings.oncall.pagerduty.otherRoutingKeys.keys()], ['boss'])
  assert.deepEqual(frontSettings(settings).parameters.targets.pagerduty?.names, ['boss'])
})
