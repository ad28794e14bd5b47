import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redacted, secretValues } from '../../src/config/secrets.ts'
import { issueOf, load } from './setup.ts'

const networkOf = (yaml: string, env = {}) => load(yaml, { env }).config.alert.channels.msgapp.network

test('a channel has its own proxy, with a login from variables that may hold any character', () => {
  assert.deepEqual(networkOf(''), { proxy: '', insecureSkipVerify: false })
  const yaml = `alert: {msgapp: {proxy: {url: "socks5h://proxy.example", username: bell, password: "$\{PROXY_PASSWORD}"}}}`
  const { proxy } = networkOf(yaml, { PROXY_PASSWORD: 'p@ss:w/rd %é' })
  const url = new URL(proxy)
  assert.deepEqual([url.protocol, url.host, url.username], ['socks5:', 'proxy.example:1080', 'bell'])
  assert.equal(decodeURIComponent(url.password), 'p@ss:w/rd %é')
  assert.equal(networkOf('', { MSGAPP_PROXY_URL: 'http://a:b@proxy/' }).proxy, 'http://a:b@proxy:80')
  assert.equal(networkOf('alert: {msgapp: {proxy: {url: "https://[::1]:8443"}}}').proxy, 'https://[::1]:8443')
})

test('an address that is no proxy is refused', () => {
  for (const url of ['proxy:3128', 'ftp://proxy', 'socks4://proxy', 'http://proxy/path', 'http://', 'http://proxy:0'])
    assert.match(
      issueOf(`alert: {msgapp: {enable: true, token: t, channel_id: c, proxy: {url: "${url}"}}}`),
      /^config.yaml:1: alert.msgapp.proxy.url: must be an address without a path/,
      url,
    )
  const text = 'alert: {msgapp: {enable: true, token: t, channel_id: c, proxy: "http://proxy:3128"}}'
  assert.match(issueOf(text), /alert.msgapp.proxy: must be a map/)
})

test('no output shows the login of a proxy', () => {
  const yaml = `alert:
  chatws: {proxy: {url: "http://proxy:3128", username: bell, password: first-hush}}
  msgapp: {proxy: {url: "socks5://bell:second-hush@proxy"}}`
  const { config } = load(yaml)
  assert.doesNotMatch(JSON.stringify(redacted(config)), /hush/)
  for (const secret of ['first-hush', 'second-hush']) assert.ok(secretValues(config).includes(secret), secret)
})

test('every load warns about an enabled channel that verifies no certificate', () => {
  const yaml = (enable: boolean) =>
    `alert:\n  chatws: {enable: ${enable}, token: t, channel_id: c, insecure_skip_verify: true}`
  const [warning = '', ...others] = load(yaml(true)).warnings
  assert.match(
    warning,
    /^config.yaml:2: alert.chatws.insecure_skip_verify: is true, so any machine on the way can read/,
  )
  assert.deepEqual(others, [])
  assert.deepEqual(load(yaml(false)).warnings, [])
})

test('a login without a proxy, and a proxy for the channel that only prints, are warned about', () => {
  const { warnings } = load('alert: {chatws: {proxy: {username: bell}}, console: {proxy: {url: "http://proxy"}}}')
  assert.deepEqual(warnings, [
    'config.yaml:1: alert.chatws.proxy: has no effect without proxy.url',
    'config.yaml:1: alert.console.proxy: has no effect: this channel only prints',
  ])
})
