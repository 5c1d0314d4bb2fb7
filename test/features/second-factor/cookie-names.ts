/** The name of the cookie of a browser that is not asked again, by the key that configures it. */
export default { trustedBrowser: 'authjs.trusted-browser' }
