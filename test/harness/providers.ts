import type { TestContext } from 'node:test'
import { startProvider } from '../../src/simulator/index.ts'
import { FAST } from './config-file.ts'

/** Starts stand-ins for the providers of two channels; `alert` is the section of a configuration that sends to them. */
export async function twoChannels(t: TestContext) {
  const chat = await startProvider('chatws')
  const flow = await startProvider('officechat')
  t.after(() => Promise.all([chat.close(), flow.close()]))
  const alert = {
    chatws: { enable: true, token: 'xoxb-test', channel_id: 'C1', api_url: chat.url, ...FAST },
    officechat: { enable: true, flow_url: `${flow.url}/flow?sig=test`, ...FAST },
  }
  return { chat, flow, alert }
}
