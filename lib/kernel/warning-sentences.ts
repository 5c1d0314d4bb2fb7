/** The sentence of each warning on the console; docs/errors.md describes the warnings. */
export const WARNING_SENTENCES = {
  'accounts-ended':
    'A mailed link confirmed an address, and ended the accounts, passkeys and passwords that somebody else may have made with it.',
  'authorized-spelling':
    'The authorized callback let one spelling of a path pass and refused another that can run the same route.',
  'clock-difference':
    'A session token comes from the future: this clock was set back, or the clocks of the processes differ.',
  'contradicted-option': 'A provider does not announce what an option needs.',
  'cookies-without-prefix': 'Cookies have no name that begins with __Host-, so other hosts of the domain can set them.',
  'cross-site-cookies':
    'Pages of `origins` are of another site, and browsers keep the cookies from their requests, so nobody is signed in there.',
  'cross-site-post': 'The browser says that another site sent a form.',
  'csrf-disabled':
    'skipCSRFCheck is set. Unless the application protects its forms itself, any web site can sign visitors out, or in as somebody else.',
  'debug-enabled': 'debug is set: debug lines go to the console. Do not use this in production.',
  'env-url-basepath-mismatch': 'The path of AUTH_URL and basePath are not the same. basePath is used.',
  'env-url-basepath-redundant': 'AUTH_URL has a path, and basePath is set as well. One of them is enough.',
  'experimental-webauthn':
    'experimental.enableWebAuthn is set, so passkey providers that were made for Auth.js are accepted.',
  'forgotten-await': 'getSession gives a promise, and a member of the session was read from the promise itself.',
  'forwarded-headers-ignored': 'Forwarded headers were ignored, because nothing says that their sender can be trusted.',
  'forwarded-host-trusted': 'X-Forwarded-Host names another host than Host, and is believed, whoever sent it.',
  'forwarded-prefix-ignored': 'X-Forwarded-Prefix was ignored, because anybody can send it.',
  'fresh-configurations': 'A new configuration is made for each request, and has to be checked and resolved each time.',
  'implausible-seconds': 'A time is so long that it may have been meant as milliseconds.',
  'inexact-adapter': 'A method of the adapter gave another row than it was asked for. The row was ignored.',
  'key-not-published': 'A key of a provider cannot be exported, so its public part is not among the published keys.',
  'large-session':
    'A session in a token is so long that common proxies refuse the requests of its browser, and then nobody is signed in there.',
  'memory-revocations': 'The memory of this process is the store of revoked sessions, so a restart forgets them.',
  'mount-basepath-mismatch': 'expressAuth is mounted at another path than basePath says.',
  'no-id-token-hint': 'At a sign-out, a provider gets no ID token of the person, so people may stay signed in there.',
  'no-logout-endpoint': 'A provider has no logout endpoint, so visitors are signed out here only.',
  'other-user-id': 'The application sees another id of a user than that by which all sessions of the user are found.',
  'passkey-backup-changed':
    'A passkey says now that it may be copied to other devices, or that it may not. It was made with the other answer.',
  'provider-outage': 'The metadata or the keys of a provider cannot be fetched, or can be fetched again.',
  'redirect-proxy-without-hosts':
    'redirectProxyUrl is an address of this deployment. Without redirectProxyHosts, it hands no answers on.',
  'redirect-refused':
    'A return target was not used. The visitor goes to the address that the redirect callback gave, or to the origin.',
  'scope-without-openid':
    'The scope of an OpenID provider has no `openid`, so the provider may give no ID token, and nobody can sign in.',
  'secure-cookies-over-http': 'useSecureCookies is true, but the public URL is http.',
  'session-callback-argument':
    'The session callback read a member of its argument that the sessions of this configuration do not have.',
  'session-claim-lost': 'jwt.encode or jwt.decode loses the claim `latchkey`.',
  'session-details-lost': 'The store does not keep the times, browsers and networks of sessions.',
  'session-token-reused':
    'An old copy of a session token was used after a newer one. Two clients have the same session, so it was revoked.',
  'session-of-other-secret':
    'A session was read with another secret than that of the configuration which began it, so nobody is signed in there.',
  'session-use-not-stored': 'The last use of a session could not be stored.',
  'session-without-roles':
    'A guard asks for a role, and the session of somebody who was refused shows no roles at all.',
  'session-without-user':
    'The session callback gave an object with neither `user` nor `expires`, so nobody is signed in.',
  'sessions-not-listed':
    'A user has so many sessions that older ones, of which nobody knows where they began, may go on after a logout at a provider.',
  'shared-secret': 'Two different configurations have the same secret and the same session cookie.',
  'sign-in-time-unknown':
    'Stored sessions do not say when their owner signed in, so nobody can add an account or a passkey.',
  'sign-outs-given-up':
    'Sessions could not be deleted from the store for ten minutes after a sign-out. Copies of their cookies may still be valid.',
  'sign-outs-forgotten':
    'More people have signed out of token sessions than can be remembered. The oldest sign-outs are forgotten.',
  'used-answers-forgotten':
    'More answers of providers or passkeys were used than can be remembered. Those whose sign-in began earlier are refused.',
  'unbound-code': 'A provider binds its codes by state alone, so a stolen code can be used in another browser.',
  'unchecked-provider': "A provider has checks: ['none'], so nothing binds its answer to the browser that asked.",
  'tries-without-account':
    'A provider of the type credentials declares no fields, and none of those that it got names an account, so tries are counted by network alone.',
  'unconfirmed-addresses': 'Mailed links will be refused for users whose address was never confirmed.',
  'unmarked-sign-up': 'The store cannot record that a sign-up has begun.',
  'unusable-member': 'A member of a profile, or a token, cannot be kept. It was left out.',
  'unused-guard': 'A guard was made, never ran, and is gone.',
  'unused-option': 'An option has no effect.',
  'user-agents-unnamed': 'The list of sessions shows no browsers and no systems, because a package is missing.',
  'userinfo-not-read':
    'The name and address of a person could not be read from a provider. The sign-in went on without them.',
  'weak-secret': 'A secret has fewer than 32 bytes, or is one character repeated.',
} as const

/** Codes of the warnings that Latchkey gives; stable, so that an application can match on them. */
export type WarningCode = keyof typeof WARNING_SENTENCES
