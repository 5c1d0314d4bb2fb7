/** The name of the cookie of a sign-out that is under way, by the key that configures it. */
export default { logoutState: 'authjs.logout-state' }
