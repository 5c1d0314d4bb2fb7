import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import express from 'express'
import type { Browser } from 'playwright-core'
import { type AuthConfig, expressAuth, requireAuth } from '../../lib/index.js'
import { ADA, createLog, listen, type Running, testConfig } from '../support/app.js'
import { makeCertificates } from '../support/certificates.js'
import { launchChromium, requireChromium } from '../support/chromium.js'
import { freePort } from '../support/free-port.js'
import { requirePrograms } from '../support/skip-suite.js'
import { readText } from './documents.js'

const FILES = { nginx: ['nginx.conf', 'nginx-prefix.conf'], caddy: ['Caddyfile', 'Caddyfile-prefix'] } as const

const PROXIES = {
  nginx: { command: 'nginx', arguments: (file: string) => ['-c', file, '-e', 'stderr'] },
  caddy: { command: 'caddy', arguments: (file: string) => ['run', '--config', file, '--adapter', 'caddyfile'] },
} as const

type ProxyName = keyof typeof PROXIES

/** The configurations of a proxy: the first passes the whole path on, the second cuts a prefix off. */
const configurationsOf = (name: ProxyName) =>
  FILES[name].map((file) => readText(`examples/recipes/proxy/${file}`).replace(/^#.*\n/, ''))

/** The configuration, with the ports and files of this test in place of those of a server. */
function complete(name: ProxyName, text: string, { port, appPort, folder }: Place): string {
  const cert = join(folder, 'cert.pem')
  const key = join(folder, 'key.pem')
  const here = text.replaceAll('127.0.0.1:3000', `127.0.0.1:${appPort}`)
  if (name === 'caddy') {
    const site = here.replace('app.example {', `https://localhost:${port} {\n  tls ${cert} ${key}`)
    return `{\n  admin off\n  auto_https disable_redirects\n  skip_install_trust\n}\n${site}`
  }
  const server = here
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace('server_name app.example;', 'server_name localhost;')
    .replace('/etc/ssl/app.example/fullchain.pem', cert)
    .replace('/etc/ssl/app.example/privkey.pem', key)
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  )
  return `daemon off;\npid ${join(folder, 'nginx.pid')};\nevents {}\nhttp {\naccess_log off;\n${folders.join('\n')}\n${server}}\n`
}

interface Place {
  readonly port: number
  readonly appPort: number
  readonly folder: string
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => socket.end(() => resolve(true)))
    socket.once('error', () => resolve(false))
  })

/** A real proxy with TLS before an application. */
class RealProxy {
  private constructor(
    readonly origin: string,
    readonly process: ChildProcess,
    readonly folder: string,
  ) {}

  static async start(name: ProxyName, text: string, app: Running): Promise<RealProxy> {
    const folder = mkdtempSync(join(tmpdir(), `latchkey-${name}-`))
    const { server } = makeCertificates()
    writeFileSync(join(folder, 'cert.pem'), server.cert)
    writeFileSync(join(folder, 'key.pem'), server.key, { mode: 0o600 })
    const port = await freePort()
    const file = join(folder, 'configuration')
    writeFileSync(file, complete(name, text, { port, appPort: Number(new URL(app.origin).port), folder }))
    const complaints: string[] = []
    const { command, arguments: words } = PROXIES[name]
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    const proxy = spawn(command, words(file), { stdio: ['ignore', 'ignore', 'pipe'], env })
    proxy.stderr.on('data', (text: Buffer) => complaints.push(text.toString()))
    const started = new RealProxy(`https://localhost:${port}`, proxy, folder)
    for (let tries = 0; !(await isListening(port)); tries += 1) {
      if (proxy.exitCode !== null || tries > 200) {
        await started.stop()
        throw new Error(`${name} does not start: ${complaints.join('')}`)
      }
      await pause(25)
    }
    return started
  }

  async stop() {
    if (this.process.exitCode === null) {
      this.process.kill()
      await once(this.process, 'exit')
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The application. Its proxy is on this machine. */
async function startApplication(more: Partial<AuthConfig>) {
  const log = createLog()
  const config = testConfig({ logger: log.logger, secret: randomBytes(32).toString('hex'), ...more })
  const app = express().set('trust proxy', 'loopback')
  app.use('/auth', expressAuth(config))
  app.get('/private', requireAuth(config), (_req, res) => res.send(`<p>Hello ${res.locals['session']?.user?.name}`))
  return { app: await listen(app), log }
}

describe('examples/recipes/proxy', function () {
  this.timeout(120_000)
  let chromium: Browser
  before(async function () {
    requirePrograms(this, ...Object.keys(PROXIES), 'openssl')
    requireChromium.call(this)
    chromium = await launchChromium()
  })
  after(() => chromium?.close())

  for (const name of Object.keys(PROXIES) as ProxyName[]) {
    for (const [index, prefix] of ['', '/notes'].entries()) {
      it(`signs in through ${name}${prefix && `, which cuts off ${prefix}`}`, async () => {
        const text = configurationsOf(name)[index] ?? ''
        const { app, log } = await startApplication(prefix === '' ? {} : { strippedPrefix: prefix })
        const proxy = await RealProxy.start(name, text, app)
        const context = await chromium.newContext({ ignoreHTTPSErrors: true })
        try {
          const page = await context.newPage()
          const failed: string[] = []
          page.on('response', (answer) => answer.status() >= 400 && failed.push(answer.url()))
          await page.goto(`${proxy.origin}${prefix}/private?page=2`)
          expect(new URL(page.url()).origin + new URL(page.url()).pathname).to.equal(
            `${proxy.origin}${prefix}/auth/signin`,
          )
          await page.getByLabel('User name').fill(ADA.username)
          await page.getByLabel('Password').fill(ADA.password)
          await page.getByRole('button', { name: /sign in/i }).click()
          await page.waitForURL(`${proxy.origin}${prefix}/private?page=2`)
          expect(await page.textContent('p')).to.equal('Hello Ada')
          const cookies = await context.cookies()
          expect(cookies.map(({ name }) => name)).to.include('__Secure-authjs.session-token')
          expect(cookies.every(({ secure, httpOnly }) => secure && httpOnly)).to.equal(true)
          expect([failed, log.warnings, log.errors]).to.deep.equal([[], [], []])
          // A visitor cannot choose the host by a header.
          const answer = await context.request.get(`${proxy.origin}${prefix}/auth/signin`, {
            headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
          })
          expect(await answer.text()).not.to.include('evil.example')
        } finally {
          await context.close()
          await proxy.stop()
          await app.close()
        }
      })
    }
  }

  it('has the warnings that it names, where nothing trusts the proxy', async () => {
    const log = createLog()
    const app = await listen(
      express().use('/auth', expressAuth(testConfig({ logger: log.logger, secret: randomBytes(32).toString('hex') }))),
    )
    const proxy = await RealProxy.start('nginx', configurationsOf('nginx')[1] ?? '', app)
    const context = await chromium.newContext({ ignoreHTTPSErrors: true })
    try {
      const page = await context.newPage()
      await page.goto(`${proxy.origin}/notes/auth/signin`)
      expect(log.warnings).to.deep.equal(['forwarded-headers-ignored'])
    } finally {
      await context.close()
      await proxy.stop()
      await app.close()
    }
  })
})
