import type { Feature } from '../../sign-in/feature.js'
import { credentialsFlow } from './authorize.js'

/** Sign-ins that the application's own code decides. */
export const credentials: Feature<unknown> = {
  ways: ({ now, asksToRemember }) => ({ credentials: (provider) => credentialsFlow(provider, now, asksToRemember) }),
}
