import { testFolders } from './folders.ts'

await testFolders('tail', 'analysis', 'simulator')
