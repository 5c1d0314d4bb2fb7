import { isRecord } from '../kernel/describe-value.js'
import type { Finding } from '../kernel/finding.js'
import { isInstalled } from '../kernel/packages.js'
import { serverUrlProblem } from '../kernel/urls.js'
import { parseSender } from './mail/address.js'
import { type Members, symbolMember } from './merge-provider.js'
import {
  type CustomFetch,
  customFetch,
  type MailingEmailConfig,
  type ProviderSettings,
  type ResolvedEmailProvider,
} from './provider.js'

const ONE_DAY = 24 * 60 * 60

/**
 * Resolves an e-mail provider, or finds what is wrong with it. It may be made by `@auth/core/providers/*`.
 *
 * @param made the object from the application or the provider's function, which has members under symbols
 * @param members the same, merged with its options
 */
export function resolveEmailProvider(
  made: object,
  members: Members & { id: string },
  settings: ProviderSettings,
): { readonly provider: ResolvedEmailProvider | null; readonly findings: readonly Finding[] } {
  const apiKey = members['apiKey'] || settings.environment(members.id).apiKey
  const filled = { maxAge: ONE_DAY, confirm: 'auto', ...members, ...(apiKey ? { apiKey } : {}) }
  const findings = problemsOf(filled).map(
    (problem): Finding => ({ type: 'InvalidProvider', message: `E-mail provider "${members.id}" ${problem}` }),
  )
  if (findings.length > 0) return { provider: null, findings }
  const fetch = fetchOf(made)
  const source: MailingEmailConfig = Object.freeze({
    // The types of the members were checked with the shapes of providers, and `problemsOf` looked for the function.
    ...(filled as typeof filled & MailingEmailConfig),
    name: typeof members['name'] === 'string' ? members['name'] : members.id,
    type: 'email',
    ...(fetch && { [customFetch]: fetch }),
  })
  const provider: ResolvedEmailProvider = Object.freeze({
    id: members.id,
    name: source.name,
    type: 'email',
    maxAge: source.maxAge ?? ONE_DAY,
    secrets: secretsIn(source.secret),
    confirm: source.confirm ?? 'auto',
    source,
  })
  return { provider, findings }
}

function problemsOf(members: Members & { id: string }): string[] {
  const { id, from, secret, sendVerificationRequest, requires, server } = members
  const problems: string[] = []
  if (typeof sendVerificationRequest !== 'function') {
    problems.push('has no sendVerificationRequest function, so no link could be sent. Add one, or use Nodemailer.')
  }
  for (const name of Array.isArray(requires) ? requires : []) {
    if (members[name]) continue
    if (name === 'server') {
      problems.push(
        'has neither `sendVerificationRequest` nor `server`. Give one of them as an option: your own function that sends the link, or a mail server, for nodemailer.',
      )
      continue
    }
    const variable = `AUTH_${id.toUpperCase().replaceAll('-', '_')}_KEY`
    problems.push(`has no \`${name}\`. ${name === 'apiKey' ? `Set ${variable}, or give it` : 'Give it'} as an option.`)
  }
  const wrongUrl = typeof server === 'string' ? serverUrlProblem(server) : null
  if (wrongUrl !== null) problems.push(`has a \`server\` that ${wrongUrl}`)
  const needsNodemailer = Array.isArray(requires) && requires.includes('server') && typeof server !== 'undefined'
  if (
    needsNodemailer &&
    !(isRecord(server) && typeof server['sendMail'] === 'function') &&
    !isInstalled('nodemailer')
  ) {
    problems.push('sends over nodemailer, which is not installed: npm install nodemailer')
  }
  if (from !== undefined && (typeof from !== 'string' || !parseSender(from))) {
    problems.push('has a `from` that is neither an address nor `Name <address>`.')
  }
  if (secret === '' || (Array.isArray(secret) && secret.length === 0)) problems.push('has a `secret` that is empty.')
  return problems
}

const secretsIn = (secret: MailingEmailConfig['secret']): readonly string[] | undefined =>
  typeof secret === 'string' ? [secret] : secret && Object.freeze([...secret])

function fetchOf(made: object): CustomFetch | undefined {
  const { options } = made as Members
  const chosen = typeof options === 'object' && options !== null ? symbolMember(options, 'custom-fetch') : undefined
  const found = chosen ?? symbolMember(made, 'custom-fetch')
  return typeof found === 'function' ? (found as CustomFetch) : undefined
}
