import { testFolders } from './folders.ts'

await testFolders('kernel')
