import type { AuthConfig } from 'latchkey'
import GitHub from 'latchkey/providers/github'

/** The configuration of your application. */
export const config: AuthConfig = { providers: [GitHub] }
