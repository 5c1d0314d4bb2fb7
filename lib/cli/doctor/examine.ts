import { databaseAt, inspectTables, migrationStatus, type SqlDatabase } from '../../adapters/sql.js'
import { resolveConfig } from '../../compose.js'
import { readEnv } from '../../config/env.js'
import { membersNamed, OPTION_NAMES, SESSION_DEFAULTS } from '../../config/option-shapes.js'
import type { AuthConfig } from '../../config/options.js'
import { isLoopback } from '../../kernel/back-channel.js'
import { type WarningCode, warningText } from '../../kernel/logger.js'
import { isAbsoluteUrl } from '../../kernel/urls.js'
import { redirectUrisOf } from '../../oauth/client.js'
import { publishableKeys } from '../../providers/client-security.js'
import type { ResolvedOAuthProvider, ResolvedProvider } from '../../providers/provider.js'
import type { Config } from '../../sign-in/config.js'
import { explain, shown } from '../command-line.js'
import { undisturbed } from '../migrate.js'
import { examineIssuer } from './examine-issuer.js'
import { type Finding, fact, good, problem, type Section, warning } from './report.js'

/** What the report is about, beside the configuration. */
interface Circumstances {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** URL or file of the database whose tables are looked at; undefined for none. */
  readonly database: string | undefined
  /** Whether no provider is asked. */
  readonly isOffline: boolean
}

/** Examines a configuration. It changes nothing, and no finding has a secret of the configuration. */
export async function examine(given: AuthConfig, circumstances: Circumstances): Promise<Section[]> {
  const warnings: Finding[] = []
  const config = resolveOrFind(given, circumstances, (finding) => warnings.push(finding))
  if (Array.isArray(config)) return [{ title: 'Configuration', findings: config }]
  const findings = warnings.length > 0 ? warnings : [good('every option is known, and nothing is missing')]
  return [
    { title: 'Configuration', findings },
    { title: 'Public address', findings: addressFindings(given, config, circumstances) },
    { title: 'Sessions', findings: sessionFindings(given, config) },
    ...(await providerSections(given, config, circumstances)),
    { title: 'Store', findings: await storeFindings(given, circumstances) },
  ]
}

/** The configuration as the application gets it; or, in a list, everything that keeps it from working. */
function resolveOrFind(
  given: AuthConfig,
  { variables }: Circumstances,
  report: (finding: Finding) => void,
): Config | Finding[] {
  const warn = (code: WarningCode, data?: unknown) => report(warning(warningText(code, data)))
  const isObject = typeof given === 'object' && given !== null
  try {
    return resolveConfig(isObject ? { ...given, ...membersNamed(OPTION_NAMES, given), logger: { warn } } : given, {
      env: readEnv(variables),
      now: Date.now,
    })
  } catch (error) {
    // As `configurationError` writes it: one reason, or a heading and a line for each reason.
    const lines = (error as Error).message.split('\n')
    const reasons = lines.length === 1 ? lines : lines.slice(1).map((line) => line.replace(/^- /, ''))
    return reasons.map((reason) => problem(reason))
  }
}

function addressFindings(given: AuthConfig, config: Config, { variables }: Circumstances): Finding[] {
  const { url, hosts, trustHost } = config.origin
  const isProduction = !config.isDevelopment
  const source = given.url !== undefined ? '`url`' : variables['AUTH_URL'] ? 'AUTH_URL' : 'NEXTAUTH_URL'
  const findings: Finding[] = []
  if (url) {
    findings.push(fact(`public URL: ${url.origin} (from ${source}); what requests say does not matter`))
    if (url.protocol === 'http:' && !isLoopback(url)) {
      const cure = 'Use https. Cookies are not Secure, and anybody on the way can read them.'
      findings.push((isProduction ? problem : warning)('the public URL is http', cure))
    }
  } else if (hosts) {
    findings.push(
      fact(`public hosts: ${hosts.join(', ')} (from \`hosts\`); each request says which, and the scheme`),
      PROXY,
    )
  } else if (trustHost) {
    findings.push(fact('public URL: from the Host header of each request (trustHost is true)'), PROXY)
  } else {
    const cure =
      'Set AUTH_URL to the public URL. If only Express knows the proxy (`trust proxy`), this is not seen here.'
    findings.push(warning('nothing in the configuration says which public URL the application has', cure))
  }
  findings.push(fact(`mount: ${mountOf(config)}${config.hasOwnBasePath ? '' : ' (the default)'}`))
  if (config.strippedPrefix !== '') findings.push(fact(`a proxy cuts ${config.strippedPrefix} off each path`))
  findings.push(
    fact(isProduction ? 'NODE_ENV is production' : 'NODE_ENV is not production: weak secrets are only warned of'),
  )
  return findings
}

const PROXY = fact("behind a proxy that ends TLS: Express must trust it, as in app.set('trust proxy', 1)")

const mountOf = ({ origin, basePath }: Config) => {
  const host = origin.url?.origin ?? (origin.hosts?.[0] ? `https://${origin.hosts[0]}` : '<public URL>')
  return `${host}${basePath}`
}

function sessionFindings(given: AuthConfig, config: Config): Finding[] {
  const origin = config.origin.url?.origin ?? (config.isDevelopment ? 'http://localhost' : 'https://app.example')
  const { specs, sessions } = config.schemeFor(origin)
  const { name, attributes } = specs.sessionToken
  const why =
    given.session?.strategy !== undefined
      ? '`session.strategy`'
      : given.adapter
        ? 'there is an adapter'
        : 'there is no adapter'
  const days = (seconds: number) => (seconds % 86_400 === 0 ? `${seconds / 86_400} days` : `${seconds} seconds`)
  const maxAge = given.session?.maxAge ?? SESSION_DEFAULTS.maxAge
  return [
    fact(sessions.name === 'jwt' ? `encrypted tokens in a cookie (${why})` : `stored by the adapter (${why})`),
    fact(`they end ${days(maxAge)} after the last use`),
    fact(
      `cookie: ${name}${attributes.secure ? ', Secure' : ', not Secure'}, SameSite=${attributes.sameSite ?? 'Lax'}; for forms: ${specs.csrfToken.name}`,
    ),
    good(
      config.secrets.length === 1
        ? 'one secret'
        : `${config.secrets.length} secrets: the first encrypts, all are accepted`,
    ),
  ]
}

async function providerSections(given: AuthConfig, config: Config, circumstances: Circumstances): Promise<Section[]> {
  const providers = [...config.providers.values()]
  if (providers.length === 0)
    return [{ title: 'Providers', findings: [warning('there is none, so nobody can sign in')] }]
  return Promise.all(
    providers.map(async (provider) => ({
      title: `Provider ${provider.id} (${provider.name}, ${provider.type})`,
      findings: await providerFindings(provider, given, config, circumstances),
    })),
  )
}

async function providerFindings(
  provider: ResolvedProvider,
  given: AuthConfig,
  config: Config,
  { isOffline }: Circumstances,
): Promise<Finding[]> {
  if (provider.type === 'credentials' && provider.password)
    return [fact('keeps passwords, which people choose by a mailed link')]
  if (provider.type === 'credentials') return [fact('checks what visitors enter with `authorize` of the application')]
  if (provider.type === 'email') return [fact(`mails links, which work for ${duration(provider.maxAge)}`)]
  if (provider.type === 'webauthn') return [fact('browsers allow passkeys on https, and on localhost')]
  // Without a public URL, the report has a placeholder in its place, which is no URL.
  const callback =
    isAbsoluteUrl(mountOf(config)) || provider.redirectProxyUrl !== undefined
      ? redirectUrisOf(mountOf(config), provider).sent
      : `${mountOf(config)}/callback/${provider.id}`
  const found = isOffline ? [] : await examineIssuer(provider, Date.now, given.accountTokens?.revokeAtSignOut ?? false)
  return [fact(`callback URL to register: ${callback}`), ...otherAddresses(provider, mountOf(config)), ...found]
}

/** What else has to be registered at a provider, for the options that it has. */
function otherAddresses(provider: ResolvedOAuthProvider, mount: string): Finding[] {
  const { id, endSession, backChannelLogout, frontChannelLogout, keys } = provider
  const rows: readonly (readonly [isNeeded: boolean, text: string])[] = [
    [endSession !== null, `address to register for after a sign-out: ${mount}/signout/${id}`],
    [backChannelLogout, `back-channel logout URL to register: ${mount}/backchannel-logout/${id}`],
    [frontChannelLogout, `front-channel logout URL to register: ${mount}/frontchannel-logout/${id}`],
    [publishableKeys(keys).length > 0, `URL of your public keys, if keys are registered by URL: ${mount}/jwks`],
  ]
  return rows.filter(([isNeeded]) => isNeeded).map(([, text]) => fact(text))
}

const duration = (seconds: number): string =>
  seconds >= 7200 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 60)} minutes`

async function storeFindings(given: AuthConfig, { database }: Circumstances): Promise<Finding[]> {
  // A configuration with an adapter that lacks a method does not get this far.
  const adapter = given.adapter
    ? good('the adapter has every method that the configuration needs')
    : fact('there is no adapter: users and accounts are not stored')
  return [adapter, ...(await databaseFindings(database))]
}

/** Whether everything is there that the migrations have made: their record knows nothing of tables that were dropped since. */
async function comparedTables(database: SqlDatabase, location: string): Promise<Finding> {
  const asIfNoneHadRun = await migrationStatus(database, { migrationTable: 'latchkey_migration_of_nothing' })
  const missing = asIfNoneHadRun.flatMap(({ statements }) => statements.map((statement) => statement.split(' (')[0]))
  if (missing.length === 0) return good(`tables at ${shown(location)} are up to date`)
  return warning(
    `all migrations have run at ${shown(location)}, and not all is there that they made: ${missing.join('; ')}`,
    'Unless your code gives the tables other names: empty the table latchkey_migration, and run npx latchkey migrate up. It makes only what is missing.',
  )
}

async function databaseFindings(location: string | undefined): Promise<Finding[]> {
  if (location === undefined) return [fact('tables: not looked at; name the database with --database, or DATABASE_URL')]
  try {
    const database = undisturbed(databaseAt(location))
    const pending = (await migrationStatus(database)).filter(({ appliedAt }) => !appliedAt)
    const findings = (await inspectTables(database)).map(({ message }) => problem(message))
    if (pending.length === 0) return [await comparedTables(database, location), ...findings]
    return [
      problem(
        `${pending.length} migrations are pending at ${shown(location)}: ${pending.map(({ name }) => name).join(', ')}`,
        'npx latchkey migrate up',
      ),
      ...findings,
    ]
  } catch (error) {
    const [reason, advice] = explain(error, location).split('\n')
    return [problem(`the database could not be read: ${reason}`, advice)]
  }
}
