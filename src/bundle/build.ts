import { join } from 'node:path'
import { bundleService, ROOT } from './bundle.ts'

/** `npm run build:service`: bundles the service, so that it starts without stripping types from its sources. */
const folder = join(ROOT, 'dist/service')
const { files, bytes } = await bundleService(folder)
console.log(`${folder}: ${files} files, ${Math.ceil(bytes / 1000)} kB`)
