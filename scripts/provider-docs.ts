// Writes docs/providers/ from the entries of the catalogue: npx tsx scripts/provider-docs.ts
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Provider, ProviderEnvironment, ResolvedOAuthProvider } from '../lib/providers/provider.js'
import { resolveProvider } from '../lib/providers/resolve-provider.js'

const CATALOGUE = new URL('../lib/providers/catalogue/', import.meta.url)
const DOCUMENTS = new URL('../docs/providers/', import.meta.url)

/** Calls of the entries that cannot do without an option that the environment has no place for. */
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

/** Options that let these calls resolve, so that the rest of the page can be read off the provider. */
const SAMPLES: Readonly<Record<string, object>> = {
  'azure-ad-b2c': { tenant: 'contoso', tenantId: '775527ff-9a37-4307-8b3d-cc311f58d925', policy: 'B2C_1_in' },
  netsuite: { accountId: '1234567', userinfoUrl: 'https://1234567.restlets.api.netsuite.com/' },
  sailpoint: { tenant: 'acme' },
  shikimori: { appName: 'My App' },
}

/** Providers that other libraries have, by the id they have there, and why there is no entry. */
export const LEFT_OUT: Readonly<Record<string, { readonly name: string; readonly reason: string }>> = {
  'azure-devops': {
    name: 'Azure DevOps',
    reason: 'takes no new apps since April 2025 and was to end in 2026; Microsoft Entra ID takes its place',
  },
  medium: {
    name: 'Medium',
    reason: 'allows no new integrations; its API documentation was archived in March 2023',
  },
  myanimelist: {
    name: 'MyAnimeList',
    reason:
      'knows PKCE with the method `plain` alone, which Latchkey never sends: whoever sees such a request has the secret in it',
  },
  osso: { name: 'Osso', reason: 'the company and its hosted service are gone, and its server is not maintained' },
  passage: { name: 'Passage by 1Password', reason: 'shut down in January 2026' },
}

type Entry = (options?: object) => { type: 'oauth' | 'oidc' }

interface OwnOption {
  readonly name: string
  readonly meaning: string
}

/** What a page is written from. */
interface Page {
  readonly id: string
  readonly source: string
  readonly provider: ResolvedOAuthProvider
  /** Values of the environment that the entry needs beside the client's. */
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
  // Which options go together, where that is not all or any of them.
  const needed = /\/\*\* Options of the .*? provider: ([^*]+?) \*\//.exec(page.source)?.[1]
  const sections = [
    `# ${provider.name}`,
    GENERATED,
    `\`\`\`ts
import type { AuthConfig } from 'latchkey'
import ${name} from 'latchkey/providers/${id}'

export const config: AuthConfig = {
  providers: [${CALLS[id] ? `\n    ${CALLS[id]},\n  ` : name}],
}
\`\`\``,
    `## Register your app\n\n${see ? `${provider.name} says how: <${see}>.` : `${provider.name} has no public documentation.`}\nGive it this callback URL, with your own origin and mount:\n\n\`https://app.example/auth/callback/${id}\``,
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
        )}\n\n${needed ? `A call gives ${needed} ` : ''}Beside these, the [options of every provider](../guides/providers.md#options).`
      : '## Options\n\nThe [options of every provider](../guides/providers.md#options); none of its own.',
    table(
      '## What is sent',
      ['', ''],
      [
        ['protocol', provider.type === 'oidc' ? 'OpenID Connect' : 'OAuth 2.0'],
        ['scopes', code(String(provider.authorization.params['scope'] || '')) || 'none'],
        ['checks', [...provider.checks].map(code).join(', ')],
        ['client authentication', authentication(provider)],
      ],
    ),
    `## The user\n\n${emailPolicy(page)}`,
    ...(notes.length > 0 ? [`## Good to know\n\n${notes.map((note) => `- ${note}`).join('\n')}`] : []),
  ]
  return `${sections.join('\n\n')}\n`
}

/** The list of all providers. */
export async function index(): Promise<string> {
  const pages = await Promise.all(pageIds.map(readPage))
  const rows = pages
    .toSorted((one, other) => one.provider.name.localeCompare(other.provider.name, 'en'))
    .map(({ id, provider }) => [
      `[${provider.name}](${id}.md)`,
      `\`latchkey/providers/${id}\``,
      provider.type === 'oidc' ? 'OpenID Connect' : 'OAuth 2.0',
    ])
  return `${[
    '# Providers',
    GENERATED,
    `${pages.length} identity providers, each a file of its own that loads nothing of the others: three to five files, 5 to 12 kB\nof JavaScript in all. \`latchkey\` itself loads none of them. [Providers](../guides/providers.md)\ntells what all of them have in common, and how to write one that is not here.`,
    table('', ['provider', 'import', 'protocol'], rows).trimStart(),
    `## Accounts and addresses

An account is known by an id that the provider gives for good, never by an address or a user name: those can be somebody
else's tomorrow. Who comes without an id is refused.

An address that the provider calls unverified is left out. Where the provider says nothing, the address is there and counts as
unverified: nobody is signed in to an existing account because of it, unless you set \`allowDangerousEmailAccountLinking\`.`,
    `## Left out

Known from other libraries, and without an entry here:

${Object.values(LEFT_OUT)
  .map(({ name, reason }) => `- ${name}: ${reason}.`)
  .join('\n')}`,
  ].join('\n\n')}\n`
}

const GENERATED = '<!-- Written by scripts/provider-docs.ts from lib/providers/catalogue; do not edit. -->'

const code = (text: string): string => (text ? `\`${text}\`` : '')

const table = (title: string, head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `${title}\n\n${[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')}`

const nameOf = ({ source }: Page): string => /export (?:interface|type) (\w+)Profile\b/.exec(source)?.[1] ?? 'Provider'

/** The comment before the default export: a paragraph each, and where to read on. */
function commentOf({ source }: Page): { see: string | undefined; notes: readonly string[] } {
  const [before = ''] = source.split('export default')
  const comment = before.slice(before.lastIndexOf('/**'))
  const text = comment.replaceAll(/^ ?\*\/?|^\/\*\*|\*\/$/gm, '')
  const [body = '', see] = text.split('@see')
  const [first = '', ...notes] = body.split(/\n\s*\n/).map((paragraph) => paragraph.replaceAll(/\s+/g, ' ').trim())
  const rest = first.replace(/^Sign-in with .*?(?:\.(?= |$)|$)/, '').trim()
  return { see: see?.trim(), notes: [rest, ...notes].filter(Boolean) }
}

/** What is said of an option that the compiler asks for wherever the function is called. */
const REQUIRED = ' Required in a call.'

/** The entry's own options, from the comments of their type. */
function optionsOf({ source }: Page): OwnOption[] {
  const found = new Map<string, string>()
  if (/IssuerOption/.test(source)) {
    const required = /, IssuerOption>/.test(source) ? REQUIRED : ''
    found.set('issuer', `URL of the server, realm or tenant; may come straight from \`process.env\`.${required}`)
  }
  const block = /export (?:interface|type) \w+Options\b[\s\S]*?(?=\n\n)/.exec(source)?.[0] ?? ''
  // The members of a union are needed together or not at all, which the comment of the type says.
  const isOne = /^export interface/.test(block)
  for (const [, meaning = '', name = '', mark = ''] of block.matchAll(/\/\*\* ([^*]+?) \*\/\s*(\w+)(\??):/g)) {
    if (!found.has(name)) found.set(name, `${meaning}${isOne && mark === '' ? REQUIRED : ''}`)
  }
  return [...found].map(([name, meaning]) => ({ name, meaning }))
}

function authentication({ client, token, clientSecret, type }: ResolvedOAuthProvider): string {
  const method = client.token_endpoint_auth_method
  if (method === 'none') return 'none: a public client'
  if (token.request) return "in the parameters, under the provider's own names"
  if (method) return code(method)
  if (type === 'oidc') return '`client_secret_basic`, or what the metadata announces'
  return clientSecret === undefined ? 'none' : '`client_secret_basic`'
}

function emailPolicy({ source, provider }: Page): string {
  const mapping = source.slice(source.indexOf('export default'))
  const start = `The account is known by the id that ${provider.name} gives it for good.`
  if (/email: null/.test(mapping)) return `${start} There is no e-mail address.`
  if (/standardClaims|usableEmail\([^()]*,|await verifiedEmail|confirmedEmail/.test(mapping)) {
    return `${start} An e-mail address that ${provider.name} calls unverified is left out; one that it calls verified counts as confirmed.`
  }
  if (/verifiedEmail: /.test(mapping))
    return `${start} An e-mail address that ${provider.name} has confirmed counts as confirmed.`
  return `${start} ${provider.name} does not say whether an e-mail address is verified.`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(DOCUMENTS, { recursive: true, force: true })
  mkdirSync(DOCUMENTS, { recursive: true })
  for (const id of pageIds) writeFileSync(new URL(`${id}.md`, DOCUMENTS), await pageOf(id))
  writeFileSync(new URL('README.md', DOCUMENTS), await index())
}
