import { createValueEncryption } from '../../kernel/encrypted-values.js'
import type { Parts } from '../../sign-in/feature.js'
import { createMailedLinks, type MailedLinks } from '../../sign-in/mailed-links.js'

/** Who may choose a password with a link, or with the form that follows a temporary password. */
export interface PasswordLink {
  /** The address that it was mailed to. */
  readonly email: string
  /** Whether a temporary password was right, and no mail was sent. */
  readonly isAfterTemporary?: true
  /** Id of the user who has the address; null for nobody: then the link makes a user. */
  readonly userId: string | null
  /** The state of their password, as `StoredPasswords.versionOf` gives it: the link counts for no other one. */
  readonly version: number
}

/** The mailed links with which people choose a password. */
export const createPasswordLinks = (parts: Pick<Parts, 'store' | 'secrets' | 'now'>): MailedLinks<PasswordLink> =>
  createMailedLinks(
    'password-link',
    createValueEncryption(parts.secrets, 'password-link', parts.now, { isInStore: true }),
    parts,
  )
