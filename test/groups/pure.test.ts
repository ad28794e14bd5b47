import { testFolders } from './folders.ts'

await testFolders('async', 'config', 'deploy', 'domain', 'files', 'intake', 'mining', 'policy', 'telemetry', 'text')
