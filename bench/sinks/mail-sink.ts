import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** Accepts every mail and calls `onMail` for each; resolves with the port. */
export function startMailSink(onMail: () => void): Promise<number> {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onData(stream, _session, done) {
      stream.resume().once('end', () => {
        onMail()
        done()
      })
    },
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.server.address() as AddressInfo).port))
  })
}
