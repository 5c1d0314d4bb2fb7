import { execFile } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { startProxy } from '../../chaos/harness/proxy.js'

const run = promisify(execFile)
const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const chaos = (...words: string[]) =>
  run(process.execPath, ['--import', 'tsx', fromRoot('chaos/run.ts'), ...words], { timeout: 60_000 }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
  )

describe('npm run chaos', () => {
  it('tries an application in a process of its own, and says what holds', async function () {
    this.timeout(120_000)
    const { code, output } = await chaos('--only', 'provider-down', '--source')
    expect(output)
      .to.match(/^ {2}holds {2}documents give 503: sign-ins that work: 20 of 20/m)
      .and.match(/\d+ of \d+ hold\./)
    expect(code, output).to.equal(0)
  })
})

describe('a proxy before a store', () => {
  it('keeps a connection open without an answer if a test says so, and closes those of a silence', async () => {
    const server = createServer((socket) => socket.pipe(socket).on('error', () => undefined))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const proxy = await startProxy(typeof address === 'object' && address ? address.port : 0)
    try {
      const ask = (text: string) => echoed(proxy.port, text)
      expect(await ask('one')).to.equal('one')
      proxy.holdAt = /account/
      expect(await ask('an account')).to.equal(null)
      expect(await ask('a user')).to.equal('a user')
      proxy.swallow()
      expect(await ask('two')).to.equal(null)
      proxy.forward()
      expect(await ask('three')).to.equal('three')
    } finally {
      await proxy.close()
      server.close()
    }
  })
})

/** What came back within a moment; null for nothing. */
function echoed(port: number, text: string): Promise<string | null> {
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  socket.on('error', () => undefined)
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), 200)
    socket.once('data', (piece) => {
      clearTimeout(timer)
      resolve(piece.toString())
      socket.destroy()
    })
  })
}
