/** What each warning says on the console, in one sentence; docs/errors.md has the rest. */
export const WARNING_SENTENCES = {
  'accounts-ended':
    'A mailed link confirmed an address, and ended the accounts and passkeys that somebody else may have made with it.',
  'authorized-spelling':
    'The authorized callback let one spelling of a path pass and refused another that can run the same route.',
  'clock-difference':
    'A session token comes from the future: this clock was set back, or the clocks of the processes differ.',
  'cross-site-post': 'The browser says that another site sent a form.',
  'csrf-disabled':
    'skipCSRFCheck is set: without a protection of its own, any web site can sign visitors out, or in as somebody else.',
  'debug-enabled': 'debug is set, and debug lines go to the console; that is not for production.',
  'env-url-basepath-mismatch': 'The path of AUTH_URL and basePath are not the same, and basePath counts.',
  'env-url-basepath-redundant': 'AUTH_URL has a path and basePath is set as well, of which one is enough.',
  'experimental-webauthn':
    'experimental.enableWebAuthn is set, so passkey providers that were made for Auth.js are taken.',
  'forwarded-headers-ignored':
    'Forwarded headers were not believed, since nothing says that whoever sent them is to be trusted.',
  'fresh-configurations': 'The function that gives the configuration makes a new one for each request.',
  'inexact-adapter': 'A method of the adapter gave a row that was not asked for, and it counted as none.',
  'mount-basepath-mismatch': 'expressAuth is mounted at another path than basePath says.',
  'provider-outage': 'The metadata or the keys of a provider cannot be fetched, or can again.',
  'redirect-proxy-without-hosts':
    'redirectProxyUrl is an address of this deployment, and without redirectProxyHosts nothing is handed on.',
  'redirect-refused':
    'The redirect callback gave something that is no http(s) URL, and the visitor goes to the origin.',
  'session-claim-lost': 'jwt.encode and jwt.decode lose the claim `latchkey` on the way.',
  'session-without-user':
    'The session callback gave an object with neither a user nor an end, and that means that nobody is signed in.',
  'shared-secret': 'Two configurations that are not the same have one secret and one session cookie.',
  'sign-in-time-unknown':
    'Stored sessions do not say when their owner signed in, so nobody can add an account or a passkey.',
  'sign-outs-given-up':
    'Sessions that somebody signed out of could not be deleted from the store for ten minutes, and copies of their cookies may be good.',
  'sign-outs-forgotten':
    'More people have signed out of token sessions than are remembered, and the oldest sign-outs are forgotten.',
  'unbound-code': 'A provider binds its codes by state alone, so that a stolen code is good in another browser.',
  'unchecked-provider': "A provider has checks: ['none'], so nothing binds its answer to the browser that asked.",
  'unconfirmed-addresses': 'Mailed links will be refused to users whose address was never confirmed.',
  'unmarked-sign-up': 'The store has no place to note that a sign-up has begun.',
  'unused-option': 'An option has no effect.',
  'weak-secret': 'A secret is too short.',
} as const
