import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { encode } from '@auth/core/jwt'
import { expect } from 'chai'
import NextAuth, { type NextAuthConfig } from '../../../lib/frameworks/next/index.js'
import { publicAddress, publicRequest } from '../../../lib/frameworks/next/request-facts.js'
import { SECRET, testConfig } from '../../support/app.js'
import { withEnv } from '../../support/env.js'
import { failure } from '../../support/oauth-driver.js'

const ORIGIN = 'https://app.example'
const SESSION = '__Secure-authjs.session-token'
const config = (more: Partial<NextAuthConfig> = {}) => ({ ...testConfig(), url: ORIGIN, ...more }) as NextAuthConfig
const cookie = async (name: string) => {
  const token = await encode({ token: { sub: '1815', name }, secret: SECRET, salt: SESSION })
  return `${SESSION}=${token}`
}

/** Request and response of the pages router, which are those of Node. */
function nodePair(headers: Record<string, string> = {}) {
  const req = new IncomingMessage(new Socket())
  Object.assign(req.headers, headers)
  return { req, res: new ServerResponse(req) }
}

describe('NextAuth(config)', () => {
  it('serves below /api/auth, or where the configuration says', async () => {
    const get = (path: string, more?: Partial<NextAuthConfig>) =>
      NextAuth(config(more)).handlers.GET(new Request(`http://0.0.0.0:3000${path}`) as never)
    const urlOf = async (answer: Response) =>
      ((await answer.json()) as Record<string, { signinUrl: string }>).credentials
    expect((await urlOf(await get('/api/auth/providers')))?.signinUrl).to.equal(`${ORIGIN}/api/auth/signin/credentials`)
    expect((await urlOf(await get('/id/providers', { basePath: '/id' })))?.signinUrl).to.equal(
      `${ORIGIN}/id/signin/credentials`,
    )
    expect((await get('/api/auth/nothing')).status).to.equal(404)
  })

  it('takes a function of the request, which is undefined where there is none', async () => {
    const asked: unknown[] = []
    const options = config()
    const { handlers, auth } = NextAuth((request) => {
      asked.push(request)
      return options
    })
    const request = new Request(`${ORIGIN}/api/auth/session`)
    expect((await handlers.GET(request as never)).status).to.equal(200)
    const { req, res } = nodePair()
    await auth(req, res)
    expect(asked).to.deep.equal([request, undefined])
  })

  it('says at once what cannot work, but not while Next.js builds', async () => {
    const broken = { providers: [], secret: SECRET, pages: 5 } as never
    expect(() => NextAuth(broken)).to.throw(/pages/)
    await withEnv({ NEXT_PHASE: 'phase-production-build' }, async () => {
      const { auth } = NextAuth(broken)
      const { req, res } = nodePair()
      await failure(
        Promise.resolve().then(() => auth(req, res)),
        'InvalidConfiguration',
      )
    })
  })
})

describe('auth of the pages router', () => {
  it('reads the session, extends it, and keeps the answer out of shared caches', async () => {
    const { auth } = NextAuth(config({ session: { updateAge: 0 } }))
    const pair = nodePair({ cookie: await cookie('Ada') })
    pair.res.setHeader('cache-control', 'public, s-maxage=600')
    expect((await auth(pair))?.user?.name).to.equal('Ada')
    expect(pair.res.getHeader('set-cookie')).to.have.length(1)
    expect(pair.res.getHeader('cache-control')).to.include('no-store').and.not.include('s-maxage')
  })

  it('reads without renewing where the headers have been sent', async () => {
    const { auth } = NextAuth(config({ session: { updateAge: 0 } }))
    const { req, res } = nodePair({ cookie: await cookie('Ada') })
    res.flushHeaders()
    expect((await auth(req, res))?.user?.name).to.equal('Ada')
    expect(res.getHeader('set-cookie')).to.equal(undefined)
  })

  it('gives each request its own session, and null without one', async () => {
    const { auth } = NextAuth(config())
    const names = ['Ada', null, 'Grace', 'Hedy', null]
    const seen = await Promise.all(
      names.map(async (name) => {
        const { req, res } = nodePair(name === null ? {} : { cookie: await cookie(name) })
        return (await auth(req, res))?.user?.name ?? null
      }),
    )
    expect(seen).to.deep.equal(names)
  })

  it('says how it is called, when it is given something else', async () => {
    const { auth } = NextAuth(config())
    for (const value of [null, {}, 'x', 5, { req: {} }, nodePair().req])
      await failure(
        Promise.resolve().then(() => auth(value as never)),
        'InvalidConfiguration',
      )
  })
})

describe('the public path of a request', () => {
  const pathOf = (path: string, mount: string) => {
    const request = new Request(`${ORIGIN}${path}`)
    return new URL(publicRequest(request, new URL(request.url), mount).url)
  }

  it('is completed with the base path that Next.js cut off', () => {
    expect(pathOf('/api/auth/signin?a=b', '/shop/api/auth').href).to.equal(`${ORIGIN}/shop/api/auth/signin?a=b`)
    expect(pathOf('/shop/api/auth/signin', '/shop/api/auth').pathname).to.equal('/shop/api/auth/signin')
    expect(pathOf('/api/auth', '/a/b/api/auth').pathname).to.equal('/a/b/api/auth')
  })

  it('is left as it is where it has nothing to do with the mount', () => {
    expect(pathOf('/elsewhere', '/shop/api/auth').pathname).to.equal('/elsewhere')
    expect(pathOf('/api/authors', '/shop/api/auth').pathname).to.equal('/api/authors')
  })

  it('keeps method and body', async () => {
    const request = new Request(`${ORIGIN}/api/auth/signout`, { method: 'POST', body: 'a=b' })
    const completed = publicRequest(request, new URL(request.url), '/shop/api/auth')
    expect([completed.method, await completed.text()]).to.deep.equal(['POST', 'a=b'])
  })
})

describe('the address that a proxy judges', () => {
  /** As `NextURL`, which takes `basePath` and the locale out of an address, if it begins with them. */
  class AddressInNext extends URL {
    readonly #configured: string
    basePath = ''
    locale = ''
    constructor(url: string, configured: string) {
      super(url)
      this.#configured = configured
      this.#analyze()
    }
    #analyze() {
      const { pathname } = new URL(super.href)
      const begins = `${pathname}/`.startsWith(`${this.#configured}/`)
      this.basePath = begins ? this.#configured : ''
      const [, first = ''] = pathname.slice(this.basePath.length).split('/')
      this.locale = ['en', 'de', 'pt-BR'].find((locale) => locale.toLowerCase() === first.toLowerCase()) ?? 'en'
    }
    clone = () => new AddressInNext(super.href, this.#configured)
    override get href() {
      return super.href
    }
    override set href(url: string) {
      super.href = url
      this.#analyze()
    }
  }

  const addressIn = (configured: string, path: string) => {
    const nextUrl = new AddressInNext(ORIGIN + path, configured)
    const { url, ...others } = publicAddress({ url: ORIGIN + path, nextUrl }, '/shop/api/auth')
    return { path: url.slice(ORIGIN.length), ...others }
  }
  const addressOf = (path: string) => addressIn('/shop', path)

  it('is that of the visitor, though Next.js puts the locale before basePath', () => {
    const basePath = '/shop'
    expect(addressOf('/de/shop/de/papers/?a=b')).to.deep.equal({ path: '/shop/de/papers/?a=b', basePath })
    expect(addressOf('/de/shop/DE/papers')).to.deep.equal({ path: '/shop/DE/papers', basePath })
    expect(addressOf('/pt-BR/shop/pt-br')).to.deep.equal({ path: '/shop/pt-br', basePath })
  })

  it('stays as it is where Next.js knows its basePath', () => {
    expect(addressOf('/shop/papers')).to.deep.equal({ path: '/shop/papers', basePath: '/shop' })
    for (const path of [
      '/de/papers',
      '/de/shop/papers',
      '/de/shop/design',
      '/de/shopping/de',
      '/de/SHOP/de/x',
      '/papers',
    ])
      expect(addressOf(path)).to.deep.equal({ path, basePath: '' })
  })

  it('stays as it is where there is no basePath, though a page has such a path', () => {
    for (const path of ['/de/shop/de/papers', '/pt-BR/shop/pt-br', '/shop/de/papers', '/de/shop/papers'])
      expect(addressIn('', path)).to.deep.equal({ path, basePath: '' })
  })
})

describe('latchkey/next where it cannot run', () => {
  it('says so on the edge runtime', async () => {
    const error = await import('../../../lib/frameworks/next/edge.js').catch((thrown: Error) => thrown)
    expect(error).to.be.instanceOf(Error).with.property('message').that.includes('Node.js runtime')
  })
})
