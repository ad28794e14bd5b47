import type { Sample } from './sample.ts'

export const CUSTOM: readonly Sample[] = [
  {
    name: 'Free form: service, logs, user',
    sender: 'custom',
    payload: { ServiceName: 'label-printer', Logs: 'no paper in tray 2\njob 5518 waits', UserID: 'U03EXAMPLE' },
  },
  {
    name: 'Free form: other words',
    sender: 'custom',
    payload: {
      title: 'Nightly backup failed',
      service: 'vault',
      severity: 'high',
      message: 'Upload stopped at 61 %',
      url: 'https://backup.example.net/runs/2214',
      attempt: 3,
      target: { bucket: 'backups-eu', bytes: 734_003_200 },
      hosts: ['vault-1', 'vault-2'],
    },
  },
  {
    name: 'Free form: resolved',
    sender: 'custom',
    payload: { title: 'Nightly backup failed', service: 'vault', severity: 'high', status: 'Resolved' },
  },
]
