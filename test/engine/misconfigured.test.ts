import { expect } from 'chai'
import connect from 'connect'
import express from 'express'
import express4 from 'express4'
import { misconfigured } from '../../lib/engine/misconfigured.js'
import { Auth, type AuthConfig, expressAuth } from '../../lib/index.js'
import { createLog, listen, type Running, testConfig } from '../support/app.js'
import { elements } from '../support/html.js'
import { sendRaw } from '../support/raw-http.js'
import { redirectCorpus } from '../support/redirect-corpus.js'

const ORIGIN = 'https://app.example'

/** Where the links of a page lead, for a browser that is at `address`. */
const links = (html: string) => elements(html, 'a').map((link) => link.get('href') ?? '')

/** Whether browsers stay on the host with a link: not even what they repair on the way leads elsewhere. */
const stays = (href: string) =>
  /^\/(?![/\\])/.test(href) && new URL(href, ORIGIN).origin === ORIGIN && !/[\p{Cc}\\]/u.test(href)

describe('the page of a configuration that cannot work', () => {
  const broken = (): AuthConfig => ({ ...testConfig({ logger: createLog().logger }), secret: '' })
  let app: Running
  afterEach(() => app?.close())

  it('links to the sign-in page beside it, and to no other host whatever was asked for (WEB-02)', async () => {
    for (const hostile of redirectCorpus(ORIGIN)) {
      for (const target of [hostile, `/${hostile}`, `/${hostile}/`, `${hostile}/x`]) {
        // What leads to a page tells nothing of which page it is, so one place of each text is enough for the others.
        const others = target === hostile ? ['signout', 'error', 'verify-request', 'error/'] : []
        for (const page of ['signin', ...others]) {
          const answer = await misconfigured(broken(), new Error('x'), {
            method: 'GET',
            target: `${target}/${page}`,
            header: () => undefined,
          })
          for (const href of links(String(answer.body))) expect(href, target).to.satisfy(stays)
        }
      }
    }
    for (const [target, href] of [
      ['/error', '/signin'],
      ['/auth/error?error=X', '/auth/signin'],
      ['/a/b/verify-request/', '/a/b/signin'],
    ] as const) {
      const answer = await misconfigured(broken(), new Error('x'), { method: 'GET', target, header: () => undefined })
      expect(links(String(answer.body))).to.deep.equal([href, '/'])
    }
  })

  it('is for every browser, and no script, wherever they ask (WEB-02)', async () => {
    const at = (target: string, method: string, accept: string | undefined) =>
      misconfigured(broken(), new Error('x'), {
        method,
        target,
        header: (name) => (name === 'accept' ? accept : undefined),
      })
    for (const [path, href] of [
      ['/auth/account', '/auth/signin'],
      ['/auth/password/choose?token=x', '/auth/signin'],
      ['/account/signin', '/account/signin'],
      ['/auth/signin/google', '/auth/signin'],
      ['/auth/nonsense', null],
      ['//evil.example/account', '/signin'],
      ['/.//evil.example/account', '/evil.example/signin'],
    ] as const) {
      for (const method of ['GET', 'POST']) {
        const { status, headers, body } = await at(path, method, 'text/html,*/*;q=0.8')
        const type = new Headers(headers).get('content-type')
        expect([status, type], path).to.deep.equal([500, 'text/html; charset=utf-8'])
        expect(links(String(body)), path).to.deep.equal(href === null ? ['/'] : [href, '/'])
        if (path === '/account/signin') continue
        const toScript = await at(path, method, '*/*')
        expect(new Headers(toScript.headers).get('content-type'), path).to.equal('application/json')
      }
    }
  })

  it('does so over the wire, at the root, in Express and in Connect (WEB-02)', async () => {
    let pages = 0
    for (const server of [express().set('env', 'test'), express4().set('env', 'test'), connect()]) {
      app = await listen((server as ReturnType<typeof connect>).use(expressAuth(broken)))
      for (const hostile of ['/\\evil.example', ...redirectCorpus(ORIGIN)].filter((text) => /^\/[!-~]*$/.test(text))) {
        const { status, body } = await sendRaw(app.origin, `${hostile}/signin`)
        expect(status, hostile).to.be.oneOf([400, 404, 414, 431, 500])
        for (const href of links(body)) {
          expect(href, hostile).to.satisfy(stays)
          pages += 1
        }
      }
      await app.close()
    }
    expect(pages).to.be.greaterThan(50)
  })

  it('is no more dangerous where the configuration works and the mount takes its path from the request (WEB-02)', async () => {
    app = await listen(express().set('env', 'test').use('/:tenant/auth', expressAuth(testConfig())))
    for (const hostile of [
      '/\\evil.example',
      '//evil.example',
      '/.',
      '/..',
      '/%2f',
      '/@evil.example',
      '/:evil.example',
      '/%5cevil.example',
    ]) {
      for (const page of ['error', 'signout', 'verify-request', 'nothing']) {
        const { body } = await sendRaw(app.origin, `${hostile}/auth/${page}`, { headers: { accept: 'text/html' } })
        const targets = [...links(body), ...elements(body, 'form').map((form) => form.get('action') ?? '')]
        for (const target of targets)
          expect(new URL(target, ORIGIN).origin, `${hostile} ${target}`).to.equal(app.origin)
      }
    }
  })

  it('is the same for web requests', async () => {
    const answer = await Auth(new Request(`${ORIGIN}/.//evil.example/signin`), broken())
    expect(answer.status).to.equal(500)
    for (const href of links(await answer.text())) expect(href).to.satisfy(stays)
  })
})
