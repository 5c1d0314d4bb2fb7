// Writes docs/providers/ from the entries of the catalogue: npm run docs
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Provider, ProviderEnvironment, ResolvedOAuthProvider } from '../lib/providers/provider.js'
import { resolveProvider } from '../lib/providers/resolve-provider.js'
import { hasFacts, TOKEN_HEADS, TOKEN_LEGEND, tokenCells } from './provider-token-docs.js'

const ROOT = new URL('../', import.meta.url)
const CATALOGUE = new URL('lib/providers/catalogue/', ROOT)

/** Calls of the entries that need an option for which there is no variable in the environment. */
const CALLS: Readonly<Record<string, string>> = {
  'azure-ad-b2c': `AzureADB2C({
      tenant: 'contoso',
      tenantId: '775527ff-9a37-4307-8b3d-cc311f58d925',
      policy: 'B2C_1_sign_up_sign_in',
    })`,
  netsuite: `NetSuite({
      accountId: '1234567',
      userinfoUrl: 'https://1234567.restlets.api.netsuite.com/app/site/hosting/restlet.nl?script=1&deploy=1',
    })`,
  sailpoint: `SailPoint({ tenant: 'acme' })`,
  shikimori: `Shikimori({ appName: 'My App' })`,
}

/** Options with which these calls resolve. The rest of the page is read from the resolved provider. */
const SAMPLES: Readonly<Record<string, object>> = {
  'azure-ad-b2c': { tenant: 'contoso', tenantId: '775527ff-9a37-4307-8b3d-cc311f58d925', policy: 'B2C_1_in' },
  netsuite: { accountId: '1234567', userinfoUrl: 'https://1234567.restlets.api.netsuite.com/' },
  sailpoint: { tenant: 'acme' },
  shikimori: { appName: 'My App' },
}

/** Entries that are made of another entry. */
const SAME_FACTS: Readonly<Record<string, string>> = { 'azure-ad': 'microsoft-entra-id' }

/** Providers that other libraries have and Latchkey does not, by their id there, and the reason. */
export const LEFT_OUT: Readonly<Record<string, { readonly name: string; readonly reason: string }>> = {
  'azure-devops': {
    name: 'Azure DevOps',
    reason: 'has taken no new apps since April 2025, and was planned to end in 2026; Microsoft Entra ID replaces it',
  },
  medium: {
    name: 'Medium',
    reason: 'allows no new integrations; its API documentation was archived in March 2023',
  },
  myanimelist: {
    name: 'MyAnimeList',
    reason: 'supports only the PKCE method `plain`, which reveals the code verifier; Latchkey never sends it',
  },
  osso: { name: 'Osso', reason: 'the company and its hosted service have ended, and nobody maintains its server' },
  passage: { name: 'Passage by 1Password', reason: 'shut down in January 2026' },
}

type Entry = (options?: object) => { type: 'oauth' | 'oidc' }

interface OwnOption {
  readonly name: string
  readonly meaning: string
}

/** What a page is made of. */
interface Page {
  readonly id: string
  readonly source: string
  readonly provider: ResolvedOAuthProvider
  /** Variables of the environment that the entry needs, besides those of the client. */
  readonly variables: readonly string[]
}

export const pageIds: readonly string[] = readdirSync(CATALOGUE)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3))
  .sort()

const CLIENT = { clientId: 'id', clientSecret: 'secret' }

async function readPage(id: string): Promise<Page> {
  const { default: entry } = (await import(new URL(`${id}.ts`, CATALOGUE).href)) as { default: Entry }
  const resolve = (input: unknown, environment: ProviderEnvironment) =>
    resolveProvider(input as Provider, {
      environment: () => environment,
      redirectProxyUrl: undefined,
      logger: { error: () => {}, warn: () => {}, debug: () => {} },
    })
  const input = SAMPLES[id] ? entry({ ...CLIENT, ...SAMPLES[id] }) : entry
  const { provider, findings } = resolve(input, { ...CLIENT, issuer: 'https://id.example.com', apiKey: 'key' })
  if (!provider) throw new Error(findings.map(({ message }) => message).join('\n'))
  const missing = SAMPLES[id]
    ? ''
    : resolve(entry, CLIENT)
        .findings.map(({ message }) => message)
        .join('\n')
  return {
    id,
    source: readFileSync(new URL(`${id}.ts`, CATALOGUE), 'utf8'),
    provider: provider as ResolvedOAuthProvider,
    variables: [...new Set(missing.match(/AUTH_\w+_(?:ISSUER|KEY)/g) ?? [])],
  }
}

/** The page of one provider. */
export async function pageOf(id: string): Promise<string> {
  const page = await readPage(id)
  const { provider } = page
  const { see, notes } = commentOf(page)
  const variable = `AUTH_${id.toUpperCase().replaceAll('-', '_')}`
  const method = provider.client.token_endpoint_auth_method
  const name = nameOf(page)
  const own = optionsOf(page)
  // If only certain combinations of options are allowed, the comment of their type says which.
  const needed = /\/\*\* Options of the .*? provider: ([^*]+?) \*\//.exec(page.source)?.[1]
  const sections = [
    `# ${provider.name}`,
    `\`\`\`ts
import type { AuthConfig } from 'latchkey'
import ${name} from 'latchkey/providers/${id}'

export const config: AuthConfig = {
  providers: [${CALLS[id] ? `\n    ${CALLS[id]},\n  ` : name}],
}
\`\`\``,
    `## Register your app\n\n${see ? `The documentation of ${provider.name} says how: <${see}>.` : `${provider.name} has no public documentation.`}\n${addresses(page)}`,
    table(
      '## Environment',
      ['variable', 'value'],
      [
        [`\`${variable}_ID\``, 'the client id'],
        ...(method === 'none' ? [] : [[`\`${variable}_SECRET\``, 'the client secret']]),
        ...page.variables.map((needed) => [
          `\`${needed}\``,
          needed.endsWith('_KEY') ? 'the API key' : 'the issuer: the URL of the server, tenant or realm',
        ]),
      ],
    ),
    own.length > 0
      ? `${table(
          '## Options',
          ['option', 'meaning'],
          own.map((option) => [`\`${option.name}\``, option.meaning]),
        )}\n\n${wrapped(`${needed ? `If you call the function, give ${needed} ` : ''}The [options of every provider](../guides/providers.md#options) are allowed, too.`)}`
      : `## Options\n\n${provider.name} has the [options of every provider](../guides/providers.md#options), and no others.`,
    table(
      '## What Latchkey sends',
      ['setting', 'value'],
      [
        ['protocol', provider.type === 'oidc' ? 'OpenID Connect' : 'OAuth 2.0'],
        ['scopes', code(String(provider.authorization.params['scope'] || '')) || 'none'],
        ['checks', [...provider.checks].map(code).join(', ')],
        ['client authentication', authentication(provider)],
      ],
    ),
    `## The user\n\n${wrapped(emailPolicy(page))}`,
    ...(hasFacts(provider.tokenFacts) ? [tokensOf(page)] : []),
    ...(notes.length > 0 ? [`## Notes\n\n${notes.map((note) => wrapped(`- ${note}`, '  ')).join('\n')}`] : []),
  ]
  return `${sections.join('\n\n')}\n`
}

/** The list of all providers. */
export async function index(): Promise<string> {
  const pages = await Promise.all(pageIds.map(readPage))
  const sorted = pages.toSorted((one, other) => one.provider.name.localeCompare(other.provider.name, 'en'))
  const rows = sorted.map(({ id, provider }) => [
    `[${provider.name}](${id}.md)`,
    `\`latchkey/providers/${id}\``,
    provider.type === 'oidc' ? 'OpenID Connect' : 'OAuth 2.0',
  ])
  const tokenRows = sorted
    .filter(({ provider }) => hasFacts(provider.tokenFacts))
    .map(({ id, provider }) => [
      `[${provider.name}](${id}.md)`,
      ...tokenCells(provider.tokenFacts, sourceOfFacts(id) !== undefined),
    ])
  return `${[
    '# Providers',
    `Latchkey has ${pages.length} identity providers. Each is a separate entry of the package, which loads no other provider: three to\nfive files, 5 to 12 kB of JavaScript in total. \`latchkey\` itself loads none of them. The guide\n[Providers](../guides/providers.md) says what they have in common, and how to write a provider that is not in this list.`,
    table('', ['provider', 'import', 'protocol'], rows).trimStart(),
    `## Tokens after the sign-in\n\n${TOKEN_LEGEND}`,
    table('', ['provider', ...TOKEN_HEADS], tokenRows).trimStart(),
    `## Accounts and addresses

Latchkey identifies an account by an id that the provider never changes. It never uses an address or a user name,
because another person may have that address or name later. Latchkey refuses an account without an id.

If the provider says that an address is not verified, Latchkey leaves the address out. If the provider says nothing, the
user gets the address, and it counts as unconfirmed. An unconfirmed address never signs anybody in to an existing user,
not even with \`allowDangerousEmailAccountLinking\`: see [verified
addresses](../guides/providers.md#verified-addresses).`,
    `## Left out

Other libraries have these providers, and Latchkey does not:

${Object.values(LEFT_OUT)
  .map(({ name, reason }) => `- ${name}: ${reason}.`)
  .join('\n')}`,
  ].join('\n\n')}\n`
}

/** What to register at a provider: the callback, and the addresses of the sign-outs that it may have. */
function addresses({ id, provider: { type, tokenFacts } }: Page): string {
  const at = (action: string) => `\`https://app.example/auth/${action}/${id}\``
  const { endSession, backChannelLogout } = tokenFacts
  const rows = [
    ['always', 'the callback', at('callback')],
    ...(endSession
      ? [
          [
            'with `endSession`',
            endSession.returnParam === null
              ? 'after a sign-out: a setting there'
              : 'after a sign-out (`post_logout_redirect_uri`)',
            at('signout'),
          ],
        ]
      : []),
    ...(backChannelLogout ? [['with `backChannelLogout: true`', 'back-channel logout', at('backchannel-logout')]] : []),
    ...(type === 'oidc' && endSession
      ? [['with `frontChannelLogout: true`', 'front-channel logout, if the server has it', at('frontchannel-logout')]]
      : []),
  ]
  if (rows.length === 1)
    return `Register this callback URL, with your own mount in place of \`https://app.example/auth\`:\n\n${at('callback')}`
  return `Register these addresses, with your own mount in place of \`https://app.example/auth\`. \`npx latchkey doctor\` prints those\nthat your configuration needs.${table('', ['option', 'address', 'value'], rows)}`
}

/** A text in lines of at most 120 columns, as far as its words are not longer. Lines after the first are indented. */
function wrapped(text: string, indent = ''): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)}${lines.at(-1) ? ' ' : ''}${word}`
    if (longer.length <= 120) lines[lines.length - 1] = longer
    else lines.push(`${indent}${word}`)
  }
  return lines.join('\n')
}

const code = (text: string): string => (text ? `\`${text}\`` : '')

const table = (title: string, head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `${title}\n\n${[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')}`

const nameOf = ({ source }: Page): string => /export (?:interface|type) (\w+)Profile\b/.exec(source)?.[1] ?? 'Provider'

/** The paragraphs of the comment before the default export, and the address after `@see`. */
function commentOf({ source }: Page): { see: string | undefined; notes: readonly string[] } {
  const [before = ''] = source.split('export default')
  const comment = before.slice(before.lastIndexOf('/**'))
  const text = comment.replaceAll(/^ ?\*\/?|^\/\*\*|\*\/$/gm, '')
  const [body = '', see] = text.split('@see')
  const [first = '', ...notes] = body.split(/\n\s*\n/).map((paragraph) => paragraph.replaceAll(/\s+/g, ' ').trim())
  const rest = first.replace(/^Sign-in with .*?(?:\.(?= |$)|$)/, '').trim()
  return { see: see?.trim(), notes: [rest, ...notes].filter(Boolean) }
}

/** Follows the meaning of an option that the compiler requires in each call of the function. */
const REQUIRED = ' Required if you call the function.'

/** The entry's own options, from the comments of their type. */
function optionsOf({ source }: Page): OwnOption[] {
  const found = new Map<string, string>()
  if (/IssuerOption/.test(source)) {
    const required = /, IssuerOption>/.test(source) ? REQUIRED : ''
    found.set('issuer', `URL of the server, realm or tenant, for example from \`process.env\`.${required}`)
  }
  const block = /export (?:interface|type) \w+Options\b[\s\S]*?(?=\n\n)/.exec(source)?.[0] ?? ''
  // Members of a union are needed in certain combinations. The comment of the type says which.
  const isOne = /^export interface/.test(block)
  for (const [, meaning = '', name = '', mark = ''] of block.matchAll(/\/\*\* ([^*]+?) \*\/\s*(\w+)(\??):/g)) {
    if (!found.has(name)) found.set(name, `${meaning}${isOne && mark === '' ? REQUIRED : ''}`)
  }
  return [...found].map(([name, meaning]) => ({ name, meaning }))
}

/** What the provider does with tokens, and the page of its documentation that says so. */
function tokensOf({ id, provider }: Page): string {
  const see = sourceOfFacts(id)
  const words = tokenCells(provider.tokenFacts, see !== undefined)
  const facts = table(
    '## Tokens after the sign-in',
    ['fact', 'value'],
    TOKEN_HEADS.map((head, index) => [head, words[index] ?? '']),
  )
  const meaning = 'The [list of providers](README.md#tokens-after-the-sign-in) says what this means.'
  return `${facts}\n\n${see ? `Source: <${see}>.\n` : ''}${meaning}`
}

/** The page of the provider's documentation that an entry has its facts about tokens from. */
function sourceOfFacts(id: string): string | undefined {
  const source = readFileSync(new URL(`${SAME_FACTS[id] ?? id}.ts`, CATALOGUE), 'utf8')
  return /\/\*\* @see (\S+) \*\/\s+tokenFacts/.exec(source)?.[1]
}

function authentication({ client, token, clientSecret, type }: ResolvedOAuthProvider): string {
  const method = client.token_endpoint_auth_method
  if (method === 'none') return 'none: a public client'
  if (token.request) return "in parameters of the request, with the provider's own names"
  if (method) return code(method)
  if (type === 'oidc')
    return '`client_secret_basic`, or `client_secret_post` if the metadata has only this one of the two'
  return clientSecret === undefined ? 'none' : '`client_secret_basic`'
}

function emailPolicy({ source, provider }: Page): string {
  const mapping = source.slice(source.indexOf('export default'))
  const { name } = provider
  const start = `Latchkey identifies an account by the id that ${name} gives it, because this id never changes.`
  if (/email: null/.test(mapping)) return `${start} Users have no e-mail address.`
  const confirmed = `If ${name} says that it has verified an e-mail address, the address counts as confirmed.`
  if (/standardClaims|usableEmail\([^()]*,|await verifiedEmail|confirmedEmail/.test(mapping)) {
    return `${start} ${confirmed} If it says that the address is not verified, Latchkey leaves the address out.`
  }
  if (/verifiedEmail: /.test(mapping)) return `${start} ${confirmed}`
  return `${start} ${name} does not say whether it has verified an e-mail address, so the address counts as unconfirmed.`
}

/** All pages, with their paths from the root of the repository. */
export const providerPages = async (): Promise<{ path: string; text: string }[]> => [
  { path: 'docs/providers/README.md', text: await index() },
  ...(await Promise.all(pageIds.map(async (id) => ({ path: `docs/providers/${id}.md`, text: await pageOf(id) })))),
]

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(new URL('docs/providers', ROOT), { recursive: true, force: true })
  mkdirSync(new URL('docs/providers', ROOT), { recursive: true })
  for (const { path, text } of await providerPages()) writeFileSync(new URL(path, ROOT), text)
}
