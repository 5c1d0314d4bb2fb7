import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'

const run = promisify(execFile)
const lib = (path: string) => JSON.stringify(new URL(`../../lib/${path}`, import.meta.url).href)

/** What an application does at its start, by the package that it needs. */
const STARTS: Readonly<Record<string, string>> = {
  pg: `sqlAdapter({ url: 'postgres://127.0.0.1:1/x' })`,
  mysql2: `sqlAdapter({ url: 'mysql://127.0.0.1:1/x' })`,
  libsql: `sqlAdapter({ sqlite: ':memory:' })`,
  kysely: `sqlAdapter({ url: 'postgres://127.0.0.1:1/x' })`,
  redis: `redisAdapter({ url: 'redis://127.0.0.1:1' })`,
  nodemailer: `expressAuth({ ...config, providers: [Nodemailer({ server: 'smtp://x.example', from: 'a@b.example' })] })`,
  '@simplewebauthn/server': `expressAuth({ ...config, providers: [Passkey()] })`,
}

/** Runs a start in a process where a package is not installed. */
async function start(statement: string, missing: string): Promise<string> {
  const hook = `export function resolve(name, context, next) {
    if (name !== ${JSON.stringify(missing)}) return next(name, context)
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  }`
  const program = `
    import { register } from 'node:module'
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)})
    const { expressAuth } = await import(${lib('index.ts')})
    const { sqlAdapter } = await import(${lib('adapters/sql.ts')})
    const { redisAdapter } = await import(${lib('adapters/redis.ts')})
    const { memoryAdapter } = await import(${lib('adapters/memory.ts')})
    const { default: Nodemailer } = await import(${lib('providers/mail/nodemailer.ts')})
    const { default: Passkey } = await import(${lib('providers/passkey.ts')})
    const config = { secret: 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH', url: 'http://localhost:3000', adapter: memoryAdapter() }
    try {
      ${statement}
      console.log('it starts')
    } catch (error) {
      console.log(error.message)
    }`
  const { stdout } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program])
  return stdout
}

describe('a package that is not installed', () => {
  for (const [name, statement] of Object.entries(STARTS)) {
    it(`stops the start, and is named with the command that installs it: ${name}`, async () => {
      expect(await start(statement, name)).to.match(new RegExp(`is not installed: npm install ${name}`))
    })
  }

  it('stops nothing where nobody needs it', async () => {
    expect(await start(STARTS['pg'] ?? '', 'mysql2')).to.equal('it starts\n')
  })
})
