import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readEnv } from '../../lib/config/env.js'
import { latchkey, latchkeyProcess } from '../support/command-line.js'
import { requirePrograms } from '../support/skip-suite.js'
import { openTestApp } from '../support/test-app.js'

describe('latchkey secret', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-secret-'))
    file = join(folder, '.env')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const variables = (): Record<string, string> =>
    JSON.parse(
      execFileSync(process.execPath, [`--env-file=${file}`, '-p', 'JSON.stringify(process.env)'], {
        encoding: 'utf8',
        env: {},
      }),
    )

  it('writes a secret that Node reads with --env-file, and that production accepts', async () => {
    const { code, output } = await latchkey(['secret', '--file', file])
    expect([code, output]).to.deep.equal([0, `Wrote AUTH_SECRET to ${file}.\n`])
    const env = readEnv({ ...variables(), NODE_ENV: 'production' })
    expect(() => openTestApp({ secret: env.secrets as string[] }, { env: { NODE_ENV: 'production' } })).to.not.throw()
    expect(Buffer.from(env.secrets[0] ?? '', 'base64url')).to.have.length(33)
  })

  it('makes another one each time, and never prints the one that it writes', async () => {
    const { output } = await latchkey(['secret', '--file', file])
    const { AUTH_SECRET } = variables()
    expect(output).to.not.include(AUTH_SECRET)
    const printed = (await latchkey(['secret', '--print'])).output.trim().split('=')
    expect(printed[0]).to.equal('AUTH_SECRET')
    expect(printed[1])
      .to.match(/^[\w-]{44}$/)
      .and.not.equal(AUTH_SECRET)
  })

  it('lets nobody else read a file that it makes', async () => {
    await latchkey(['secret', '--file', file])
    expect(statSync(file).mode & 0o777).to.equal(0o600)
  })

  it('leaves everything else in the file as it is, also without a line break at the end', async () => {
    const before = '# the port\nPORT=3000\n\nNAME="a b"'
    writeFileSync(file, before)
    await latchkey(['secret', '--file', file])
    expect(readFileSync(file, 'utf8')).to.match(/^# the port\nPORT=3000\n\nNAME="a b"\nAUTH_SECRET=[\w-]{44}\n$/)
    expect(variables()).to.include({ PORT: '3000', NAME: 'a b' })
  })

  it('replaces no secret: everybody would be signed out', async () => {
    writeFileSync(file, 'AUTH_SECRET=the-old-one\n')
    const { code, complaint } = await latchkey(['secret', '--file', file])
    expect(code).to.equal(1)
    expect(complaint)
      .to.match(/has AUTH_SECRET already.*--rotate/)
      .and.not.include('the-old-one')
    expect(readFileSync(file, 'utf8')).to.equal('AUTH_SECRET=the-old-one\n')
  })

  it('fills in an empty variable', async () => {
    writeFileSync(file, 'AUTH_SECRET=\n')
    expect((await latchkey(['secret', '--file', file])).code).to.equal(0)
    expect(variables()['AUTH_SECRET']).to.match(/^[\w-]{44}$/)
  })

  it('adds a secret with --rotate, which encrypts from then on, and keeps the others', async () => {
    await latchkey(['secret', '--file', file])
    const { AUTH_SECRET: old } = variables()
    expect((await latchkey(['secret', '--file', file, '--rotate'])).output).to.include('Wrote AUTH_SECRET_1')
    const { secrets } = readEnv(variables())
    expect(secrets).to.have.length(2)
    expect(secrets[1]).to.equal(old)
  })

  it('says so if there are as many secrets as Latchkey reads', async () => {
    for (let each = 0; each < 4; each += 1) await latchkey(['secret', '--file', file, '--rotate'])
    const before = readFileSync(file, 'utf8')
    const { code, complaint } = await latchkey(['secret', '--file', file, '--rotate'])
    expect([code, readFileSync(file, 'utf8')]).to.deep.equal([1, before])
    expect(complaint).to.include('has 4 secrets already')
  })

  it('warns if git would keep the file, and not if git ignores it', async function () {
    requirePrograms(this, 'git')
    execFileSync('git', ['init', '-q', folder])
    expect((await latchkey(['secret', '--file', file])).complaint).to.include('not ignored by git')
    writeFileSync(join(folder, '.gitignore'), '.env\n')
    expect((await latchkey(['secret', '--file', file, '--rotate'])).complaint).to.equal('')
  })

  it('refuses a command line that makes no sense, and writes nothing', async () => {
    for (const words of [['--fiel', file], ['extra'], ['--file', '']]) {
      const { code, complaint } = await latchkey(['secret', ...words])
      expect(code, words.join(' ')).to.equal(2)
      expect(complaint).to.include('Usage: latchkey secret')
    }
    expect(existsSync(file)).to.equal(false)
  })

  it('says why, if the file cannot be written', async () => {
    const { code, complaint } = await latchkeyProcess(['secret', '--file', join(folder, 'no', '.env')])
    expect(code).to.equal(1)
    expect(complaint).to.include('ENOENT')
  })
})

describe('a command that does not exist', () => {
  it('is told the nearest', async () => {
    const { code, complaint } = await latchkey(['migrat'])
    expect([code, complaint.split('\n')[0]]).to.deep.equal([2, 'There is no command "migrat". Did you mean "migrate"?'])
  })
})
