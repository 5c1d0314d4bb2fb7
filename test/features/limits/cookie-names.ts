/** The name of the cookie of a browser with which people have signed in, by the key that configures it. */
export default { knownBrowser: 'authjs.known-browser' }
