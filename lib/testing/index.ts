export {
  type PasskeyAnswer,
  type PasskeyCreationOptions,
  type PasskeyDescriptor,
  type PasskeyRequestOptions,
  type SoftwareAuthenticator,
  type SoftwareAuthenticatorOptions,
  softwareAuthenticator,
  type TestPasskey,
} from './authenticator/software.js'
export {
  type DevToolsSession,
  type PageWithDevTools,
  type VirtualAuthenticator,
  type VirtualAuthenticatorOptions,
  type VirtualPasskey,
  virtualAuthenticator,
} from './authenticator/virtual.js'
export { type Duration, type TestClock, testClock } from './clock.js'
export { type TestMail, type TestMailbox, testMailbox } from './mailbox.js'
export type { Misbehaviour, PersonOfProvider } from './open-id/answers.js'
export {
  type FakeOpenIdProvider,
  type FakeOpenIdProviderOptions,
  fakeOpenIdProvider,
  type MisbehaviourOptions,
  type RequestToProvider,
} from './open-id/fake-provider.js'
export { type TestSecurityEvents, testSecurityEvents } from './security-events.js'
export type { TestCookie } from './sign-in.js'
export { csrfFor, type SignedIn, signInAs, type TestCsrf, type TestOptions, type TestUser } from './sign-in.js'
