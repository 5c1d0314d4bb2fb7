import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { sqlAdapter } from '../../../lib/adapters/sql.js'
import type { AuthConfig } from '../../../lib/index.js'
import GitHub from '../../../lib/providers/catalogue/github.js'
import { signInAs } from '../../../lib/testing/index.js'
import { postgres, type TestDatabase } from '../../adapters/sql/databases.js'
import { SECRET } from '../../support/app.js'
import { latchkeyProcess } from '../../support/command-line.js'
import { compile } from '../../support/compiled.js'
import { freePort } from '../../support/free-port.js'
import { textOf, useVariables, writeBlock } from './recipe.js'

const run = promisify(execFile)
const ADA = { name: 'Ada', email: 'ada@example.com' }
const URL_OF_APP = 'https://app.example'

/** The instructions of the Dockerfile with this name, as they stand there. */
const instructions = (name: string): string[] =>
  textOf('deployment/Dockerfile')
    .split('\n')
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1))

/** Program and arguments of an instruction in the form of a list. */
const commandOf = (instruction = ''): string[] => JSON.parse(instruction.replace(/^CMD /, ''))

describe('examples/recipes/deployment', function () {
  this.timeout(120_000)
  useVariables({ AUTH_SECRET: SECRET, AUTH_URL: URL_OF_APP, AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' })

  describe('the server, as the Dockerfile starts it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-deployment-'))
    const processes: ChildProcess[] = []
    let database: TestDatabase
    let cookie: string
    const origins: string[] = []

    /** Variables of a container: those of `production.env`, all of them with a value, and those of the image. */
    function variablesOf(port: number): Record<string, string> {
      const values: Record<string, string> = {
        AUTH_SECRET: SECRET,
        AUTH_GITHUB_ID: 'id',
        AUTH_GITHUB_SECRET: 'secret',
        DATABASE_URL: database.url,
      }
      const lines = textOf('deployment/production.env').trim().split('\n')
      const named = lines.map((line): [string, string] => {
        const [name = '', value = ''] = line.split(/=(.*)/)
        return [name, values[name] ?? value]
      })
      const ofImage = instructions('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=')))
      return { ...Object.fromEntries(ofImage), ...Object.fromEntries(named), PORT: String(port) }
    }

    async function startContainer() {
      const port = await freePort()
      const variables = { ...variablesOf(port), PATH: process.env['PATH'] ?? '' }
      const [program = '', ...words] = commandOf(instructions('CMD')[0])
      const child = spawn(program, words, { cwd: folder, env: variables, stdio: ['ignore', 'inherit', 'inherit'] })
      processes.push(child)
      const [checker = '', ...check] = commandOf(instructions('HEALTHCHECK')[0])
      for (let tries = 0; ; tries += 1) {
        const healthy = await run(checker, check, { env: variables }).then(
          () => true,
          () => false,
        )
        if (healthy) break
        if (tries > 40 || child.exitCode !== null) throw new Error('The container does not become healthy.')
      }
      origins.push(`http://127.0.0.1:${port}`)
    }

    before(async function () {
      await postgres.requireServer.call(this)
      database = await postgres.create()
      const [, words = ''] = /npx latchkey (.*)/.exec(textOf('deployment/server.ts')) ?? []
      const line = words.split(' ').map((word) => (word === '"$DATABASE_URL"' ? database.url : word))
      expect((await latchkeyProcess(line)).code).to.equal(0)
      mkdirSync(join(folder, 'dist'))
      // Where Node finds the packages and the templates of this checkout.
      symlinkSync(await compile(writeBlock('server', textOf('deployment/server.ts'))), join(folder, 'dist/server.js'))
      const adapter = sqlAdapter(database.connection)
      cookie = (await signInAs({ providers: [GitHub], adapter }, ADA)).cookie
      await Promise.all([startContainer(), startContainer()])
    })
    after(async () => {
      for (const child of processes) child.kill('SIGKILL')
      await database?.drop()
      rmSync(folder, { recursive: true, force: true })
    })

    it('knows a session in every process', async () => {
      for (const origin of origins) {
        const answer = await fetch(`${origin}/account`, { headers: { cookie } })
        expect(await answer.json()).to.include({ email: ADA.email })
        expect((await fetch(`${origin}/account`)).status).to.equal(401)
      }
    })

    it('ends a session in every process', async () => {
      const [one = '', other = ''] = origins
      const page = await fetch(`${one}/auth/csrf`, { headers: { cookie } })
      const { csrfToken } = (await page.json()) as { csrfToken: string }
      const withToken = [cookie, ...page.headers.getSetCookie().map((line) => line.split(';')[0])].join('; ')
      await fetch(`${one}/auth/signout`, {
        method: 'POST',
        headers: { cookie: withToken, origin: URL_OF_APP },
        body: new URLSearchParams({ csrfToken }),
        redirect: 'manual',
      })
      expect((await fetch(`${other}/account`, { headers: { cookie } })).status).to.equal(401)
    })

    it('sends people to the provider with the public address', async () => {
      const page = await fetch(`${origins[0]}/auth/signin`)
      expect(await page.text()).to.include(`action="${URL_OF_APP}/auth/signin/github"`)
      expect(page.headers.getSetCookie().every((line) => line.startsWith('__') && line.includes('Secure'))).to.equal(
        true,
      )
    })

    it('stops by itself', async () => {
      for (const child of processes) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        expect(await ended).to.deep.equal([0, null])
      }
    })
  })

  describe('the function', () => {
    interface Answer {
      statusCode: number
      headers: Record<string, string>
      cookies: string[]
      body: string
    }
    let handler: (event: object) => Promise<Answer>

    before(async () => {
      ;({ handler } = await import(pathToFileURL(writeBlock('function', textOf('deployment/function.ts'))).href))
    })

    const call = (method: string, path: string, more: object = {}) => {
      const [rawPath, rawQueryString = ''] = path.split('?')
      return handler({
        version: '2.0',
        rawPath,
        rawQueryString,
        headers: {
          host: 'x.lambda-url.example',
          accept: 'text/html',
          'content-type': 'application/x-www-form-urlencoded',
        },
        isBase64Encoded: false,
        requestContext: { domainName: 'x.lambda-url.example', http: { method, sourceIp: '203.0.113.7' } },
        ...more,
      })
    }
    const bodyOf = ({ body }: Answer) => Buffer.from(body, 'base64').toString()

    it('shows the sign-in page, and begins a sign-in', async () => {
      const page = await call('GET', '/auth/signin?callbackUrl=/account')
      expect([page.statusCode, page.headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8'])
      const [, csrfToken = ''] = /name="csrfToken" value="([^"]+)"/.exec(bodyOf(page)) ?? []
      const cookies = page.cookies.map((line) => line.split(';')[0])
      const body = Buffer.from(new URLSearchParams({ csrfToken }).toString()).toString('base64')
      const started = await call('POST', '/auth/signin/github', { cookies, body, isBase64Encoded: true })
      const target = new URL(started.headers['location'] ?? '')
      expect(target.host).to.equal('github.com')
      expect(target.searchParams.get('redirect_uri')).to.equal(`${URL_OF_APP}/auth/callback/github`)
      expect(started.cookies.length).to.be.greaterThan(1)
    })

    it('guards its own answers', async () => {
      const refused = await call('GET', '/account')
      expect(new URL(refused.headers['location'] ?? '').pathname).to.equal('/auth/signin')
      const config: AuthConfig = { providers: [GitHub], basePath: '/auth' }
      const { cookie } = await signInAs(config, ADA)
      const answer = await call('GET', '/account', { cookies: cookie.split('; ') })
      expect(JSON.parse(bodyOf(answer)).user).to.include({ email: ADA.email })
    })
  })
})
