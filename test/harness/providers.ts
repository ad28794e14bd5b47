import type { TestContext } from 'node:test'
import { type Provider, startProvider } from '../../src/simulator/index.ts'
import { FAST } from './config-file.ts'

/** Starts a stand-in for a provider; it is closed when the test ends. */
export async function startStandIn(t: TestContext, ...how: Parameters<typeof startProvider>): Promise<Provider> {
  const provider = await startProvider(...how)
  t.after(() => provider.close())
  return provider
}

/** Starts stand-ins for the providers of two channels; `alert` is the section of a configuration that sends to them. */
export async function twoChannels(t: TestContext) {
  const chat = await startStandIn(t, 'chatws')
  const flow = await startStandIn(t, 'officechat')
  const alert = {
    chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, ...FAST },
    officechat: { enable: true, flow_url: `${flow.url}/flow?sig=test`, ...FAST },
  }
  return { chat, flow, alert }
}
