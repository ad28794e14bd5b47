import { Agent, request } from 'undici'

/** The bare twin of a sender: so many POSTs of a body of so many bytes to each address, so many under way at once. Prints how many a second. */
const [addresses = '', count = '0', bytes = '0', concurrency = '1'] = process.argv.slice(2)

const dispatcher = new Agent()
const headers = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'tocsin' }
const body = JSON.stringify({ message: 'x'.repeat(Math.max(0, Number(bytes) - 14)) })

async function loop(url: string): Promise<void> {
  let left = Number(count)
  const line = async () => {
    while (left-- > 0) {
      const answer = await request(url, { method: 'POST', headers, body, dispatcher })
      await answer.body.text()
    }
  }
  await Promise.all(Array.from({ length: Number(concurrency) }, line))
}

const began = performance.now()
await Promise.all(addresses.split(',').map(loop))
const seconds = (performance.now() - began) / 1_000
console.log(JSON.stringify({ perSecond: (Number(count) * addresses.split(',').length) / seconds }))
await dispatcher.close()
