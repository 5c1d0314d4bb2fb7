import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { createAskingBrowser } from '../../lib/flows/email/asking-browser.js'
import { createAttemptCookies } from '../../lib/flows/oauth/attempt-cookies.js'
import { createChallengeCookies } from '../../lib/flows/webauthn/challenge-cookies.js'
import { createDecoys } from '../../lib/flows/webauthn/decoys.js'
import { type CookieChange, cookieSpecs } from '../../lib/http/cookies.js'
import { FakeProvider } from '../support/fake-provider.js'
import { openMailFlow, resolved as resolvedMail } from '../support/mailbox.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'
import { Clock } from '../support/test-app.js'
import { NEW, OLD, STEPS } from './processes.js'

const specs = cookieSpecs(true)

/** What makes one kind of one-time cookie. */
type Maker = (cookies: ReadonlyMap<string, string>) => Promise<readonly CookieChange[]>

/** The makers of a process that has these secrets. */
function makers(secrets: readonly string[], clock: Clock): Record<string, Maker> {
  const oauth = resolved({
    id: 'acme',
    name: 'Acme',
    type: 'oauth',
    clientId: 'client',
    clientSecret: 'secret',
    authorization: 'https://acme.example/authorize',
    token: 'https://acme.example/token',
    userinfo: 'https://acme.example/me',
    profile: () => ({ id: '1' }),
  } as never)
  const attempts = createAttemptCookies(secrets, clock.now)
  const challenges = createChallengeCookies('passkey', secrets, clock.now)
  const mail = resolvedMail({ id: 'email', name: 'E-mail', type: 'email', sendVerificationRequest: () => {} } as never)
  const asking = createAskingBrowser(mail, secrets, clock.now)
  let count = 0
  const unique = (what: string) => {
    count += 1
    return `${what} ${secrets[0]} ${count}`
  }
  return {
    'a sign-in at a provider': (cookies) => {
      const state = unique('state')
      const attempt = { redirectUri: 'https://app.example/auth/callback/acme', issuer: null, initiator: null }
      const more = { values: { state }, maxAge: undefined, callbackUrl: undefined }
      return attempts.open({ provider: oauth, specs, cookies }, state, { ...attempt, ...more })
    },
    'a passkey ceremony': (cookies) =>
      challenges.open(
        { specs, cookies },
        {
          challenge: unique('challenge'),
          ceremony: 'authenticate',
          userId: null,
          owner: null,
          userVerification: true,
          allowed: [],
        },
      ),
    'a browser that asked for a link': (cookies) =>
      asking.mark({ specs, cookies }, { token: unique('token'), identifier: 'ada@example.com' }),
  }
}

describe('a one-time cookie that was made with a secret which this process does not know', () => {
  for (const kind of Object.keys(makers([OLD], new Clock()))) {
    /** A jar in which processes begin one thing after the other, a second apart. */
    const scene = () => {
      const clock = new Clock()
      const newer = makers([NEW], clock)[kind] as Maker
      const older = makers([OLD], clock)[kind] as Maker
      const jar = new CookieJar()
      const open = async (make: Maker) => {
        clock.advance(1)
        const names = new Set(jar.cookies.keys())
        jar.apply(await make(jar.cookies))
        return [...jar.cookies.keys()].find((name) => !names.has(name)) ?? ''
      }
      return { jar, newer: () => open(newer), older: () => open(older) }
    }

    it(`is not taken for the oldest: ${kind}`, async () => {
      const { jar, newer, older } = scene()
      const oldest = await older()
      for (const _ of [1, 2, 3]) await older()
      const justNow = await newer()
      await older()
      expect(jar.cookies.size).to.equal(5)
      expect([jar.cookies.has(oldest), jar.cookies.has(justNow)]).to.deep.equal([false, true])
    })

    it(`makes room when it is the oldest: ${kind}`, async () => {
      const { jar, newer, older } = scene()
      const oldest = await newer()
      for (const _ of [1, 2, 3, 4, 5]) await older()
      expect(jar.cookies.size).to.equal(5)
      expect(jar.cookies.has(oldest)).to.equal(false)
    })

    it(`is bounded like all others: ${kind}`, async () => {
      const { jar, newer, older } = scene()
      for (let each = 0; each < 20; each += 1) await (each % 2 === 0 ? newer() : older())
      expect(jar.cookies.size).to.equal(5)
    })

    it(`is told from one that is damaged, which goes first: ${kind}`, async () => {
      const { jar, older } = scene()
      for (const _ of [1, 2, 3, 4]) await older()
      const damaged = await older()
      jar.cookies.set(damaged, `${jar.cookies.get(damaged)?.slice(0, -8)}AAAAAAAA`)
      await older()
      expect([jar.cookies.size, jar.cookies.has(damaged)]).to.deep.equal([5, false])
    })
  }
})

describe('an answer that reaches a process which does not know the secret of its sign-in', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())

  it('is refused, and leaves the sign-in open for one that knows it', async () => {
    const provider = resolved({
      id: 'fake',
      name: 'fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      checks: ['pkce', 'state', 'nonce'],
    })
    const jar = new CookieJar()
    const url = await new OAuthDriver({ secrets: [NEW] }).start(provider, jar)
    const answer = fake.authorize(url.href)
    await failure(new OAuthDriver({ secrets: [OLD] }).finish(provider, jar, answer), 'InvalidCheck')
    expect(jar.cookies.size).to.equal(3)
    identityOf(await new OAuthDriver({ secrets: [NEW, OLD] }).finish(provider, jar, answer))
    expect(jar.cookies.size).to.equal(0)
  })
})

describe('passkeys that nobody has', () => {
  it('WEBAUTHN-21: change once while the secret is exchanged, and not at each step', () => {
    const shown = Object.values(STEPS).map((secrets) => JSON.stringify(createDecoys(secrets)('nobody@example.com')))
    const changes = shown.slice(1).filter((each, index) => each !== shown[index])
    expect(changes).to.have.length(1)
    expect(JSON.stringify(createDecoys([OLD, NEW])('a@example.com'))).to.equal(
      JSON.stringify(createDecoys([NEW, OLD])('a@example.com')),
    )
  })
})

describe('the secret of an e-mail provider', () => {
  it('is exchanged in the same three steps: links of the step before and after are good', async () => {
    const adapter = memoryAdapter()
    const steps = Object.values(STEPS)
    for (const [index, made] of steps.entries()) {
      for (const read of [steps[index - 1], steps[index + 1]]) {
        if (!read) continue
        const here = openMailFlow({ adapter, options: { secret: [...made] } })
        const there = openMailFlow({ adapter, options: { secret: [...read] } })
        await here.browser().ask()
        const outcome = await there.browser().press(here.mails[0]?.url ?? '')
        expect(outcome.kind, `${made} to ${read}`).to.equal('identity')
      }
    }
  })

  it('may not be an empty list', () => {
    const mail = { id: 'email', name: 'E-mail', type: 'email', sendVerificationRequest: () => {} }
    for (const secret of ['', []]) {
      expect(() => resolvedMail({ ...mail, secret } as never), JSON.stringify(secret)).to.throw(/secret/)
    }
  })
})
