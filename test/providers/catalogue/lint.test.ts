import { expect } from 'chai'
import { resolveConfig } from '../../../lib/compose.js'
import { readEnv } from '../../../lib/config/env.js'
import { AuthError } from '../../../lib/kernel/errors.js'
import { contrastRatio, parseColour } from '../../../lib/pages/colour.js'
import { loadMarks } from '../../../lib/pages/loaded-assets.js'
import { BUTTON, providerMark } from '../../../lib/pages/provider-mark.js'
import GitHub from '../../../lib/providers/catalogue/github.js'
import type { Provider, ProviderEnvironment } from '../../../lib/providers/provider.js'
import { resolveProvider } from '../../../lib/providers/resolve-provider.js'
import {
  type CatalogueEntry,
  catalogueIds,
  DEPARTURES,
  entrySource,
  importEntry,
  providerFacts,
  SAMPLE_OPTIONS,
} from '../../support/catalogue.js'
import { quiet, resolved } from '../../support/oauth-driver.js'

const CLIENT = { clientId: 'client', clientSecret: 'secret' }
const ENVIRONMENT = { ...CLIENT, issuer: 'https://id.example.com', apiKey: 'key' }

/** What people can change about themselves, so that it may be somebody else's tomorrow. */
const MUTABLE =
  /\b(e_?mails?|login|user_?name|preferred_username|nick_?name|screen_name|display_?name|handle|slug|name)\b\)?$/i

/** Options that no value of the environment stands in for. */
const TO_BE_CALLED: Readonly<Record<string, readonly string[]>> = {
  netsuite: ['accountId', 'userinfoUrl'],
  sailpoint: ['tenant'],
  shikimori: ['appName'],
}

/** OpenID providers whose ID tokens hold little more than who it is: the rest is at the userinfo endpoint. */
const PROFILE_AT_USERINFO =
  `autodesk bankid-no duende-identity-server6 identity-server4 intuit okta railway salesforce vipps
zitadel`.split(/\s+/)

/** What two or three options make together: those that are missing when one is given alone. */
const HALVES: Readonly<Record<string, readonly [given: object, missing: readonly string[]]>> = {
  apple: [{ teamId: 'T', keyId: 'K' }, ['privateKey']],
  authentik: [{ domain: 'id.example.com' }, ['slug']],
  'azure-ad-b2c': [{ tenant: 'contoso', policy: 'B2C_1_in' }, ['tenantId']],
  cognito: [{ userPoolId: 'eu-central-1_Ab1Cd2Ef3' }, ['region']],
  netsuite: [{ accountId: '1234567' }, ['userinfoUrl']],
}

/** Options that the environment may give, and where. */
const FROM_ENVIRONMENT: Readonly<Record<string, readonly [option: string, variable: string]>> = {
  asgardeo: ['issuer', 'AUTH_ASGARDEO_ISSUER'],
  auth0: ['issuer', 'AUTH_AUTH0_ISSUER'],
  authentik: ['issuer', 'AUTH_AUTHENTIK_ISSUER'],
  'azure-ad-b2c': ['issuer', 'AUTH_AZURE_AD_B2C_ISSUER'],
  beyondidentity: ['issuer', 'AUTH_BEYONDIDENTITY_ISSUER'],
  'boxyhq-saml': ['issuer', 'AUTH_BOXYHQ_SAML_ISSUER'],
  bungie: ['apiKey', 'AUTH_BUNGIE_KEY'],
  cognito: ['issuer', 'AUTH_COGNITO_ISSUER'],
  'duende-identity-server6': ['issuer', 'AUTH_DUENDE_IDENTITY_SERVER6_ISSUER'],
  frontegg: ['issuer', 'AUTH_FRONTEGG_ISSUER'],
  fusionauth: ['issuer', 'AUTH_FUSIONAUTH_ISSUER'],
  gitea: ['baseUrl', 'AUTH_GITEA_ISSUER'],
  'identity-server4': ['issuer', 'AUTH_IDENTITY_SERVER4_ISSUER'],
  keycloak: ['issuer', 'AUTH_KEYCLOAK_ISSUER'],
  kinde: ['issuer', 'AUTH_KINDE_ISSUER'],
  logto: ['issuer', 'AUTH_LOGTO_ISSUER'],
  mastodon: ['issuer', 'AUTH_MASTODON_ISSUER'],
  mattermost: ['issuer', 'AUTH_MATTERMOST_ISSUER'],
  nextcloud: ['issuer', 'AUTH_NEXTCLOUD_ISSUER'],
  okta: ['issuer', 'AUTH_OKTA_ISSUER'],
  onelogin: ['issuer', 'AUTH_ONELOGIN_ISSUER'],
  'ory-hydra': ['issuer', 'AUTH_ORY_HYDRA_ISSUER'],
  'ping-id': ['issuer', 'AUTH_PING_ID_ISSUER'],
  synology: ['baseUrl', 'AUTH_SYNOLOGY_ISSUER'],
  'united-effects': ['issuer', 'AUTH_UNITED_EFFECTS_ISSUER'],
  zitadel: ['issuer', 'AUTH_ZITADEL_ISSUER'],
}

describe('the catalogue', () => {
  const entries = new Map<string, CatalogueEntry>()
  before(async () => {
    for (const id of catalogueIds) entries.set(id, await importEntry(id))
  })

  const entryOf = (id: string) => entries.get(id) as CatalogueEntry
  const provider = (id: string) => resolved(entryOf(id)({ ...CLIENT, ...SAMPLE_OPTIONS[id] }))
  const findings = (id: string, environment: ProviderEnvironment) =>
    resolveProvider(entryOf(id), { environment: () => environment, redirectProxyUrl: undefined, logger: quiet })
      .findings
  /** The ids of all entries that something is wrong with. */
  const thoseWith = (isWrong: (id: string) => unknown) => catalogueIds.filter(isWrong)

  it('has an entry for each provider that there are facts of, and no other', () => {
    expect(catalogueIds).to.deep.equal([...providerFacts.keys()].sort())
    expect(thoseWith((id) => provider(id).id !== id)).to.deep.equal([])
    expect(Object.keys(DEPARTURES).filter((id) => !catalogueIds.includes(id))).to.deep.equal([])
  })

  it('names and colours each as the facts do', () => {
    const colour = (id: string) => provider(id).style.brandColor
    const others = ['google', 'github']
    expect(thoseWith((id) => provider(id).name !== providerFacts.get(id)?.name)).to.deep.equal([])
    expect(
      thoseWith((id) => !others.includes(id) && (colour(id) ?? null) !== providerFacts.get(id)?.brandColor),
    ).to.deep.equal([])
    expect(thoseWith((id) => !/^#[0-9a-f]{6}$/.test(colour(id) ?? '#000000'))).to.deep.equal([])
  })

  it('uses https alone', () => {
    const isPlain = (id: string) => {
      const { authorization, token, userinfo, jwksUrl, discoveryUrl } = provider(id)
      const urls = [authorization.url, token.url, userinfo.url, jwksUrl, discoveryUrl]
      return urls.some((url) => url && url.protocol !== 'https:') || /http:/.test(entrySource(id))
    }
    expect(thoseWith(isPlain)).to.deep.equal([])
  })

  it('knows no account by what its owner can change', () => {
    const ids = (id: string) =>
      [...entrySource(id).matchAll(/\bid: (.+?),?$/gm)]
        .map(([, value = '']) => value)
        .filter((text) => !/^'/.test(text))
    expect(thoseWith((id) => ids(id).some((text) => MUTABLE.test(text)))).to.deep.equal([])
    // Every mapping is either standard, or makes its id in the one way that refuses an absent one.
    const isMapped = (id: string) => /standardClaims|accountId\(/.test(entrySource(id))
    expect(thoseWith((id) => id !== 'azure-ad' && !isMapped(id))).to.deep.equal([])
    expect(thoseWith((id) => /String\((profile|user|me|data)\b/.test(entrySource(id)))).to.deep.equal([])
  })

  it('passes each address through the policy for unverified ones', () => {
    const loose = (id: string) =>
      /email: (?!null|usableEmail\()\w/.test(entrySource(id).split('export default')[1] ?? '')
    // These read a list in which each address says whether it is verified, and take none that is not.
    expect(thoseWith(loose)).to.deep.equal(['bitbucket', 'github'])
  })

  it('PKCE-01: always sends state, PKCE wherever it does no harm, and a nonce wherever there is an ID token', () => {
    const has = (id: string, check: 'state' | 'pkce' | 'nonce') => provider(id).checks.has(check)
    expect(thoseWith((id) => !has(id, 'state'))).to.deep.equal([])
    expect(thoseWith((id) => !has(id, 'pkce'))).to.deep.equal(
      thoseWith((id) => providerFacts.get(id)?.pkceSupported === false),
    )
    expect(thoseWith((id) => provider(id).type === 'oidc' && !has(id, 'nonce'))).to.deep.equal(['linkedin'])
    expect(thoseWith((id) => provider(id).unsupportedChecks.size > 0)).to.deep.equal(['linkedin'])
  })

  it('weakens nothing silently', () => {
    const weak = /allowDangerous|allowInsecureHttp|'none'\]|response_type/
    expect(thoseWith((id) => weak.test(entrySource(id)))).to.deep.equal([])
    // Their ID tokens name further audiences, and this client as `azp`.
    expect(thoseWith((id) => /trustedAudiences/.test(entrySource(id)))).to.deep.equal(['kinde', 'zitadel'])
    expect(thoseWith((id) => provider(id).client.token_endpoint_auth_method === 'none')).to.deep.equal(
      thoseWith((id) => providerFacts.get(id)?.tokenEndpointAuthMethod === 'none'),
    )
    const symmetric = (id: string) => provider(id).client.id_token_signed_response_alg?.startsWith('HS')
    expect(thoseWith(symmetric)).to.deep.equal(['line'])
  })

  it('reads the profile where the provider has it', () => {
    const isThin = (id: string) => provider(id).claimsFrom === 'userinfo'
    expect(thoseWith(isThin)).to.deep.equal(PROFILE_AT_USERINFO)
  })

  it('says of its endpoints what its hooks do', () => {
    const place = (url: URL) => url.origin + url.pathname
    const differs = (id: string, name: 'token' | 'userinfo') => {
      const declared = provider(id)[name].url
      const known = providerFacts.get(id)?.[name]?.url ?? '{discovered}'
      // Where there is a template in the URL, the table of sign-ins compares what is asked.
      return declared !== null && !known.includes('{') && place(declared) !== place(new URL(known))
    }
    expect(thoseWith((id) => differs(id, 'token'))).to.deep.equal([])
    expect(thoseWith((id) => differs(id, 'userinfo'))).to.deep.equal([])
  })

  it('stands in the list bare, with everything from the environment', () => {
    expect(thoseWith((id) => findings(id, ENVIRONMENT).length > 0)).to.deep.equal(Object.keys(TO_BE_CALLED))
  })

  it('says what is missing when the environment is empty', () => {
    const variable = (id: string) => `AUTH_${id.toUpperCase().replaceAll('-', '_')}_ID`
    const isSilent = (id: string) => !findings(id, {}).some(({ message }) => message.includes(variable(id)))
    expect(thoseWith(isSilent)).to.deep.equal([])
  })

  it('names each option that is missing, and the variable of the environment that may stand in for it', () => {
    const messages = (id: string) => findings(id, CLIENT).map(({ message }) => message)
    expect(thoseWith((id) => messages(id).length > 0)).to.deep.equal(
      [...Object.keys(TO_BE_CALLED), ...Object.keys(FROM_ENVIRONMENT)].sort(),
    )
    for (const [id, options] of Object.entries(TO_BE_CALLED)) {
      for (const option of options) expect(messages(id).join('\n')).to.include(option)
    }
    for (const [id, [option, variable]] of Object.entries(FROM_ENVIRONMENT)) {
      expect(messages(id).join('\n')).to.include(option).and.include(variable)
    }
  })

  it('reports all of these at the start, in one error, among whatever else is wrong', () => {
    const incomplete = [...Object.keys(TO_BE_CALLED), ...Object.keys(FROM_ENVIRONMENT)]
    const start = (make: (id: string) => Provider) => {
      try {
        resolveConfig(
          { providers: [...incomplete.map(make), GitHub] },
          { env: readEnv({ AUTH_GITHUB_ID: 'id' }), now: Date.now },
        )
      } catch (error) {
        return error as Error
      }
      throw new Error('the configuration was accepted')
    }
    const bare = start((id) => entryOf(id) as unknown as Provider)
    const called = start((id) => entryOf(id)({ clientId: 'client' }))
    for (const error of [bare, called]) {
      expect(error).to.be.instanceOf(AuthError)
      expect(error.message).to.include('There is no secret').and.include('AUTH_GITHUB_SECRET')
      expect(error.message).not.to.include('threw')
      const lineAbout = (id: string, option: string) =>
        error.message.split('\n').find((line) => line.startsWith(`- Provider "${id}" has no ${option}.`))
      for (const [id, options] of Object.entries(TO_BE_CALLED)) {
        for (const option of options) expect(lineAbout(id, option)).to.include(`Set its ${option} option.`)
      }
      for (const [id, [option, variable]] of Object.entries(FROM_ENVIRONMENT)) {
        expect(lineAbout(id, option), id)
          .to.match(new RegExp(`Set its ${option} option(?:, or|\\. Or set) ${variable} in the environment`))
          .and.to.match(/\.$/)
      }
    }
  })

  it('misses the other half of an option that is not enough by itself', () => {
    for (const [id, [given, missing]] of Object.entries(HALVES)) {
      const { findings: found } = resolveProvider(entryOf(id)({ ...CLIENT, ...given }), {
        environment: () => ({}),
        redirectProxyUrl: undefined,
        logger: quiet,
      })
      expect(found.map(({ message }) => message)).to.deep.equal(
        missing.map((option) => `Provider "${id}" has no ${option}. Set its ${option} option.`),
      )
    }
  })

  it('takes an issuer from the environment with options beside it, as Auth.js does', () => {
    const discovered = Object.keys(FROM_ENVIRONMENT).filter((id) => {
      const { type, missingOptions } = entryOf(id)({})
      return type === 'oidc' && !missingOptions
    })
    expect(discovered).to.include.members([
      'auth0',
      'authentik',
      'cognito',
      'fusionauth',
      'keycloak',
      'okta',
      'zitadel',
    ])
    for (const id of discovered) {
      const called = entryOf(id)({ scope: 'openid', issuer: undefined })
      expect(resolved(called, { ...CLIENT, issuer: 'https://id.example.com/' }).issuer, id).to.equal(
        'https://id.example.com/',
      )
    }
  })

  it('shows each on the sign-in page so that it is seen, light and dark', async () => {
    const marks = await loadMarks()
    for (const id of catalogueIds) {
      const { name, style } = provider(id)
      const mark = providerMark(name, style, marks[id])
      if (mark.kind === 'letter') {
        const [fill, ink] = [parseColour(mark.fill), parseColour(mark.ink)]
        if (fill && ink) expect(contrastRatio(fill, ink), id).to.be.at.least(3)
        continue
      }
      if (mark.kind === 'image') return expect.fail(`${id} has an image`)
      if (mark.kind === 'colours') {
        // Its owner chose the colours. One part at least stands out, and the name is beside it.
        const colours = mark.parts.map(({ fill }) => parseColour(fill))
        for (const background of [...BUTTON.light, ...BUTTON.dark]) {
          const contrasts = colours.map((colour) => (colour ? contrastRatio(colour, background) : 0))
          expect(Math.max(...contrasts), id).to.be.at.least(3)
        }
        continue
      }
      for (const scheme of ['light', 'dark'] as const) {
        const fill = parseColour(mark.fill)
        // A colour that would not be seen is not used: then the mark is in the colour of the text.
        if (!mark[scheme] || !fill) continue
        for (const background of BUTTON[scheme]) {
          expect(contrastRatio(fill, background), `${id}, ${scheme}`).to.be.at.least(3)
        }
      }
    }
  })

  it('takes the options of Auth.js that have another name here as well', () => {
    expect(resolved(entryOf('mastodon'), ENVIRONMENT).authorization.url?.href).to.equal(
      'https://id.example.com/oauth/authorize',
    )
    expect(
      resolved(entryOf('gitlab')({ ...CLIENT, baseUrl: new URL('https://git.example/sub/') })).token.url?.href,
    ).to.equal('https://git.example/sub/oauth/token')
    expect(resolved(entryOf('asgardeo')({ ...CLIENT, issuer: 'https://api.asgardeo.io/t/acme' })).issuer).to.equal(
      'https://api.asgardeo.io/t/acme/oauth2/token',
    )
    expect(resolved(entryOf('onelogin')({ ...CLIENT, issuer: 'https://acme.onelogin.com/oidc/2' })).issuer).to.equal(
      'https://acme.onelogin.com/oidc/2',
    )
  })
})
