import { createHash } from 'node:crypto'
import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { Auth, expressAuth, isAuthAction } from '../../../lib/index.js'
import { loadScript, SCRIPT_PATH } from '../../../lib/pages/loaded-assets.js'
import Passkey from '../../../lib/providers/passkey.js'
import { atLocalhost, listen, passwords, type Running, startApp, testConfig } from '../../support/app.js'

describe('the script of the sign-in page', () => {
  it('has the hash of its source in its path, and is put together once', async () => {
    const { path, source } = await loadScript()
    const hash = createHash('sha256').update(source).digest('base64url').slice(0, 22)
    expect(path).to.equal(`assets/passkey.${hash}.js`)
    expect(SCRIPT_PATH.test(`/${path}`)).to.equal(true)
    expect(await loadScript()).to.equal(await loadScript())
  })

  it('imports nothing, names no other host but in texts, and builds no code from text', async () => {
    const { source } = await loadScript()
    expect(source).not.to.match(/^\s*(?:import|export)\b/m)
    expect(source).not.to.match(/\beval\(|new Function|innerHTML|insertAdjacentHTML|document\.write/)
    const hosts = [...source.matchAll(/https?:\/\/[\w.-]+/g)].map(([host]) => host)
    expect([...new Set(hosts)].filter((host) => host !== 'https://github.com')).to.satisfy((rest: string[]) =>
      rest.every((host) => /simplewebauthn\.dev|w3\.org|\.example$/.test(host)),
    )
  })

  it('is found at its path and at no other', () => {
    for (const path of [
      '/assets',
      '/assets/',
      '/assets/passkey.js',
      '/assets/passkey..js',
      '/assets/passkey.a/b.js',
      '/x/assets/passkey.a.js',
    ]) {
      expect(SCRIPT_PATH.test(path), path).to.equal(false)
    }
  })
})

describe('GET {base}/assets/passkey.{hash}.js', () => {
  const withPasskeys = () => testConfig({ providers: [passwords, Passkey()], adapter: memoryAdapter() })
  let app: Running
  let path: string
  before(async () => {
    app = atLocalhost(await startApp(withPasskeys()))
    path = `/auth/${(await loadScript()).path}`
  })
  after(() => app.close())

  it('is the script that the sign-in page names, to be kept for good', async () => {
    const page = await (await fetch(`${app.origin}/auth/signin`)).text()
    expect(/<script [^>]*src="([^"]*)"/.exec(page)?.[1]).to.equal(app.origin + path)
    const response = await fetch(app.origin + path)
    expect(response.status).to.equal(200)
    expect(await response.text()).to.equal((await loadScript()).source)
    expect(Object.fromEntries(response.headers)).to.include({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(response.headers.has('set-cookie')).to.equal(false)
    expect(response.headers.has('vary')).to.equal(false)
  })

  it('is the same file for HEAD, without its body', async () => {
    const response = await fetch(app.origin + path, { method: 'HEAD' })
    expect([response.status, await response.text()]).to.deep.equal([200, ''])
    expect(Number(response.headers.get('content-length'))).to.equal(Buffer.byteLength((await loadScript()).source))
  })

  it('is sent once, and not kept, to a page of another version', async () => {
    const response = await fetch(`${app.origin}/auth/assets/passkey.of-another-version.js`)
    expect([response.status, response.headers.get('cache-control')]).to.deep.equal([200, 'no-store'])
  })

  it('can only be read', async () => {
    const response = await fetch(app.origin + path, { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD'])
  })

  it('is no action, and what stands beside it is not there', async () => {
    expect(isAuthAction('assets')).to.equal(false)
    for (const other of [
      '/auth/assets',
      '/auth/assets/',
      '/auth/assets/passkey.js',
      '/auth/assets/../signin.eta',
      '/auth/assets/page.css',
    ]) {
      expect((await fetch(app.origin + other)).status, other).to.equal(404)
    }
  })

  it('is not there where nobody can sign in with a passkey, and no page names it', async () => {
    const without = await startApp(testConfig())
    expect((await fetch(without.origin + path)).status).to.equal(404)
    expect(await (await fetch(`${without.origin}/auth/signin`)).text()).not.to.include('<script')
    await without.close()
  })

  it('leaves the assets of an application alone that Latchkey shares its root with', async () => {
    const root = express()
    root.use(expressAuth(withPasskeys()))
    root.use((req, res) => void res.status(200).send(`the application has ${req.path}`))
    const shared = await listen(root)
    const { path: file, source } = await loadScript()
    expect(await (await fetch(`${shared.origin}/${file}`)).text()).to.equal(source)
    expect(await (await fetch(`${shared.origin}/assets/app.js`)).text()).to.equal('the application has /assets/app.js')
    await shared.close()
  })

  it('is served to other frameworks, too', async () => {
    const response = await Auth(new Request(`https://app.example${path}`), { ...withPasskeys(), trustHost: true })
    expect([response.status, response.headers.get('cache-control')]).to.deep.equal([
      200,
      'public, max-age=31536000, immutable',
    ])
  })
})

describe('GET {base}/assets/passkey-buttons.js', () => {
  const PATH = '/auth/assets/passkey-buttons.js'
  const withPasskeys = () => testConfig({ providers: [passwords, Passkey()], adapter: memoryAdapter() })
  const get = (path: string, config = withPasskeys(), headers: Record<string, string> = {}) =>
    Auth(new Request(`https://app.example${path}`, { headers }), { ...config, trustHost: true })

  it('is a script that is the same in every version, in one language for each visitor', async () => {
    const response = await get(PATH, withPasskeys(), { 'accept-language': 'de' })
    expect(response.status).to.equal(200)
    expect(Object.fromEntries(response.headers)).to.include({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'private, max-age=3600',
      vary: 'Accept-Language, Cookie',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    expect(response.headers.has('set-cookie')).to.equal(false)
    expect(await response.text()).to.include('Wir warten auf Ihren Passkey')
    expect(await (await get(`${PATH}?lang=en`, withPasskeys(), { 'accept-language': 'de' })).text()).to.include(
      'Waiting for',
    )
  })

  it('imports nothing, makes no code of texts, and leaves no name behind in the page', async () => {
    const source = await (await get(PATH)).text()
    expect(source).not.to.match(/^\s*(?:import|export)\b/m)
    expect(source).not.to.match(/\beval\(|new Function|innerHTML|insertAdjacentHTML|document\.write/)
    expect(source).to.match(/^\{const PASSKEY_TEXTS=.*\}\n$/s)
  })

  it('is not there where nobody can sign in with a passkey', async () => {
    expect((await get(PATH, testConfig())).status).to.equal(404)
  })
})
