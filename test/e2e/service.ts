import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { startSystem } from '../../actors/system.ts'
import { loadConfig, reportOf } from '../../src/config/load.ts'
import { secretValues } from '../../src/config/secrets.ts'
import { SAMPLES } from '../../src/render/samples/samples.ts'
import { startProvider } from '../../src/simulator/index.ts'
import { configFile, FAST } from '../harness/config-file.ts'
import { post, SECRET } from '../harness/net/requests.ts'
import { memoryLog } from '../harness/system.ts'

/**
 * Starts the whole service with two channels and a watched log, for all tests of a file. Call it outside of tests.
 * @param sections more sections of the configuration
 * @param pace of the channel chatws
 */
export async function startService(sections: { readonly [name: string]: unknown } = {}, pace: object = FAST) {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-e2e-'))
  const logs = join(dir, 'app.log')
  writeFileSync(logs, '')
  const chat = await startProvider('chatws')
  const flow = await startProvider('officechat')
  const file = configFile(dir, {
    ...sections,
    alert: {
      chatws: {
        enable: true,
        token: 'xoxb-test',
        channel_id: 'C1',
        other_channel_ids: { payments: 'C2' },
        api_url: chat.url,
        ...pace,
      },
      officechat: { enable: true, flow_url: `${flow.url}/flow?sig=test`, ...FAST },
    },
    agent: {
      enable: true,
      mode: 'detect',
      poll_interval: '500ms',
      new_service_grace: '0s',
      sources: [{ name: 'app', type: 'file', enable: true, file: { path: logs, from_beginning: true } }],
    },
  })
  const loaded = loadConfig({ file, env: {} })
  const secrets = secretValues(loaded.config)
  const system = await startSystem(loaded.config, {
    log: memoryLog(),
    secrets,
    shown: () => reportOf(loaded),
    propose: (sections) => loaded.propose(sections),
  })
  after(async () => {
    await system.stop()
    await Promise.all([chat.close(), flow.close()])
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  })
  const url = `http://127.0.0.1:${system.port}`
  return {
    url,
    chat,
    flow,
    /** Posts an incident and resolves with its id. */
    async raise(payload: object): Promise<string> {
      const answer = await post(url, payload)
      return answer.headers.get('x-incident-id') ?? ''
    },
    async raiseSamples(): Promise<void> {
      for (const { payload } of SAMPLES) await post(url, payload)
    },
    writeLog: (line: string) => appendFileSync(logs, `${line}\n`),
  }
}

/** Signs in and waits for the overview. */
export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Gateway secret').fill(SECRET)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

export { SECRET }
