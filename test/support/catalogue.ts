import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { OAuthConfig } from '../../lib/providers/provider.js'

/** What is known of a provider, from its documentation. */
export interface ProviderFacts {
  id: string
  name: string
  type: 'oauth' | 'oidc'
  docs: string | null
  issuer?: string
  wellKnown?: string
  jwks?: string
  params?: string[]
  authorization: { url: string | null; params?: Record<string, string> }
  token: {
    url: string | null
    method?: 'GET'
    contentType?: string
    headers?: Record<string, string>
    params?: Record<string, string>
  }
  userinfo?: {
    url: string | null
    method?: 'POST'
    contentType?: string
    headers?: Record<string, string>
    params?: Record<string, string>
    body?: Record<string, string> | null
    auth?: string
    accessTokenIn?: string
    response?: string
  }
  scopes: string[]
  scopeSeparator?: string
  tokenEndpointAuthMethod: 'client_secret_basic' | 'client_secret_post' | 'none' | 'other'
  pkceSupported: boolean | 'unknown'
  issParameter: boolean | 'unknown'
  profile: Record<'id' | 'name' | 'email' | 'image' | 'emailVerified', string | null>
  extraRequests?: { url: string; headers?: Record<string, string> }[]
  numericId?: boolean
  brandColor: string | null
}

// biome-ignore lint/suspicious/noExplicitAny: each entry has options and a profile of its own
export type CatalogueEntry = (options?: any) => OAuthConfig<any>

const CATALOGUE = new URL('../../lib/providers/catalogue/', import.meta.url)
const DATA = new URL('../providers/catalogue/', import.meta.url)

const readJson = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, DATA), 'utf8')) as T

/** The ids of all entries: the names of their files. */
export const catalogueIds: readonly string[] = readdirSync(CATALOGUE)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3))
  .sort()

/** The source text of an entry. */
export const entrySource = (id: string): string => readFileSync(new URL(`${id}.ts`, CATALOGUE), 'utf8')

export const importEntry = async (id: string): Promise<CatalogueEntry> =>
  ((await import(new URL(`${id}.ts`, CATALOGUE).href)) as { default: CatalogueEntry }).default

/** A sample of what a provider says of somebody, and the user that it means. */
export interface ProfileFixture {
  case?: string
  /** Where the shape of the profile is documented. */
  source?: string
  profile: Record<string, unknown> & { extra?: unknown }
  expectedUser: { id: string; name: string | null; email: string | null; image: string | null }
  variants?: ProfileFixture[]
}

export const profileFixtures = readJson<Record<string, ProfileFixture>>('fixtures.json')

/** The ids of all providers that are known from other libraries and are worth a look: in the catalogue, or left out. */
export const knownIds = readJson<string[]>('known-providers.json')

const issuer = 'https://id.example.com'

/** Options that an entry cannot do without, and what templates in the facts stand for. */
export const SAMPLE_OPTIONS: Readonly<Record<string, Record<string, string>>> = {
  apple: { teamId: 'TEAM123456', keyId: 'KEY1234567', privateKey: appleKey() },
  asgardeo: { organization: 'acme' },
  auth0: { domain: 'example.eu.auth0.com' },
  authentik: { domain: 'id.example.com', slug: 'web' },
  'azure-ad-b2c': {
    tenant: 'contosob2c',
    tenantId: '775527ff-9a37-4307-8b3d-cc311f58d925',
    policy: 'B2C_1_sign_up_sign_in',
  },
  beyondidentity: { issuer: `${issuer}/v1/tenants/t/realms/r/applications/a` },
  'boxyhq-saml': { issuer },
  bungie: { apiKey: 'the-key' },
  cognito: { region: 'eu-central-1', userPoolId: 'eu-central-1_Ab1Cd2Ef3' },
  'duende-identity-server6': { issuer },
  frontegg: { issuer: 'https://acme.frontegg.com' },
  fusionauth: { issuer },
  gitea: { baseUrl: 'https://git.example.com' },
  'identity-server4': { issuer },
  keycloak: { issuer: `${issuer}/realms/main` },
  kinde: { issuer: 'https://acme.kinde.com' },
  logto: { issuer: 'https://acme.logto.app/oidc' },
  mastodon: { issuer: 'https://social.example' },
  mattermost: { issuer: 'https://chat.example.com' },
  netsuite: {
    accountId: '1234567',
    userinfoUrl: 'https://1234567.restlets.api.netsuite.com/app/site/hosting/restlet.nl',
  },
  nextcloud: { issuer: 'https://cloud.example.com' },
  okta: { issuer: 'https://example.okta.com/oauth2/default' },
  onelogin: { issuer: 'https://acme.onelogin.com' },
  'ory-hydra': { issuer },
  'ping-id': { issuer: 'https://auth.pingone.eu/e0/as' },
  sailpoint: { tenant: 'acme' },
  shikimori: { appName: 'My App' },
  synology: { baseUrl: 'https://nas.example.com' },
  'united-effects': { issuer: 'https://auth.unitedeffects.com/group' },
  zitadel: { issuer },
}

/** Where an entry departs from the facts, and why. */
interface Departure {
  readonly why: string
  readonly change: (facts: ProviderFacts) => void
}

const bothAccepted: Departure = {
  why: 'Basic and post are both accepted there, and Basic is the default here.',
  change: (facts) => {
    facts.tokenEndpointAuthMethod = 'client_secret_basic'
  },
}

export const DEPARTURES: Readonly<Record<string, Departure>> = {
  auth0: bothAccepted,
  google: bothAccepted,
  'microsoft-entra-id': {
    why: `${bothAccepted.why} A user name that looks like an address is none (nOAuth).`,
    change: (facts) => {
      bothAccepted.change(facts)
      facts.profile.email = 'email'
    },
  },
  'azure-ad': bothAccepted,
  github: {
    why: 'The address on the profile is whatever the user shows there; only the list says which are verified.',
    change: ({ profile }) => {
      profile.email = 'extra:[?primary].email'
    },
  },
  onelogin: {
    why: 'The quirks say that the issuer in tokens ends in /oidc/2, whatever the option says.',
    change: (facts) => {
      facts.issuer = '{issuer}/oidc/2'
    },
  },
  pinterest: {
    why: 'A user name is no id (CVE-2025-65431).',
    change: ({ profile }) => {
      profile.id = 'id'
    },
  },
  pipedrive: {
    why: 'The documentation calls the pair of user and company the guaranteed unique identifier.',
    change: ({ profile }) => {
      profile.id = '{data.company_id}:{data.id}'
    },
  },
  synology: {
    why: 'A user name is no id (CVE-2025-65431).',
    change: ({ profile }) => {
      profile.id = 'sub'
    },
  },
  trakt: {
    why: 'The slug changes with the user name (CVE-2025-65431); the settings give an id for good, and the profile as well.',
    change: (facts) => {
      if (facts.userinfo) facts.userinfo.url = 'https://api.trakt.tv/users/settings'
      facts.profile = {
        id: 'user.ids.uuid',
        name: 'user.name ?? user.username',
        email: null,
        image: 'user.images.avatar.full',
        emailVerified: null,
      }
    },
  },
  tumblr: {
    why: 'The name of a blog can change (CVE-2025-65431); the uuid of the primary one does not.',
    change: ({ profile }) => {
      profile.id = 'response.user.blogs[?primary].uuid'
      profile.image = 'response.user.blogs[?primary].avatar[0].url'
    },
  },
}

/** The facts of every provider, as its entry has them. */
export const providerFacts: ReadonlyMap<string, ProviderFacts> = new Map(
  readJson<ProviderFacts[]>('facts.json').map((facts) => {
    DEPARTURES[facts.id]?.change(facts)
    return [facts.id, facts]
  }),
)

/** A key as Apple gives it. A test that checks what is signed has its own. */
function appleKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
}
