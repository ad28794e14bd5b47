import { testFolders } from './folders.ts'

await testFolders('render/!(pool)')
