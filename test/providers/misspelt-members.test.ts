import AuthJsCredentials from '@auth/core/providers/credentials'
import AuthJsGitHub from '@auth/core/providers/github'
import AuthJsPasskey from '@auth/core/providers/passkey'
import { expect } from 'chai'
import { anything, type Shape } from '../../lib/kernel/shape.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Google from '../../lib/providers/catalogue/google.js'
import Credentials from '../../lib/providers/credentials.js'
import Email from '../../lib/providers/email.js'
import Mailgun from '../../lib/providers/mail/mailgun.js'
import Resend from '../../lib/providers/mail/resend.js'
import { oauthProvider } from '../../lib/providers/oauth-provider.js'
import Passkey from '../../lib/providers/passkey.js'
import { customFetch, type Provider, type ProviderType } from '../../lib/providers/provider.js'
import { providerShape } from '../../lib/providers/provider-shapes.js'
import { resolveProviders } from '../../lib/providers/resolve-provider.js'
import { quiet } from '../support/oauth-driver.js'

const CLIENT = { clientId: 'client', clientSecret: 'secret' }

function check(provider: unknown, environment: object = {}) {
  const { providers, findings } = resolveProviders([provider as Provider], {
    environment: () => environment,
    redirectProxyUrl: undefined,
    logger: quiet,
  })
  return { provider: providers[0], message: findings.map(({ message }) => message).join('\n') }
}

const messageFor = (provider: unknown) => check(provider).message

const SOUND: Readonly<Record<ProviderType, object>> = {
  oauth: {
    ...CLIENT,
    authorization: { url: 'https://op.example/authorize' },
    token: { url: 'https://op.example/token' },
    userinfo: { url: 'https://op.example/me' },
  },
  oidc: { ...CLIENT, issuer: 'https://op.example' },
  credentials: { authorize: () => null },
  email: { sendVerificationRequest: () => {} },
  webauthn: {},
}
const soundOf = (type: ProviderType) => ({ id: 'acme', name: 'Acme', type, ...SOUND[type] })

/** A provider with one value at a path, everything else sound. */
const withMember = (type: ProviderType, path: readonly string[], value: unknown) => {
  const [outer = '', ...inner] = path
  const before = (soundOf(type) as Record<string, unknown>)[outer]
  return { ...soundOf(type), [outer]: place(before, inner, value) }
}
const place = (before: unknown, [name, ...rest]: readonly string[], value: unknown): unknown =>
  name === undefined
    ? value
    : { ...(before as object), [name]: place((before as Record<string, unknown> | undefined)?.[name], rest, value) }

function places(shape: Shape, path: readonly string[] = []): { path: readonly string[]; shape: Shape }[] {
  const members = Object.entries(shape.members ?? {})
  return [{ path, shape }, ...members.flatMap(([name, member]) => places(member, [...path, name]))]
}

describe('a provider with a misspelt member', () => {
  for (const type of ['oauth', 'oidc', 'credentials', 'email', 'webauthn'] as const) {
    // The names of parameters are the provider's affair: of them, only limits are checked.
    const everywhere = places(providerShape(type)).filter(({ path }) => path[1] !== 'params')
    it(`is accepted without one: ${type}`, () => {
      expect(messageFor(soundOf(type))).to.equal('')
    })
    for (const { path, shape } of everywhere.filter(({ shape }) => shape.members)) {
      // Whose functions these are, and what else is in it, is the library's affair.
      if (path[0] === 'simpleWebAuthn') continue
      it(`is refused, in ${[type, ...path].join('.')}`, () => {
        for (const name of Object.keys(shape.members ?? {})) {
          const wrong = name.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'))
          const message = messageFor(withMember(type, [...path, wrong], 'x'))
          const advice = name.length > 2 ? 'Did you mean ' : ''
          expect(message, name).to.contain(`Provider "acme": \`${[...path, wrong].join('.')}\` is unknown. ${advice}`)
        }
      })
    }
    it(`is refused with a value of another type: ${type}`, () => {
      const leaves = everywhere.filter(({ path, shape }) => path.length > 0 && shape !== anything)
      // Without an id, or with a wrong one, there is no name to call it by.
      for (const { path, shape } of leaves.filter(({ path }) => path[0] !== 'id')) {
        for (const wrong of [Symbol('wrong'), null, [undefined], Promise.resolve(), 5, true]) {
          if (shape.fits(wrong) && !Array.isArray(wrong)) continue
          if (shape.fits(wrong) && !shape.inside) continue
          expect(messageFor(withMember(type, path, wrong)), path.join('.')).to.contain(`\`${path.join('.')}`)
        }
      }
    })
  }

  it('is refused with the name that is meant', () => {
    for (const [provider, part] of [
      [GitHub({ clientID: 'x', clientSecret: 's' } as object), '`clientID` is unknown. Did you mean `clientId`?'],
      [GitHub({ ...CLIENT, enterprize: {} } as object), '`enterprize` is unknown. Did you mean `enterprise`?'],
      [GitHub({ ...CLIENT, authorization: { parms: {} } } as object), 'Did you mean `authorization.params`?'],
      [GitHub({ ...CLIENT, style: { brandcolor: '#fff' } } as object), 'Did you mean `style.brandColor`?'],
      [Google({ ...CLIENT, tenant: 'x' } as object), '`tenant` is unknown. Data of your own goes into `custom`.'],
      [
        Google({ ...CLIENT, client: { token_endpoint_auth_metod: 'x' } } as object),
        'client.token_endpoint_auth_method',
      ],
      [Credentials({ authorise: () => null } as never), 'Did you mean `authorize`?'],
      [AuthJsCredentials({ authorise: () => null } as never), 'Did you mean `authorize`?'],
      [AuthJsGitHub({ ...CLIENT, cheks: ['pkce'] } as object), 'Did you mean `checks`?'],
      [AuthJsGitHub({ ...CLIENT, allowDangerousEmailAcountLinking: true } as object), 'EmailAccountLinking`?'],
      [Email({ sendVerificationRequest: () => {}, normaliseIdentifier: () => '' } as object), 'normalizeIdentifier`?'],
      [Mailgun({ apiKey: 'k', regoin: 'EU' } as object), 'Did you mean `region`?'],
      [Passkey({ relyingParty: {} } as object), 'Did you mean `relayingParty`?'],
      [{ ...soundOf('oauth'), scope: 'read' }, '`scope` is unknown.'],
    ] as const) {
      expect(messageFor(provider)).to.contain(part)
    }
  })

  it('is reported with all its other faults, and never with its values', () => {
    const message = messageFor({
      ...soundOf('oauth'),
      clientId: '',
      clientSecret: 4815162342,
      tokn: 'marked-4815162342',
    })
    expect(message)
      .to.contain('`clientSecret` is a number; it must be a string.')
      .and.to.contain('Did you mean `token`?')
    expect(message).to.not.contain('4815162342')
    expect(messageFor({ ...soundOf('oauth'), clientId: '', tokn: 'x' })).to.match(/tokn.*\n.*has no client id/)
  })
})

describe('a provider', () => {
  it('takes what its function takes, and what the environment has for any', () => {
    expect(messageFor(GitHub({ ...CLIENT, enterprise: { baseUrl: 'https://git.example' } }))).to.equal('')
    expect(messageFor(Mailgun({ apiKey: 'k', region: 'EU', domain: 'mg.example' }))).to.equal('')
    const environment = { ...CLIENT, issuer: 'https://op.example', apiKey: 'key' }
    for (const provider of [GitHub, Resend, AuthJsGitHub]) expect(check(provider, environment).message).to.equal('')
    const Acme = oauthProvider<object, { region: string }>(({ region }) => ({
      ...soundOf('oauth'),
      userinfo: `https://${region}.op.example/me`,
    }))
    expect(messageFor(Acme({ ...CLIENT, region: 'eu' }))).to.equal('')
    expect(messageFor(Acme({ ...CLIENT, region: 'eu', regions: ['eu'] } as never))).to.contain('Did you mean `region`?')
  })

  it("has a place for an application's own data, and one for the options of its own function", () => {
    const { provider, message } = check({
      ...soundOf('oauth'),
      custom: { tenant: 'acme' },
      knownOptions: ['plan'],
      plan: 'x',
    })
    expect(message).to.equal('')
    expect(provider?.type === 'oauth' && provider.source.custom).to.deep.equal({ tenant: 'acme' })
  })

  it('made elsewhere keeps the options of its own function, unless they are nearly one of ours', () => {
    const made = { ...soundOf('oauth'), options: { accountID: '1', tenant: 'acme' } }
    expect(messageFor(made)).to.equal('')
    expect(messageFor({ ...made, options: { clientid: '1' } })).to.contain('Did you mean `clientId`?')
    expect(messageFor({ ...soundOf('oauth'), issuer: undefined, options: { isuer: 'x' } })).to.contain(
      'Did you mean `issuer`?',
    )
    expect(messageFor({ ...made, tenant: 'acme', options: {} })).to.contain('`tenant` is unknown')
  })

  it('is refused without what its function must be given', () => {
    for (const provider of [Credentials(undefined as never), Credentials({} as never), Credentials]) {
      expect(messageFor(provider)).to.match(/no authorize function, so nobody could sign in/)
    }
    expect(messageFor({ ...Credentials({} as never), authorize: () => ({ id: 'guest' }) })).to.equal('')
  })

  it('has options that are an object, since nothing else is merged', () => {
    class Options {
      readonly isMine = true
      authorize() {
        return { id: '1' }
      }
    }
    expect(messageFor(Credentials(new Options()))).to.contain(
      '`options` is an instance of Options; it must be an object.',
    )
    expect(messageFor({ ...soundOf('oauth'), options: 'scope=read' })).to.contain(
      '`options` is a string; it must be an object.',
    )
  })

  it('has a fetch that is a function', () => {
    for (const key of [customFetch, Symbol('custom-fetch')]) {
      expect(messageFor({ ...soundOf('oauth'), [key]: 'fetch' })).to.contain(
        '`[customFetch]` is a string; it must be a function.',
      )
      expect(messageFor({ ...soundOf('email'), options: { [key]: true } })).to.contain('`[customFetch]` is true')
    }
  })

  it('is one object with members of its own', () => {
    class Acme {
      id = 'acme'
      name = 'Acme'
      type = 'credentials'
      authorize() {
        return null
      }
    }
    expect(messageFor(new Acme())).to.contain('Provider "acme": `authorize` is inherited')
  })
})

describe('what stands in the list and is no provider', () => {
  it('is named by its place, with how to mend it', async () => {
    for (const [wrong, part] of [
      [
        undefined,
        '`providers[0]` is undefined; a provider is an object, or a function that makes one. Probably the name',
      ],
      [null, '`providers[0]` is null; a provider is an object, or a function that makes one. A provider that is there'],
      [false, '...(condition ? [GitHub] : [])'],
      ['github', '`providers[0]` is a string'],
      [
        [GitHub],
        '`providers[0]` is a list; a provider is an object, or a function that makes one. Write what is in it',
      ],
      [import('../../lib/providers/catalogue/github.js'), '`providers[0]` is a promise; a provider is an object'],
      [await import('../../lib/providers/catalogue/github.js'), '`providers[0]` is a module; a provider is an object'],
      [{ default: GitHub, __esModule: true }, 'Give what the module exports as its default'],
      [async () => GitHub(CLIENT), '`providers[0]` is a function that gives a promise'],
      [() => GitHub, '`providers[0]` is a function that gives a function'],
      [() => undefined, '`providers[0]` is a function that gives undefined'],
      [{}, '`providers[0]` has the id none'],
    ] as const) {
      expect(messageFor(wrong)).to.contain(part)
    }
  })

  it('of Auth.js too: its passkeys and credentials stand there as they are', () => {
    expect(messageFor(AuthJsPasskey({}))).to.equal('')
    expect(messageFor(AuthJsCredentials({ credentials: { name: {} }, authorize: () => null }))).to.equal('')
  })
})
