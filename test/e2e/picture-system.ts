import { startSystem } from '../../actors/system.ts'
import { loadConfig, reportOf } from '../../src/config/load.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { memoryLog } from '../harness/system.ts'

/** Starts a service with these sections of a configuration, for pictures of it. */
export async function pictureSystem(sections: Parameters<typeof configFile>[1]) {
  const loaded = loadConfig({ file: configFile(folder(), sections), env: {} })
  const { port, stop } = await startSystem(loaded.config, {
    log: memoryLog(),
    secrets: [],
    shown: () => reportOf(loaded),
    propose: (proposed) => loaded.propose(proposed),
  })
  return { url: `http://127.0.0.1:${port}`, stop }
}
