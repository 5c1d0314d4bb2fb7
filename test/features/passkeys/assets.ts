/** Paths of the scripts that the sign-in page names, and applications. */
export default (page: string) => [
  /src="[^"]*(\/auth\/assets\/passkey\.[^"]+)"/.exec(page)?.[1] ?? '',
  '/auth/assets/passkey-buttons.js',
]
