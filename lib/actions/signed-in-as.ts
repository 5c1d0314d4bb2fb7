import type { SessionReading } from '../sessions/session.js'

/** What a page calls the person who is signed in: the address, else the name. Null if nobody is, or they have neither. */
export function signedInAs(reading: SessionReading | null): string | null {
  const { email, name } = reading?.session?.user ?? {}
  return [email, name].find((each): each is string => typeof each === 'string' && each !== '') ?? null
}
