import { type LifetimeChoice, parseLifetimeChoice } from '../crypto/lifetime-choice.js'

/** What stands between the random part of a token and the choice. */
export const CHOICE_MARK = '~latchkey.'

const CHOICE = /^(?:r([01]))?(?:a(\d{1,10}))?(?:l(\d{1,10}))?$/

/**
 * The token of a stored session with what its sign-in decided about the lifetime: `{random}~latchkey.r1a3600l7200`. The
 * store has a digest of the whole text, so a visitor cannot change the choice: no row has the digest of another text.
 * No store needs a column for it.
 */
export function tokenWithChoice(random: string, choice: LifetimeChoice | undefined): string {
  if (choice === undefined) return random
  const { remember, maxAge, maxLifetime } = choice
  const parts = [
    remember === undefined ? '' : `r${remember ? 1 : 0}`,
    maxAge === undefined ? '' : `a${maxAge}`,
    maxLifetime === undefined ? '' : `l${maxLifetime}`,
  ]
  return random + CHOICE_MARK + parts.join('')
}

/** What the token of a cookie says about the lifetime; undefined if it says nothing. */
export function choiceInToken(token: string): LifetimeChoice | undefined {
  const at = token.lastIndexOf(CHOICE_MARK)
  const [, remember, maxAge, maxLifetime] = (at < 0 ? null : CHOICE.exec(token.slice(at + CHOICE_MARK.length))) ?? []
  return parseLifetimeChoice({
    ...(remember !== undefined && { remember: remember === '1' }),
    ...(maxAge !== undefined && { maxAge: Number(maxAge) }),
    ...(maxLifetime !== undefined && { maxLifetime: Number(maxLifetime) }),
  })
}
