import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Express } from 'express'
import { listen, type Running, SECRET } from '../../support/app.js'
import { loadRecipe, useVariables } from './recipe.js'

describe('examples/recipes/captcha.ts', () => {
  let service: Server
  let app: Running
  const asked: Record<string, string>[] = []
  useVariables({ AUTH_SECRET: SECRET, CAPTCHA_SITE_KEY: 'site-key', CAPTCHA_SECRET: 'of the service' })

  before(async () => {
    service = createServer(async (req, res) => {
      let body = ''
      for await (const part of req) body += part
      const form = Object.fromEntries(new URLSearchParams(body))
      asked.push(form)
      if (form['response'] === 'down') return void req.socket.destroy()
      const hostname = form['response'] === 'of another site' ? 'evil.example' : 'localhost'
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify({ success: ['solved', 'of another site'].includes(form['response'] ?? ''), hostname }))
    })
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    const { port } = service.address() as AddressInfo
    const { app: made } = await loadRecipe<{ app: Express }>('captcha.ts', (code) =>
      code
        .replace('https://challenges.cloudflare.com/turnstile/v0/siteverify', `http://127.0.0.1:${port}/`)
        .replace('  limits: {', '  logger: { info: () => {}, error: () => {} },\n  limits: {'),
    )
    app = await listen(made)
  })
  beforeEach(() => void asked.splice(0))
  after(async () => {
    await app?.close()
    service?.close()
  })

  async function signIn(answer: string | undefined, visitor = app.visitor()) {
    const { status, location } = await visitor.post('/auth/callback/credentials', {
      csrfToken: await visitor.csrfToken(),
      email: 'ada@example.com',
      password: 'analytical engine',
      ...(answer !== undefined && { 'cf-turnstile-response': answer }),
    })
    return { status, path: location && location.pathname + location.search }
  }

  it('has the widget on its page', async () => {
    const page = await (await fetch(`${app.origin}/login?error=Captcha`)).text()
    expect(page).to.include('class="cf-turnstile" data-sitekey="site-key"').and.include('That did not work')
  })

  it('signs nobody in without a solved one', async () => {
    for (const answer of [undefined, 'wrong', 'of another site', 'x'.repeat(5000)]) {
      expect(await signIn(answer), String(answer)).to.deep.equal({ status: 302, path: '/login?error=Captcha' })
    }
    expect(asked.map(({ secret }) => secret)).to.deep.equal(['of the service', 'of the service'])
    expect((await signIn('solved')).path).to.equal('/')
  })

  it('signs nobody in while the service does not answer', async () => {
    expect((await signIn('down')).path).to.equal('/auth/error?error=Configuration')
  })

  it('asks nobody whose browser is known', async () => {
    const visitor = app.visitor()
    await signIn('solved', visitor)
    asked.splice(0)
    expect((await signIn(undefined, visitor)).path).to.equal('/')
    expect(asked).to.deep.equal([])
  })
})
