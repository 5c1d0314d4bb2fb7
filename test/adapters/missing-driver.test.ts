import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { compiled } from '../support/compiled.js'

const run = promisify(execFile)

const module = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`

/** Starts an application that needs a package, in a process where one is not installed. */
async function start(needed: string, missing: string): Promise<string> {
  const hook = module(`export function resolve(name, context, next) {
    if (name !== ${JSON.stringify(missing)}) return next(name, context)
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  }`)
  const first = module(`import Module, { register } from 'node:module'
  register(${JSON.stringify(hook)})
  const { _resolveFilename } = Module
  Module._resolveFilename = (name, ...others) => {
    if (name !== ${JSON.stringify(`${missing}/package.json`)}) return _resolveFilename(name, ...others)
    throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' })
  }`)
  const program = await compiled('test/adapters/missing-driver-start.ts')
  const { stdout } = await run(process.execPath, ['--import', first, program, needed])
  return stdout
}

describe('a package that is not installed', () => {
  for (const name of ['pg', 'mysql2', 'libsql', 'kysely', 'redis', 'nodemailer', '@simplewebauthn/server']) {
    it(`stops the start, and is named with the command that installs it: ${name}`, async () => {
      expect(await start(name, name)).to.match(new RegExp(`is not installed: npm install ${name}`))
    })
  }

  it('stops nothing where nobody needs it', async () => {
    expect(await start('pg', 'mysql2')).to.equal('it starts\n')
  })
})
