import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** Environment of a service whose threads write the address of each module that they load to the file, one a line. */
export const recordingLoads = (file: string) => ({
  NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${import.meta.url}`,
  TOCSIN_TEST_LOADED: file,
})

const { TOCSIN_TEST_LOADED: file } = process.env
if (file !== undefined)
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      appendFileSync(file, `${found.url}\n`)
      return found
    },
  })
