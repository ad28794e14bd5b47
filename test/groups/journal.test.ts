import { testFolders } from './folders.ts'

await testFolders('journal', 'validate')
