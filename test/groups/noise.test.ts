import { testFolders } from './folders.ts'

await testFolders('store/noise')
