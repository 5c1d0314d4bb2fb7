import { type AuthError, errorOf } from '../../kernel/errors.js'
import type { ResolvedProvider, ResolvedWebAuthnProvider } from '../../providers/provider.js'

/** A passkey was not accepted: the ceremony is unknown, expired or wrong, or the passkey belongs to no user. */
export class WebAuthnVerificationError extends errorOf('WebAuthnVerificationError', {
  shownAs: 'WebAuthnVerificationError',
  by: 'visitor',
}) {}

/** The error for a passkey that signs nobody in. */
export const refused = ({ id }: Pick<ResolvedWebAuthnProvider, 'id'>, why: string, err?: Error) =>
  new WebAuthnVerificationError(`Provider "${id}": ${why}`, { ...(err && { err }), provider: id })

/** A feature without a promise of stability is used, and the configuration does not say that this is known. */
export class ExperimentalFeatureNotEnabled extends errorOf('ExperimentalFeatureNotEnabled') {}

/** Two passkey providers want to fill in the same form. */
export class DuplicateConditionalUI extends errorOf('DuplicateConditionalUI') {}

/** The options that passkeys read. */
export interface PasskeyOptions {
  readonly experimental?: { readonly enableWebAuthn?: boolean } | undefined
  readonly session: { readonly recentAuthAge: number }
}

/** What keeps the passkey providers of a configuration from working together. */
export function checkPasskeys({ experimental }: PasskeyOptions, providers: readonly ResolvedProvider[]): AuthError[] {
  const passkeys = providers.filter((provider): provider is ResolvedWebAuthnProvider => provider.type === 'webauthn')
  const idsOf = (some: readonly ResolvedWebAuthnProvider[]) => some.map(({ id }) => `"${id}"`).join(', ')
  const unstable = passkeys.filter(({ isStable }) => !isStable)
  const conditional = passkeys.filter(({ enableConditionalUI }) => enableConditionalUI)
  const findings: AuthError[] = []
  if (conditional.length > 1) {
    const message = `More than one passkey provider has conditional UI: ${idsOf(conditional)}. Set enableConditionalUI: false for all but one.`
    findings.push(new DuplicateConditionalUI(message))
  }
  if (unstable.length > 0 && !experimental?.enableWebAuthn) {
    const message =
      `The passkey provider ${idsOf(unstable)} was made for Auth.js, where passkeys are experimental. Use latchkey/providers/passkey ` +
      'instead, or set experimental: { enableWebAuthn: true }.'
    findings.push(new ExperimentalFeatureNotEnabled(message))
  }
  return findings
}
