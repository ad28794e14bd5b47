import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EffectiveConfig } from '../../../src/api/config.ts'
import { startProvider } from '../../../src/simulator/index.ts'
import { configFile, FAST, folder } from '../../harness/config-file.ts'
import { startHttpProxy, startSocksProxy } from '../../harness/net/proxies.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { UNTRUSTED } from '../../harness/stand-ins/certificate.ts'
import { startTestSystem } from '../../harness/system.ts'

test('each channel sends through its own proxy, and one that verifies no certificate is named', async (t) => {
  const [chat, flow, lark] = await Promise.all([
    startProvider('chatws', { tls: UNTRUSTED }),
    startProvider('officechat'),
    startProvider('workchat'),
  ])
  t.after(() => Promise.all([chat.close(), flow.close(), lark.close()]))
  const socks = await startSocksProxy(t, { to: chat.port, login: 'bell:socks-hush' })
  const http = await startHttpProxy(t, { to: flow.port, login: 'bell:http-hush' })
  const login = (password: string) => ({ username: 'bell', password })
  const alert = {
    chatws: {
      ...{ enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: 'https://chat.invalid', ...FAST },
      proxy: { url: `socks5://127.0.0.1:${socks.port}`, ...login('socks-hush') },
      insecure_skip_verify: true,
    },
    officechat: {
      ...{ enable: true, flow_url: 'http://flow.invalid/flow?sig=test', ...FAST },
      proxy: { url: `http://127.0.0.1:${http.port}`, ...login('http-hush') },
    },
    workchat: { enable: true, token: 'lark-test', api_url: lark.url, ...FAST },
  }
  const { url } = await startTestSystem(t, configFile(folder(), { alert }))
  await post(url, { title: 'Checkout is slow' })
  for (const provider of [chat, flow, lark]) await provider.waitFor(({ body }) => body.includes('Checkout is slow'))
  assert.deepEqual([socks.tunnels, http.tunnels], [['chat.invalid:443'], ['flow.invalid:80']])
  const shown = await admin<EffectiveConfig>(url, '/api/admin/config')
  assert.match(shown.warnings.join('\n'), /alert.chatws.insecure_skip_verify: is true/)
  assert.doesNotMatch(JSON.stringify(shown), /hush/)
})
