import { createRequire, syncBuiltinESMExports } from 'node:module'
import { expect } from 'chai'
import express from 'express'
import { basePathOf } from '../../lib/frameworks/express/express-auth.js'
import { createActionURL, expressAuth, startSignIn } from '../../lib/index.js'
import { bearerTokenOf } from '../../lib/kernel/bearer-token.js'
import { bodyKind, parseBody, parseForm } from '../../lib/kernel/body.js'
import { matchesHost } from '../../lib/kernel/host-patterns.js'
import { nearestName } from '../../lib/kernel/nearest-name.js'
import { networkOf } from '../../lib/kernel/network.js'
import { publicOrigin } from '../../lib/kernel/origin.js'
import { pathReadings } from '../../lib/kernel/path-readings.js'
import { parseCookies } from '../../lib/kernel/request-cookies.js'
import { parseTarget } from '../../lib/kernel/return-target.js'
import { agreeOnIssuer } from '../../lib/oauth/issuer.js'
import { usableEndpoint } from '../../lib/oauth/metadata.js'
import { chooseLanguage } from '../../lib/pages/texts/text.js'
import Bungie from '../../lib/providers/catalogue/bungie.js'
import Osu from '../../lib/providers/catalogue/osu.js'
import { parseAddress, recipient } from '../../lib/providers/mail/address.js'
import { readIdentifier } from '../../lib/providers/mail/identifier.js'
import { checkMappedUser } from '../../lib/providers/mapped-user.js'
import { usableId } from '../../lib/providers/profile-mapping.js'
import type { ResolvedEmailProvider, ResolvedOAuthProvider } from '../../lib/providers/provider.js'
import { clearSessionCookie, readSessionCookie } from '../../lib/sessions/session-cookie.js'
import { describeUserAgent } from '../../lib/sessions/session-list.js'
import { isSessionToken } from '../../lib/sessions/stored-token.js'
import { createLog, listen, passwords, type Running, testConfig } from '../support/app.js'
import { cookieSpecs } from '../support/cookie-specs.js'
import { rowsOfFeatures } from '../support/of-features.js'
import { untyped } from '../support/untyped.js'

const SIZE = 64 * 1024
const LETTERS = String.fromCodePoint(...Array.from({ length: 20_000 }, (_, index) => 0x4e00 + index))
const ideographs = (LETTERS + LETTERS + LETTERS + LETTERS).slice(0, SIZE)
const marks = `a${'\u0315\u0300'.repeat(SIZE / 2)}`
const numbered = (separator: string) =>
  Array.from({ length: SIZE / 6 }, (_, index) => `v${10_000 + index}`).join(separator)

/** Texts that cost most where something takes a time that grows with the square of the length. */
const WORST: readonly string[] = [
  marks,
  `${marks}@app.example`,
  `ada@${ideographs}`,
  ideographs,
  `https://${ideographs}`,
  `https:${ideographs}`,
  `//${ideographs}`,
  `\thttps://${ideographs}`,
  `ht\ntps:/\r/${ideographs}`,
  `https://\t${ideographs}/x`,
  `https://${encodeURIComponent(ideographs).slice(0, SIZE)}`,
  `https://xn--${'a9'.repeat(SIZE / 2)}`,
  `${'/'.repeat(SIZE)}a`,
  `/auth/${'/'.repeat(SIZE)}%41/`,
  `${' '.repeat(SIZE)}a`,
  `a${'\t '.repeat(SIZE / 2)}é`,
  `${'%'.repeat(SIZE)}\n`,
  `en-${numbered('-')}`,
  `en-u-${'aa-bbbb-'.repeat(SIZE / 8)}cc`,
  numbered(', '),
  `${'%2f'.repeat(SIZE / 3)}`,
  numbered('; '),
  'a;'.repeat(SIZE / 2),
  `Bearer${' '.repeat(SIZE)}é`,
  'a.'.repeat(SIZE / 2),
  'authjs.session-token.'.repeat(SIZE / 21),
]

/** Most characters that may reach what takes a time of the square of their number. */
const FEW = 2000

/** One call of something slow with a long text. */
interface Slow {
  readonly what: string
  readonly length: number
}

/**
 * Patterns that are no problem although they are not bound to the beginning of the text: their first character is rare, and
 * what follows it is read once.
 */
const LINEAR = new Set([
  String.raw`(?:^|,)[\t ]*bearer(?:[\t ,]|$)`,
  String.raw`(?:^|[[.])(?:__proto__|constructor|prototype)(?:$|[\].[])`,
])

/**
 * Whether a search with a pattern may take a time of the square of the length of a text: it starts anew at each character, and
 * repeats something before something else that may be missing.
 */
const mayBeSlow = ({ source, sticky }: RegExp) =>
  !sticky &&
  !source.startsWith('^') &&
  /(?:[+*]|\{\d+,\})\??(?!\)*$)/.test(source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')) &&
  !LINEAR.has(source)

/** Does work, and gives each call of something slow that got a long text. It counts calls and characters, and measures no time. */
async function slowCalls(work: () => unknown): Promise<readonly Slow[]> {
  const calls: Slow[] = []
  let isJudging = false
  const note = (what: string, text: unknown, length = String(text).length) => {
    if (length > FEW) calls.push({ what, length })
  }
  const restore: (() => void)[] = []
  const replace = (target: object, name: string, make: (original: never) => unknown) => {
    const original = Object.getOwnPropertyDescriptor(target, name) as PropertyDescriptor
    Object.defineProperty(target, name, { ...original, value: make(original.value as never) })
    restore.push(() => Object.defineProperty(target, name, original))
  }
  /** The host is what costs; a path of a URL is read once. */
  const hostOf = (text: string) =>
    /^[/?#](?![/\\])/.test(text) ? 0 : (/^[^/?#\\]*[/\\]*[^/?#\\]*/.exec(text)?.[0].length ?? 0)
  const url = (text: unknown) =>
    note(
      'URL',
      text,
      hostOf(
        String(text)
          .replace(/[\t\r\n]/g, '')
          .trimStart(),
      ),
    )
  replace(
    globalThis,
    'URL',
    (original: typeof URL) =>
      new Proxy(original, {
        construct: (target, args: [string, string?]) => {
          url(args[0])
          return new target(...args)
        },
        get: (target, name) =>
          name === 'canParse'
            ? (text: string, base?: string) => {
                url(text)
                return target.canParse(text, base)
              }
            : Reflect.get(target, name),
      }),
  )
  for (const name of ['normalize', 'localeCompare', 'toLocaleLowerCase', 'toLocaleUpperCase']) {
    replace(
      String.prototype,
      name,
      (original: (...args: unknown[]) => unknown) =>
        function (this: string, ...args: unknown[]) {
          note(name, this)
          return original.apply(this, args)
        },
    )
  }
  for (const name of ['Locale', 'Segmenter'] as const) {
    replace(
      Intl,
      name,
      (original: new (...args: unknown[]) => object) =>
        new Proxy(original, {
          construct: (target, args) => {
            note(`Intl.${name}`, args[0])
            return new target(...args)
          },
        }),
    )
  }
  replace(
    RegExp.prototype,
    'exec',
    (original: (text: string) => unknown) =>
      function (this: RegExp, text: string) {
        // What is done here to judge a pattern uses patterns, too.
        if (!isJudging) {
          isJudging = true
          if (mayBeSlow(this)) note(`/${this.source}/`, text)
          isJudging = false
        }
        return original.call(this, text)
      },
  )
  const nodeUrl = createRequire(import.meta.url)('node:url') as Record<string, (text: string) => string>
  const originals = { ...nodeUrl }
  for (const name of ['domainToASCII', 'domainToUnicode'] as const) {
    nodeUrl[name] = (text) => {
      note(name, text)
      return (originals[name] as (text: string) => string)(text)
    }
  }
  syncBuiltinESMExports()
  try {
    await work()
  } catch (error) {
    // Most of these texts are refused. A fault of the count itself would hide what it should find.
    if (error instanceof RangeError && error.message.includes('call stack')) throw error
  } finally {
    for (const each of restore.reverse()) each()
    Object.assign(nodeUrl, originals)
    syncBuiltinESMExports()
  }
  return calls
}

const ORIGIN = 'https://app.example'
const specs = cookieSpecs(false)
const headersWith = (name: string, value: string) =>
  untyped<Headers>({ get: (asked: string) => (asked === name ? value : 'app.example') })
const provider = (more: object) =>
  untyped<ResolvedOAuthProvider>({ id: 'acme', verifiedEmail: ({ email }: { email: string }) => email, ...more })
const mountOf = (path: string, url: string, params: object) =>
  basePathOf(
    untyped({ originalUrl: path, url, params }),
    untyped({ basePath: '/auth', hasOwnBasePath: true, strippedPrefix: '' }),
  )

/** Everywhere a text of a visitor or a provider meets a parser, a normalization or a pattern. */
const PLACES: Readonly<Record<string, (text: string) => unknown>> = {
  'a return target': (text) => parseTarget(text, ORIGIN),
  'a return target of the longest length': (text) => parseTarget(text.slice(0, 3900), ORIGIN),
  'the header Host, where every host is trusted': (text) =>
    publicOrigin({ protocol: 'https', host: text, proxyTrusted: true }, { url: null, trustHost: true, hosts: null }),
  'the header Host, where hosts are named': (text) => matchesHost(text, ['*.app.example']),
  'the header Host of createActionURL': (text) => createActionURL('signin', 'https', headersWith('host', text), {}, {}),
  'X-Forwarded-Host of createActionURL': (text) =>
    createActionURL('signin', 'https', headersWith('x-forwarded-host', text), {}, {}),
  'X-Forwarded-Proto of createActionURL': (text) =>
    createActionURL('signin', 'https', headersWith('x-forwarded-proto', text), {}, {}),
  'the path of a mount with a wildcard': (text) => mountOf(`/auth/${text}`, '/', { splat: text.split('/') }),
  'the path of a mount with a wildcard, decoded': (text) =>
    mountOf(`/auth/${text}%41/`, '/', { splat: `${text}A/`.split('/') }),
  'the path of a mount of Express 4': (text) => mountOf(`/auth/${text}`, `/auth/${text}`, { 0: text }),
  'the path of a mount': (text) => mountOf(`/auth/${text}`, `/${text}`, {}),
  'the path at a guard': (text) => pathReadings(`/${text}`, { foldsCase: true }),
  'Accept-Language': (text) => chooseLanguage(text, ['en', 'de']),
  'User-Agent': (text) => describeUserAgent(text),
  'the address of a client': networkOf,
  Authorization: (text) => bearerTokenOf(() => text),
  'Content-Type': (text) => bodyKind(text, false),
  'a form or a query': parseForm,
  'names of a form': (text) => parseForm(`${encodeURIComponent(text)}=1`),
  'a body of JSON': (text) => parseBody(JSON.stringify({ [text]: text }), 'json'),
  cookies: (text) => [...parseCookies(text)],
  'the session cookie': (text) => readSessionCookie(parseCookies(`authjs.session-token=${text}`), specs.sessionToken),
  'pieces of the session cookie': (text) => clearSessionCookie(parseCookies(text), specs.sessionToken),
  'a session token': isSessionToken,
  'an entered address': (text) => readIdentifier(untyped<ResolvedEmailProvider>({ id: 'email', source: {} }), text),
  'an address': parseAddress,
  'a recipient': recipient,
  'the address in a profile': (text) =>
    checkMappedUser(provider({}), { id: '1', email: text }, { email: text }, () => {}),
  'the verified address in a profile': (text) =>
    checkMappedUser(provider({}), { id: '1', email: 'ada@app.example' }, { email: text }, () => {}),
  'the id in a profile': usableId,
  'the picture of osu!': (text) =>
    untyped<{ profile(p: object): unknown }>(Osu({})).profile({ id: 1, avatar_url: text }),
  'the picture of Bungie': (text) =>
    untyped<{ profile(p: object): unknown }>(Bungie({ apiKey: 'key' })).profile({
      Response: { bungieNetUser: { membershipId: '1', profilePicturePath: text } },
    }),
  'an endpoint in metadata': (text) => usableEndpoint(provider({}), text, true),
  'the issuer in metadata': (text) => agreeOnIssuer(provider({ issuer: `${text}/` }), text),
  'the id of a provider': (text) => nearestName(text, ['github', 'google']),
  ...(await rowsOfFeatures<(text: string) => unknown>('places-of-texts')),
}

describe('64 kB of the worst text', () => {
  for (const [place, read] of Object.entries(PLACES)) {
    it(`${place}: nothing that takes the square of the length sees more than a few characters (WEB-05)`, async () => {
      for (const text of WORST) {
        expect(await slowCalls(() => read(text)), JSON.stringify(text.slice(0, 20))).to.deep.equal([])
      }
    })
  }

  it('is seen by the count where nothing bounds it, so that the tests above can fail', async () => {
    const found = async (work: () => unknown) => (await slowCalls(work)).map(({ what }) => what)
    expect(await found(() => new URL(`https://${ideographs.slice(0, 3000)}`))).to.deep.equal(['URL'])
    expect(await found(() => URL.canParse(`//${ideographs.slice(0, 3000)}`, ORIGIN))).to.deep.equal(['URL'])
    expect(await found(() => new URL(`/${'a'.repeat(SIZE)}`, ORIGIN))).to.deep.equal([])
    expect(await found(() => marks.slice(0, 3000).normalize('NFC'))).to.deep.equal(['normalize'])
    expect(await found(() => '/'.repeat(3000).replace(/\/+$/, ''))).to.deep.equal([String.raw`/\/+$/`])
    expect(await found(() => new Intl.Locale(`en-${numbered('-').slice(0, 3000)}`))).to.deep.equal(['Intl.Locale'])
  })
})

describe('a Cookie header that only repeats the name of a cookie', () => {
  /** Characters that the methods of strings go through one by one, or copy, while work is done. */
  function charactersSeen(work: () => unknown): number {
    const { charCodeAt, slice, lastIndexOf } = String.prototype
    let seen = 0
    String.prototype.charCodeAt = function (at) {
      seen += 1
      return charCodeAt.call(this, at)
    }
    String.prototype.slice = function (...range) {
      const part = slice.apply(this, range)
      seen += part.length
      return part
    }
    String.prototype.lastIndexOf = function (this: string, text, from = this.length) {
      const at = lastIndexOf.call(this, text, from)
      seen += from - at
      return at
    }
    try {
      work()
    } finally {
      Object.assign(String.prototype, { charCodeAt, slice, lastIndexOf })
    }
    return seen
  }

  for (const name of ['sid', 'authjs.session-token']) {
    it(`is searched for ${name} in a time that grows with its length (WEB-05)`, () => {
      const header = name.repeat(SIZE / name.length)
      expect(charactersSeen(() => parseCookies(header).get(name))).to.be.lessThan(2 * SIZE)
    })
  }
})

describe('a mount with a wildcard', () => {
  let app: Running
  afterEach(() => app.close())

  for (const path of ['/auth/run-npx-evil%41/', '/auth/signin%2f', '/auth//%73ignin/', '/auth/%41%2F%2f//']) {
    it(`stays where it is for ${path}, and the log has no word of it`, async () => {
      const warned: unknown[] = []
      const logger = { ...createLog().logger, warn: (code: string, data: unknown) => warned.push([code, data]) }
      const secret = `a secret of this test alone, for ${path}`
      app = await listen(express().use('/auth/*splat', expressAuth(testConfig({ logger, secret }))))
      const answer = await app.visitor().get(path)
      expect(answer.text).not.to.contain(path)
      expect(JSON.stringify(warned)).to.equal('[]')
    })
  }

  it('is not repeated by the warning of another path where the visitor has written a part of it', async () => {
    const warned: unknown[] = []
    const logger = { ...createLog().logger, warn: (code: string, data: unknown) => warned.push([code, data]) }
    const router = express.Router().use('/sign', expressAuth(testConfig({ logger })))
    app = await listen(express().use('/:tenant', router))
    await app.visitor().get('/run-npx-evil/sign/signin')
    expect(JSON.stringify(warned)).to.contain('mount-basepath-mismatch').and.not.contain('run-npx-evil')
  })
})

describe('the id of a provider that a visitor names', () => {
  it('is answered with 404 at any length', async () => {
    const server = express()
    const config = testConfig({ providers: [passwords] })
    server.post('/login', express.json({ limit: '1mb' }), async (req, res) => {
      await startSignIn(req, res, config, req.body.provider).catch((error) => void res.status(error.status).end())
    })
    const app = await listen(server)
    expect((await app.visitor().postJson('/login', { provider: ideographs })).status).to.equal(404)
    await app.close()
  })
})
