import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { createElement, type ReactNode, Suspense, use } from 'react'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import { SessionProvider, useAuthClient, useSession } from '../../lib/client/react/index.js'
import type { Session } from '../../lib/index.js'
import { ROOT } from '../docs/documents.js'
import { VisitorLine } from './react-visitor.js'

const sessionOf = (name: string): Session => ({ user: { name }, expires: '2999-01-01T00:00:00.000Z' })

describe('latchkey/react on a server', () => {
  const line = () => createElement(VisitorLine, { key: 'visitor' })
  const provided = (session: Session | null | undefined, ...children: ReactNode[]) =>
    createElement(SessionProvider, { session, children })

  it('renders the session that it is given, or "loading", and asks nobody', () => {
    expect(renderToString(provided(sessionOf('Ada'), line()))).to.equal('<p id="visitor">authenticated Ada</p>')
    expect(renderToString(provided(null, line()))).to.equal('<p id="visitor">unauthenticated</p>')
    expect(renderToString(provided(undefined, line()))).to.equal('<p id="visitor">loading</p>')
  })

  it('keeps pages apart that are rendered at the same time', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `visitor ${index} of 50`)
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const Late = () => {
      use(gate)
      return line()
    }
    const pages = names.map((name, index) => {
      const session = index % 3 === 0 ? null : sessionOf(name)
      const late = createElement(Suspense, { key: 'late', fallback: 'waiting' }, createElement(Late))
      return stream(provided(session, line(), late))
    })
    // Every page has begun, and none has ended.
    await Promise.all(pages.map(({ begun }) => begun))
    open()
    for (const [index, { html }] of pages.entries()) {
      const expected = index % 3 === 0 ? 'unauthenticated' : `authenticated ${names[index]}`
      const lines = [...(await html).matchAll(/<p id="visitor">([^<]*)</g)].map(([, shown]) => shown)
      expect(lines).to.deep.equal([expected, expected])
    }
  })

  it('says what is missing when there is no provider', () => {
    const Reading = () => createElement('p', null, useSession().status)
    const Acting = () => createElement('p', null, typeof useAuthClient().signIn)
    expect(() => renderToString(createElement(Reading))).to.throw('useSession() needs a SessionProvider')
    expect(() => renderToString(createElement(Acting))).to.throw('useAuthClient() needs a SessionProvider')
  })

  it('refuses a session that is none, so that a forgotten await signs nobody in', () => {
    const refused = (session: unknown) => () => renderToString(provided(session as Session, line()))
    expect(refused(Promise.resolve(null))).to.throw('The session of SessionProvider is a promise.')
    for (const session of [{ user: { name: 'Ada' } }, { expires: '2999-01-01T00:00:00.000Z' }]) refused(session)()
    for (const value of [
      false,
      true,
      '',
      'Ada',
      {},
      [],
      { user: 'Ada' },
      { data: { user: { name: 'Ada' } } },
      () => null,
    ]) {
      expect(refused(value), JSON.stringify(value))
        .to.throw('The session of SessionProvider is no session.')
        .with.property('message')
        .that.does.not.include('Ada')
    }
  })

  it('refuses a base path that is no path of this origin', () => {
    for (const basePath of [
      '',
      'auth',
      'https://app.example/auth',
      '//other.example/auth',
      '/\\other.example',
      1,
      null,
    ]) {
      const page = createElement(SessionProvider, { basePath: basePath as string, session: null })
      expect(() => renderToString(page), String(basePath)).to.throw('The basePath of SessionProvider must be a path')
    }
    for (const basePath of ['/', '/auth', '/api/auth/']) renderToString(createElement(SessionProvider, { basePath }))
  })

  it('is a client module for frameworks with server components', () => {
    const source = readFileSync(join(ROOT, 'lib/client/react/index.ts'), 'utf8')
    expect(source).to.match(/^'use client'\n/)
    // Next.js does not know the names behind `export *`, nor those of a destructured declaration.
    expect(source).to.not.match(/^export \*|^export const [{[]/m)
  })

  it('is the only part of the package that needs React', () => {
    const files = readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    )
    const users = files.filter((file) =>
      /from '(?:react|react-dom)/.test(readFileSync(join(ROOT, 'lib', file), 'utf8')),
    )
    expect(users).to.deep.equal([join('client', 'react', 'session-provider.ts')])
    const importers = files.filter((file) => /from '[^']*\/react\//.test(readFileSync(join(ROOT, 'lib', file), 'utf8')))
    expect(importers).to.deep.equal([])
  })
})

/** Renders as a server does that streams. `begun` ends when all is rendered that waits for nothing. */
function stream(page: ReactNode): { begun: Promise<void>; html: Promise<string> } {
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const html = new Promise<string>((resolve, reject) => {
    const sink = new PassThrough()
    const { pipe } = renderToPipeableStream(page, {
      onShellReady: begin,
      onAllReady: () => pipe(sink),
      onError: reject,
    })
    text(sink).then(resolve, reject)
  })
  return { begun, html }
}
