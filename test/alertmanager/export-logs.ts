import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * Exports log records with an exporter of OpenTelemetry, once a line came on stdin, and prints the error of each export
 * that failed. Arguments: folder of the packages, name of the exporter, address, token, compression, number of records.
 */
const [dir = '', name = '', url, token, compression, count] = process.argv.slice(2)
const load = createRequire(join(dir, 'package.json'))
const { BatchLogRecordProcessor, LoggerProvider } = load('@opentelemetry/sdk-logs')
const { resourceFromAttributes } = load('@opentelemetry/resources')
const { OTLPLogExporter } = load(name)

type Done = (result: { readonly error?: Error }) => void

const exporter = new OTLPLogExporter({ url, compression, headers: { Authorization: `Bearer ${token}` } })
const exported = exporter.export.bind(exporter)
exporter.export = (records: unknown, done: Done) => {
  const show: Done = (result) => {
    if (result.error) console.log(String(result.error))
    done(result)
  }
  exported(records, show)
}
const processor = new BatchLogRecordProcessor({ exporter, maxQueueSize: 100_000 })
const provider = new LoggerProvider({
  resource: resourceFromAttributes({ 'service.name': 'ledger' }),
  processors: [processor],
})
const logger = provider.getLogger('test')
await new Promise((resolve) => process.stdin.once('data', resolve))
for (let at = 0; at < Number(count); at++)
  logger.emit({
    severityNumber: 17,
    severityText: 'ERROR',
    body: `payment ${at} was not captured by ${name}`,
    attributes: { 'exception.type': 'TimeoutError' },
  })
await provider.shutdown()
process.exit(0)
